import type { ForwardedCall, ForwardedReply } from '../cluster-service.ts';
import type { LinkAnswer } from '../link/contract.ts';
import type { TwinFault } from './twin-fault.ts';

/**
 * Calls and their answers as the link carries them: as arrays, because to write and to read the names of so
 * many fields would take several times as long as their values.
 */
type CallMessage = readonly [
  method: string,
  path: string,
  query: string,
  encoding: ForwardedCall['encoding'],
  requestId: string,
  addressKey: string,
  publicTwinUrl: string,
  accept: string,
  acceptEncoding: string,
  authorization: string,
  vin: string,
  ifNoneMatch: string,
  contentType: string,
  /** Null if it is empty. */
  body: Uint8Array | null,
];

const NO_BODY = new Uint8Array(0);

export function messageOfCall(call: ForwardedCall): CallMessage {
  const { head, body } = call;
  return [
    call.method,
    call.path,
    call.query,
    call.encoding,
    call.requestId,
    call.addressKey,
    call.publicTwinUrl,
    head.accept,
    head.acceptEncoding,
    head.authorization,
    head.vin,
    head.ifNoneMatch,
    head.contentType,
    body.length > 0 ? body : null,
  ];
}

export function callOfMessage(message: CallMessage): ForwardedCall {
  return {
    method: message[0],
    path: message[1],
    query: message[2],
    encoding: message[3],
    requestId: message[4],
    addressKey: message[5],
    publicTwinUrl: message[6],
    head: {
      accept: message[7],
      acceptEncoding: message[8],
      authorization: message[9],
      vin: message[10],
      ifNoneMatch: message[11],
      contentType: message[12],
    },
    body: message[13] ?? NO_BODY,
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

async function* bytesOf(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
