import { STATUS_CODES } from 'node:http';
import { DealerError } from '../../dealer/errors.ts';
import { TwinError } from '../../errors.ts';
import { type Header, ok, type WholeReply } from '../server/reply.ts';

/** Statuses whose detail is their standard text. */
const PLAIN_STATUSES = new Set([400, 404, 405, 500]);

/**
 * The one place where an error becomes an answer of the dealer platform: `{detail}`. Unknown errors
 * become a bare 500; no detail leaks.
 */
export function detailReply(error: unknown): WholeReply {
  if (error instanceof DealerError) {
    return refusal(error.status, error.detail, error.retryAfterS);
  }
  if (!(error instanceof TwinError)) return refusal(500, STATUS_CODES[500], undefined);
  const { status, hint, retryAfterS } = error;
  const detail = PLAIN_STATUSES.has(status) ? STATUS_CODES[status] : hint;
  return refusal(status, detail, retryAfterS);
}

function refusal(status: number, detail: unknown, retryAfterS: number | undefined): WholeReply {
  const headers: Header[] = [];
  if (status === 401) headers.push(['WWW-Authenticate', 'Bearer']);
  if (retryAfterS !== undefined) headers.push(['Retry-After', String(retryAfterS)]);
  return { ...ok({ detail }, 'json'), status, headers };
}
