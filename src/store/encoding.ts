/**
 * Keys and values as bytes, the same in every engine.
 *
 *   key     = part part …            the bytes of a prefix are a prefix of the bytes
 *   number  = 01, then the IEEE 754 double, big-endian; a negative one with all bits inverted,
 *             any other with the sign bit set: bytes then sort as the numbers do
 *   string  = 02, then one to three bytes for each UTF-16 code unit, as UTF-8 would write a code
 *             point of that value, then 00; units 0 and 1 are written 01 01 and 01 02
 *
 * Writing surrogates one by one (CESU-8) is what makes the order that of code units; UTF-8 itself
 * sorts by code point, which differs above U+FFFF.
 */
import { Packr } from 'msgpackr';
import { PARTITION_COUNT } from '../limits.ts';
import type { Check, Grant, Key, KeyBounds, KeyPart, Page, Write } from './contract.ts';

const NUMBER_TAG = 1;
const STRING_TAG = 2;
const STRING_END = 0;
const ESCAPE = 1;
const NUMBER_BYTES = 9;

/** LMDB takes 1,978 bytes; the bounds of ranges need a few more. */
export const KEY_BYTES_MAX = 1_970;
/** Entries one page may hold. */
export const PAGE_LIMIT_MAX = 10_000;

/** As long as the longest key and a number; bytes of a longer string fall off its end. */
const scratch = Buffer.alloc(KEY_BYTES_MAX + NUMBER_BYTES);

/**
 * The bytes of a key. Throws TypeError where the key is empty or a part is neither a finite
 * number nor a well-formed string, RangeError where the bytes are more than KEY_BYTES_MAX.
 */
export function encodeKey(key: Key): Buffer {
  if (key.length === 0) throw new TypeError('a key needs at least one part');
  return encodeParts(key);
}

function encodeParts(parts: Key): Buffer {
  let end = 0;
  for (const part of parts) {
    end = writePart(part, end);
    if (end > KEY_BYTES_MAX) throw new RangeError(`a key takes at most ${KEY_BYTES_MAX} bytes`);
  }
  const bytes = Buffer.allocUnsafe(end);
  scratch.copy(bytes, 0, 0, end);
  return bytes;
}

function writePart(part: KeyPart, start: number): number {
  if (typeof part === 'number' && Number.isFinite(part)) return writeNumber(part, start);
  if (typeof part === 'string' && part.isWellFormed()) return writeString(part, start);
  throw new TypeError('the parts of a key are finite numbers and well-formed strings');
}

function writeNumber(value: number, start: number): number {
  scratch[start] = NUMBER_TAG;
  // Adding zero turns -0 into 0: equal numbers are one key.
  scratch.writeDoubleBE(value + 0, start + 1);
  flipForOrder(scratch, start + 1, value < 0);
  return start + NUMBER_BYTES;
}

function flipForOrder(bytes: Buffer, start: number, negative: boolean): void {
  const first = bytes.readUInt32BE(start);
  const second = bytes.readUInt32BE(start + 4);
  bytes.writeUInt32BE((negative ? ~first : first ^ 0x8000_0000) >>> 0, start);
  bytes.writeUInt32BE((negative ? ~second : second) >>> 0, start + 4);
}

function writeString(text: string, start: number): number {
  if (text.length > KEY_BYTES_MAX) return text.length;
  let offset = start;
  scratch[offset++] = STRING_TAG;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit <= ESCAPE) {
      scratch[offset++] = ESCAPE;
      scratch[offset++] = unit + 1;
    } else if (unit < 0x80) {
      scratch[offset++] = unit;
    } else {
      if (unit < 0x800) {
        scratch[offset++] = 0xc0 | (unit >> 6);
      } else {
        scratch[offset++] = 0xe0 | (unit >> 12);
        scratch[offset++] = 0x80 | ((unit >> 6) & 0x3f);
      }
      scratch[offset++] = 0x80 | (unit & 0x3f);
    }
  }
  scratch[offset++] = STRING_END;
  return offset;
}

/** The inverse of `encodeKey`. */
export function decodeKey(bytes: Buffer): Key {
  const key: KeyPart[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes[offset] === NUMBER_TAG) {
      key.push(readNumber(bytes, offset + 1));
      offset += NUMBER_BYTES;
    } else {
      const end = bytes.indexOf(STRING_END, offset + 1);
      key.push(readString(bytes, offset + 1, end));
      offset = end + 1;
    }
  }
  return key;
}

function readNumber(bytes: Buffer, start: number): number {
  bytes.copy(scratch, 0, start, start + 8);
  flipForOrder(scratch, 0, scratch.readUInt8(0) < 0x80);
  return scratch.readDoubleBE(0);
}

function readString(bytes: Buffer, start: number, end: number): string {
  let text = '';
  for (let offset = start; offset < end; ) {
    const first = bytes.readUInt8(offset);
    const size = first >= 0xe0 ? 3 : first >= 0x80 || first === ESCAPE ? 2 : 1;
    text += String.fromCharCode(readUnit(bytes, offset, size));
    offset += size;
  }
  return text;
}

function readUnit(bytes: Buffer, offset: number, size: number): number {
  const first = bytes.readUInt8(offset);
  if (size === 1) return first;
  const last = bytes.readUInt8(offset + size - 1);
  if (first === ESCAPE) return last - 1;
  if (size === 2) return ((first & 0x1f) << 6) | (last & 0x3f);
  return ((first & 0x0f) << 12) | ((bytes.readUInt8(offset + 1) & 0x3f) << 6) | (last & 0x3f);
}

/**
 * The bytes that bound a page: encoded keys from `start` on and before `end` are its candidates.
 * Throws as `encodeKey` does, and RangeError where the limit is not an integer from 1 to
 * PAGE_LIMIT_MAX.
 */
export function pageBounds(prefix: Key, page: Page): { start: Buffer; end: Buffer } {
  if (!Number.isInteger(page.limit) || page.limit < 1 || page.limit > PAGE_LIMIT_MAX) {
    throw new RangeError(`a page holds 1 to ${PAGE_LIMIT_MAX} entries`);
  }
  return rangeOf(prefix, page);
}

/** As `pageBounds`, of all pages. Throws TypeError and RangeError as `encodeKey` does. */
export function rangeOf(prefix: Key, { after, before }: KeyBounds): { start: Buffer; end: Buffer } {
  const base = encodeParts(prefix);
  // Every part begins with a tag, so one zero byte is above the key itself and below all that
  // begin with it, and one of 0xff above those.
  let start: Buffer = Buffer.concat([base, Buffer.of(0)]);
  let end: Buffer = Buffer.concat([base, Buffer.of(0xff)]);
  if (after) {
    const behind = Buffer.concat([encodeKey(after), Buffer.of(0)]);
    if (behind.compare(start) > 0) start = behind;
  }
  if (before) {
    const bound = encodeKey(before);
    if (bound.compare(end) < 0) end = bound;
  }
  return { start, end };
}

/**
 * Throws TypeError unless the keys of a commit all belong to the partition of its grant, or to none if
 * it has none: an engine that spreads over machines could not write others at once.
 */
export function checkOnePartition(
  checks: readonly Check[],
  writes: readonly Write[],
  grant: Grant | undefined,
): void {
  const isOther = ({ key }: { key: Key }) => partitionOf(key) !== grant?.partition;
  if (checks.some(isOther) || writes.some(isOther)) {
    throw new TypeError('the keys of a commit belong to the partition of its grant, or to none');
  }
}

/** The partition of a key, or undefined. Throws TypeError if it names one that does not exist. */
export function partitionOf(key: Key): number | undefined {
  if (key[0] !== 'p') return undefined;
  const partition = key[1];
  if (typeof partition === 'number' && Number.isInteger(partition)) {
    if (partition >= 0 && partition < PARTITION_COUNT) return partition;
  }
  throw new TypeError(`a key that begins with 'p' goes on with a partition`);
}

// Plain maps, so that each entry can be read alone.
const packr = new Packr({ useRecords: false, copyBuffers: true });

/** The MessagePack bytes of a value. Throws TypeError where it is undefined. */
export function packValue(value: unknown): Buffer {
  if (value === undefined) throw new TypeError('undefined is not a value; remove the key instead');
  return packr.pack(value);
}

/** The value of MessagePack bytes. Binary parts are Uint8Arrays with memory of their own. */
export function unpackValue(bytes: Uint8Array): unknown {
  // Of a Buffer, msgpackr would make the binary parts Buffers too.
  return packr.unpack(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
