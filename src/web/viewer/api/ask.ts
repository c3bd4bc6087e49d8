/** A call that was answered with an error, or not at all. */
export class Refusal extends Error {
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, hint: string) {
    super(hint);
    this.status = status;
    this.code = code;
  }
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PATCH';
  /** The car that is spoken of. */
  vin?: string;
  body?: unknown;
}

const TIMEOUT_MS = 15_000;

/** Calls the twin that this page came from. Throws Refusal. */
export async function ask<Body>(path: string, { method = 'GET', vin, body }: Ask = {}): Promise<Body> {
  const headers = new Headers();
  if (vin !== undefined) headers.set('X-VIN', vin);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const content = body === undefined ? null : JSON.stringify(body);
  const answer = await fetch(path, { method, headers, signal, body: content }).catch(unreachable);
  const answered = await answer.json().catch(unreadable);
  if (!answer.ok) throw refusalOf(answer.status, answered);
  return answered as Body;
}

function refusalOf(status: number, { error, hint }: { error?: string; hint?: string }): Refusal {
  return new Refusal(status, error ?? 'unknown', hint ?? `The service answered ${status}.`);
}

function unreachable(): never {
  throw new Refusal(0, 'unreachable', 'The service cannot be reached. Try again in a moment.');
}

function unreadable(): never {
  throw new Refusal(0, 'unreadable', 'The service gave no answer that can be read.');
}

/** What went wrong, for people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
