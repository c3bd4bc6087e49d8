import { systemRandom } from '../../src/random.ts';

/** RFC 6455, 5.2. */
export const OPCODE_TEXT = 1;
export const OPCODE_BINARY = 2;
export const OPCODE_CLOSE = 8;
export const OPCODE_PING = 9;
export const OPCODE_PONG = 10;

const EMPTY = Buffer.alloc(0);
const FIN = 0x80;
const MASKED = 0x80;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** A snapshot names its tick among its first keys. */
const TICK_WITHIN_BYTES = 200;
const JSON_TICK = Buffer.from('"tick":');
const MSGPACK_TICK = Buffer.from('\xa4tick', 'latin1');

/**
 * Cuts the byte stream of a server into messages. The node sends every message whole, unmasked and
 * uncompressed; anything else throws an Error. Chunks and payloads are valid during the call only.
 */
export class FrameParser {
  #pending: Buffer = EMPTY;
  readonly #received: (opcode: number, payload: Buffer) => void;

  constructor(received: (opcode: number, payload: Buffer) => void) {
    this.#received = received;
  }

  push(chunk: Buffer): void {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    let at = 0;
    while (bytes.length - at >= 2) {
      const headBytes = headLength(bytes, at);
      if (bytes.length - at < headBytes) break;
      const payloadFrom = at + headBytes;
      const payloadTo = payloadFrom + payloadLength(bytes, at);
      if (payloadTo > bytes.length) break;
      at = payloadTo;
      this.#received(opcodeOf(bytes, payloadFrom - headBytes), bytes.subarray(payloadFrom, at));
    }
    this.#pending = at === bytes.length ? EMPTY : Buffer.from(bytes.subarray(at));
  }
}

function opcodeOf(bytes: Buffer, at: number): number {
  const first = bytes.readUInt8(at);
  if ((first & 0xf0) !== FIN) throw new Error('a message in pieces or with an extension');
  return first & 0x0f;
}

function headLength(bytes: Buffer, at: number): number {
  const second = bytes.readUInt8(at + 1);
  if (second & MASKED) throw new Error('a masked message from a server');
  return second === 127 ? 10 : second === 126 ? 4 : 2;
}

function payloadLength(bytes: Buffer, at: number): number {
  const second = bytes.readUInt8(at + 1);
  if (second < 126) return second;
  if (second === 126) return bytes.readUInt16BE(at + 2);
  const length = Number(bytes.readBigUInt64BE(at + 2));
  if (length > MESSAGE_BYTES_MAX) throw new Error(`a message of ${length} bytes`);
  return length;
}

/** A message from a client, masked as RFC 6455, 5.3, demands. At most 125 bytes of payload. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  if (payload.length > 125) throw new Error('a control message has at most 125 bytes');
  const mask = systemRandom.bytes(4);
  const masked = payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0));
  return Buffer.concat([Buffer.from([FIN | opcode, MASKED | payload.length]), mask, masked]);
}

/** The tick of a snapshot in either encoding, found without decoding; -1 if there is none. */
export function tickOf(opcode: number, payload: Buffer): number {
  const start = payload.subarray(0, TICK_WITHIN_BYTES);
  return opcode === OPCODE_TEXT ? jsonTick(start) : msgpackTick(start);
}

function jsonTick(start: Buffer): number {
  const key = start.indexOf(JSON_TICK);
  if (key < 0) return -1;
  let at = key + JSON_TICK.length;
  let tick = -1;
  for (let digit = digitAt(start, at); digit >= 0; digit = digitAt(start, at)) {
    tick = Math.max(tick, 0) * 10 + digit;
    at += 1;
  }
  return tick;
}

function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - 0x30;
  return digit <= 9 ? digit : -1;
}

function msgpackTick(start: Buffer): number {
  const key = start.indexOf(MSGPACK_TICK);
  if (key < 0) return -1;
  const at = key + MSGPACK_TICK.length;
  const kind = start.readUInt8(at);
  if (kind < 0x80) return kind;
  if (kind === 0xcc) return start.readUInt8(at + 1);
  if (kind === 0xcd) return start.readUInt16BE(at + 1);
  if (kind === 0xce || kind === 0xd2) return start.readUInt32BE(at + 1);
  return -1;
}
