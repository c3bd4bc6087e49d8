import type { ValidationErrors } from '../../../build/api/dealer.d.ts';

/** A field that the service refused, and why; `loc` ends with its name. */
export type FieldFault = ValidationErrors['detail'][number];

/** A refusal by the service, or no answer at all. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** 0 where there was no answer. */
  readonly status: number;
  /** The error code of the twin; empty elsewhere. */
  readonly code: string;
  /** All faults of a 422. */
  readonly faults: readonly FieldFault[];

  constructor(status: number, message: string, code = '', faults: readonly FieldFault[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a URLSearchParams as a form. */
  body?: unknown;
  signal?: AbortSignal;
}

/** A request that takes longer is given up. */
const TIMEOUT_MS = 15_000;

/**
 * Requests JSON from either service. Throws RequestError for every answer but a success, and the reason
 * of the caller's signal where that is aborted.
 */
export async function request<T>(url: string, options: RequestOptions = {}): Promise<T> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const stops = options.signal === undefined ? [late] : [options.signal, late];
  const response = await answerTo(url, options, AbortSignal.any(stops)).catch(() => undefined);
  if (response === undefined) throw noAnswer(options.signal, late);
  const body = await jsonOf(response);
  if (!response.ok) throw errorOf(response, body);
  // The rest of it did not arrive.
  if (body === undefined) throw noAnswer(options.signal, late);
  return body as T;
}

/** Why something failed, in words. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Throws instead where the caller no longer waits. */
function noAnswer(signal: AbortSignal | undefined, late: AbortSignal): RequestError {
  signal?.throwIfAborted();
  return new RequestError(
    0,
    late.aborted
      ? 'The service did not answer in time.'
      : 'The service cannot be reached. Check your internet connection.',
  );
}

function answerTo(url: string, options: RequestOptions, signal: AbortSignal): Promise<Response> {
  const { method = 'GET', body } = options;
  const isForm = body instanceof URLSearchParams;
  const headers = new Headers({ Accept: 'application/json', ...options.headers });
  if (body !== undefined && !isForm) headers.set('Content-Type', 'application/json');
  const sent = body === undefined || isForm ? (body ?? null) : JSON.stringify(body);
  return fetch(url, { method, headers, body: sent, signal });
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => '');
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // A proxy may have answered with a page of its own.
    return undefined;
  }
}

/** The dealer platform answers `{detail}`, a sentence or a list; the twin answers `{error, hint}`. */
function errorOf(response: Response, body: unknown): RequestError {
  const { status } = response;
  const { detail, error, hint } = (body ?? {}) as Record<string, unknown>;
  const retryAfterS = retryAfter(response);
  if (Array.isArray(detail)) {
    return new RequestError(status, 'Some fields are wrong.', '', detail);
  }
  const words = [detail, hint].find((each) => typeof each === 'string');
  const said = words ?? `The service answered ${status}.`;
  const message =
    retryAfterS === undefined
      ? sentence(said)
      : `${sentence(said.replace(TRY_AGAIN, ''))} ${waitWords(status, retryAfterS)}`.trim();
  return new RequestError(status, message, String(error ?? ''));
}

function retryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

function waitWords(status: number, seconds: number): string {
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
  return status === 429
    ? `Please wait ${wait} before you try again.`
    : `Please try again in ${wait}.`;
}

/** What the service says at the end without the time, which the page knows. */
const TRY_AGAIN = /(^|[.,;] (or )?)try again( later)?\.?$/i;

function sentence(text: string): string {
  return /(^|[.!?])$/.test(text) ? text : `${text}.`;
}
