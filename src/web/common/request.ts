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

/**
 * Requests JSON from either service. Throws RequestError for every answer but a success, and what
 * `fetch` throws where the caller aborted.
 */
export async function request<T>(url: string, options: RequestOptions = {}): Promise<T> {
  const response = await answerTo(url, options);
  const body = await jsonOf(response);
  if (!response.ok) throw errorOf(response, body);
  // The rest of it did not arrive: the connection broke, or the caller no longer waits.
  if (body === undefined) {
    options.signal?.throwIfAborted();
    throw unreachable();
  }
  return body as T;
}

const unreachable = () =>
  new RequestError(0, 'The service cannot be reached. Check your internet connection.');

async function answerTo(url: string, options: RequestOptions): Promise<Response> {
  const { method = 'GET', body, signal } = options;
  const isForm = body instanceof URLSearchParams;
  const headers = new Headers({ Accept: 'application/json', ...options.headers });
  if (body !== undefined && !isForm) headers.set('Content-Type', 'application/json');
  const sent = body === undefined || isForm ? (body ?? null) : JSON.stringify(body);
  try {
    return await fetch(url, { method, headers, body: sent, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
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
