import { Packr } from 'msgpackr';
import type { Encoding } from '../../codec/encoding.ts';
import { JSON_TYPE, MSGPACK_TYPES } from '../../codec/negotiate.ts';
import { TwinError } from '../../errors.ts';
import { largestPiece } from '../../largest-piece.ts';

interface ReplyOf<Body> {
  readonly status: number;
  /** Content-Type; empty without a body. */
  readonly type: string;
  readonly body: Body;
  readonly headers: readonly Header[];
}

export type WholeReply = ReplyOf<string | Uint8Array>;

/**
 * A body that is made while it is sent, in pieces of at most 64 KiB that take at most 3 ms each. A
 * piece is made in a turn of the event loop of its own. A producer that has waited for the store
 * yields an empty piece: what follows then gets its turn too.
 */
export type Pieces = AsyncIterable<string | Uint8Array>;

export type StreamedReply = ReplyOf<Pieces>;

/** The answer of a handler. The server adds the common headers. */
export type Reply = WholeReply | StreamedReply;

export function isStreamed(reply: Reply): reply is StreamedReply {
  return typeof reply.body !== 'string' && !(reply.body instanceof Uint8Array);
}

export type Header = readonly [name: string, value: string];

const NO_HEADERS: readonly Header[] = [];
const TYPES: Record<Encoding, string> = {
  json: JSON_TYPE,
  msgpack: MSGPACK_TYPES[0] ?? '',
};

// Plain maps: records are an extension of msgpackr that other libraries do not decode.
const packr = new Packr({ useRecords: false, variableMapSize: true });

export function encode(value: unknown, encoding: Encoding): string | Uint8Array {
  const body = encodeOnce(value, encoding);
  largestPiece.count(body.length);
  return body;
}

/** As `encode`, for what a node makes once and no client makes longer: it does not count as a piece. */
export function encodeOnce(value: unknown, encoding: Encoding): string | Uint8Array {
  return encoding === 'json' ? JSON.stringify(value) : packr.pack(value);
}

/** An answer of status 200. */
export function ok(value: unknown, encoding: Encoding): WholeReply {
  return reply(200, encode(value, encoding), encoding);
}

/** An answer whose body is encoded already, or is made in pieces. */
export function reply<Body extends Reply['body']>(
  status: number,
  body: Body,
  encoding: Encoding,
  headers = NO_HEADERS,
): ReplyOf<Body> {
  return { status, type: TYPES[encoding], body, headers };
}

export function bodyless(status: number, headers = NO_HEADERS): WholeReply {
  return { status, type: '', body: '', headers };
}

/** Text of any content type. */
export function text(status: number, body: string, type: string, headers = NO_HEADERS): WholeReply {
  return { status, type, body, headers };
}

/**
 * The one place where an error of the twin becomes an answer: `{error, hint}`. Unknown errors
 * become a bare 500; no detail leaks.
 */
export function errorReply(error: unknown, encoding: Encoding): WholeReply {
  if (!(error instanceof TwinError)) {
    const fault = { error: 'internal_error', hint: 'This is a fault of the service; try again.' };
    return reply(500, encode(fault, encoding), encoding);
  }
  const { code, hint, status, retryAfterS } = error;
  const headers: Header[] = [];
  if (status === 401) headers.push(['WWW-Authenticate', 'VIN']);
  if (status === 426) headers.push(['Upgrade', 'websocket'], ['Sec-WebSocket-Version', '13']);
  if (retryAfterS !== undefined) headers.push(['Retry-After', String(retryAfterS)]);
  return reply(status, encode({ error: code, hint }, encoding), encoding, headers);
}
