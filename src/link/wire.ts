import { Packr } from 'msgpackr';
import { endOfValue, MalformedMessage } from './msgpack-scan.ts';

/** Longer messages are cut into parts of this length, and pieces of answers are at most as long. */
export const CHUNK_BYTES = 64 * 1024;
/** A value with what describes it. */
export const VALUE_BYTES_MAX = 2 * 2 ** 20 + CHUNK_BYTES;
/** Pieces of one answer that may be sent before they are read. */
export const WINDOW_BYTES = 4 * CHUNK_BYTES;
/** Answers to one node whose pieces are under way. */
export const PIECED_ANSWERS_MAX = 128;
/** One WebSocket message: less than a chunk, and one message of a chunk with what describes it. */
export const SOCKET_MESSAGE_BYTES_MAX = 2 * CHUNK_BYTES + 4096;
const KIND_LENGTH_MAX = 100;
const TEXT_LENGTH_MAX = 500;

/** The first element of each message. */
export const PING = 0;
export const PART = 1;
export const ABORT = 2;
export const CALL = 3;
export const CANCEL = 4;
export const CREDIT = 5;
export const NOTE = 6;
export const ANSWER = 7;
export const FAILED = 8;
export const PIECE = 9;
export const END = 10;
export const BROKE = 11;
export const MESSAGE = 12;

type FromBoth =
  /**
   * The stamp of the dialler is a reading of its clock. The other end gives the last one back once, later
   * by how long it has kept it; null: there is none.
   */
  | readonly [kind: typeof PING, value: unknown, stamp: number | null]
  | readonly [kind: typeof PART, stream: number, isLast: boolean, bytes: Uint8Array];

/** What a node sends over the connection that it has dialled. */
export type FromDialler =
  | FromBoth
  /** The parts of this stream that have come are void. */
  | readonly [kind: typeof ABORT, stream: number]
  | readonly [kind: typeof CALL, id: number, deadlineMs: number, name: string, value: unknown]
  /** The answer is not wanted any more, nor are its pieces. */
  | readonly [kind: typeof CANCEL, id: number]
  /** So many more bytes of pieces may be sent. */
  | readonly [kind: typeof CREDIT, id: number, bytes: number]
  | readonly [kind: typeof NOTE, name: string, value: unknown];

/** What the other end sends. */
export type FromServer =
  | FromBoth
  /** With pieces: the dialler grants the first bytes once it has this. */
  | readonly [kind: typeof ANSWER, id: number, value: unknown, hasPieces: boolean]
  | readonly [kind: typeof FAILED, id: number, text: string, isSent: boolean, isOverloaded: boolean]
  | readonly [kind: typeof PIECE, id: number, bytes: Uint8Array]
  | readonly [kind: typeof END, id: number]
  | readonly [kind: typeof BROKE, id: number, text: string]
  | readonly [kind: typeof MESSAGE, name: string, value: unknown, bytes: Uint8Array];

export type WireMessage = FromDialler | FromServer;

type Check = (field: unknown) => boolean;

const isAny: Check = () => true;
const isFlag: Check = (field) => typeof field === 'boolean';
const isCount: Check = (field) => Number.isSafeInteger(field) && (field as number) > 0;
const isChunk: Check = (field) =>
  field instanceof Uint8Array && field.length > 0 && field.length <= CHUNK_BYTES;
const isBytes: Check = (field) => field instanceof Uint8Array;
const isName: Check = (field) => typeof field === 'string' && field.length <= KIND_LENGTH_MAX;
const isStamp: Check = (field) => field === null || Number.isFinite(field);
const isText: Check = (field) => typeof field === 'string' && field.length <= TEXT_LENGTH_MAX;

type Checks = Readonly<Record<number, readonly Check[]>>;

const BOTH: Checks = { [PING]: [isAny, isStamp], [PART]: [isCount, isFlag, isChunk] };
const DIALLER: Checks = {
  ...BOTH,
  [ABORT]: [isCount],
  [CALL]: [isCount, isCount, isName, isAny],
  [CANCEL]: [isCount],
  [CREDIT]: [isCount, isCount],
  [NOTE]: [isName, isAny],
};
const SERVER: Checks = {
  ...BOTH,
  [ANSWER]: [isCount, isAny, isFlag],
  [FAILED]: [isCount, isText, isFlag, isFlag],
  [PIECE]: [isCount, isChunk],
  [END]: [isCount],
  [BROKE]: [isCount, isText],
  [MESSAGE]: [isName, isAny, isBytes],
};

/** Throws MalformedMessage for anything else. */
export const asFromDialler = (message: unknown) => checked<FromDialler>(message, DIALLER);
export const asFromServer = (message: unknown) => checked<FromServer>(message, SERVER);

function checked<Message extends WireMessage>(message: unknown, by: Checks): Message {
  if (!Array.isArray(message)) throw new MalformedMessage('not a message');
  const fields: readonly unknown[] = message;
  const [kind] = fields;
  const checks = typeof kind === 'number' && Object.hasOwn(by, kind) ? by[kind] : undefined;
  if (checks?.length !== fields.length - 1 || !checks.every((check, i) => check(fields[i + 1]))) {
    throw new MalformedMessage('a message with wrong fields');
  }
  return message as unknown as Message;
}

// Plain maps: no records, which would be an extension. Bytes are not copied: they are most of a frame.
const packr = new Packr({ useRecords: false, variableMapSize: true });

/** Throws TypeError for a value that MessagePack cannot carry, such as a Date. */
export function pack(message: WireMessage | readonly [string, ...unknown[]]): Uint8Array {
  try {
    const bytes = packr.pack(message);
    endOfValue(bytes, 0);
    return bytes;
  } catch (cause) {
    throw new TypeError('a value that cannot be sent to another node', { cause });
  }
}

const NO_BYTES = new Uint8Array(0);
/** How MessagePack writes these: a token, and a length of one byte. */
const NO_BYTES_LENGTH = 2;
/** The token before a length of four bytes. */
const BYTES_32 = 0xc6;

/** A message up to its bytes, which follow as they are: most of a frame is copied once. */
export function packBefore(name: string, value: unknown, byteCount: number): Uint8Array {
  const packed = pack([MESSAGE, name, value, NO_BYTES]);
  const end = packed.length - NO_BYTES_LENGTH;
  const head = Buffer.allocUnsafe(end + 5);
  head.set(packed.subarray(0, end));
  head.writeUInt8(BYTES_32, end);
  head.writeUInt32BE(byteCount, end + 1);
  return head;
}

/**
 * Unpacks the value from `start` to `end`, which `endOfValue` has found. Its bytes share the memory of the
 * source. Throws MalformedMessage where it is none.
 */
export function unpack(bytes: Uint8Array, start: number, end: number): unknown {
  try {
    return packr.unpack(bytes, { start, end });
  } catch (cause) {
    throw new MalformedMessage('not MessagePack', { cause });
  }
}

/** As much of a text as a message may carry. */
export function shortened(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX - 1)}…`;
}
