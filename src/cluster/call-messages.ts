import type { ForwardedCall, ForwardedReply } from '../cluster-service.ts';
import type { LinkAnswer } from '../link/contract.ts';
import type { TwinFault } from './twin-fault.ts';

/**
 * Calls as the link carries them: their texts are one, because to write and to read so many short ones would
 * take several times as long. `body`: null if it is empty.
 */
type CallMessage = readonly [texts: string, body: Uint8Array | null];

type CallTexts = [
  method: string,
  path: string,
  query: string,
  encoding: ForwardedCall['encoding'],
  requestId: string,
  traceparent: string,
  addressKey: string,
  publicTwinUrl: string,
  accept: string,
  acceptEncoding: string,
  authorization: string,
  vin: string,
  ifNoneMatch: string,
  contentType: string,
];

const NO_BODY = new Uint8Array(0);
/** No part of a request contains it. */
const BETWEEN = '\n';
const TEXT_COUNT = 14;

export function messageOfCall(call: ForwardedCall): CallMessage {
  const { head, body } = call;
  const texts: CallTexts = [
    call.method,
    call.path,
    call.query,
    call.encoding,
    call.requestId,
    call.traceparent,
    call.addressKey,
    call.publicTwinUrl,
    head.accept,
    head.acceptEncoding,
    head.authorization,
    head.vin,
    head.ifNoneMatch,
    head.contentType,
  ];
  return [texts.join(BETWEEN), body.length > 0 ? body : null];
}

/** Throws RangeError for a message that is none. */
export function callOfMessage([text, body]: CallMessage): ForwardedCall {
  const texts = text.split(BETWEEN);
  if (texts.length !== TEXT_COUNT) throw new RangeError(`a call of ${texts.length} texts`);
  const [
    method,
    path,
    query,
    encoding,
    requestId,
    traceparent,
    addressKey,
    publicTwinUrl,
    accept,
    acceptEncoding,
    authorization,
    vin,
    ifNoneMatch,
    contentType,
  ] = texts as CallTexts;
  return {
    method,
    path,
    query,
    encoding,
    requestId,
    traceparent,
    addressKey,
    publicTwinUrl,
    head: { accept, acceptEncoding, authorization, vin, ifNoneMatch, contentType },
    body: body ?? NO_BODY,
  };
}

/** What is sent to have a call answered: for the world with a number, or without one for a creation. */
export type CallValue = readonly [call: CallMessage, world?: number];

const REPLY = 0;
const MOVED = 1;
const FAULT = 2;

/** What comes back. `body`: null if it comes in pieces. */
type AnswerMessage =
  | readonly [
      kind: typeof REPLY,
      status: number,
      type: string,
      headers: ForwardedReply['headers'],
      body: string | Uint8Array | null,
    ]
  /** Nothing was done: another node has to answer. */
  | readonly [kind: typeof MOVED]
  | readonly [kind: typeof FAULT, code: string, hint: string, retryAfterS: number];

/** An answer as `readAnswer` finds it; undefined: nothing was done. */
type Read = { reply: ForwardedReply } | { fault: TwinFault } | undefined;

export const NOT_HERE: LinkAnswer = { value: [MOVED] satisfies AnswerMessage };

export function answerWithReply({ status, type, headers, body }: ForwardedReply): LinkAnswer {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  const whole = isWhole ? body : null;
  const value: AnswerMessage = [REPLY, status, type, headers, whole];
  return isWhole ? { value } : { value, pieces: bytesOf(body) };
}

export function answerWithFault({ code, hint, retryAfterS }: TwinFault): LinkAnswer {
  return { value: [FAULT, code, hint, retryAfterS] satisfies AnswerMessage };
}

export function readAnswer({ value, pieces }: LinkAnswer): Read {
  const message = value as AnswerMessage;
  if (message[0] === MOVED) return undefined;
  if (message[0] === FAULT) {
    const [, code, hint, retryAfterS] = message;
    return { fault: { code, hint, retryAfterS } };
  }
  const [, status, type, headers, body] = message;
  return { reply: { status, type, headers, body: body ?? pieces ?? '' } };
}

/** Not a generator: one that nobody has begun to read would not end the pieces when it is ended. */
function bytesOf(pieces: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        next: async () => {
          const { done, value } = await iterator.next();
          if (done) return { done, value: undefined };
          return { done: false, value: typeof value === 'string' ? Buffer.from(value) : value };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
