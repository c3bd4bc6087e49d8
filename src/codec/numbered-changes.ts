import { NUMBERED_INTS } from '../twin/journal.ts';

// Formats of the MessagePack specification.
const FIXMAP = 0x80;
const FIXARRAY = 0x90;
const FIXSTR = 0xa0;
const UINT8 = 0xcc;
const UINT16 = 0xcd;
const UINT32 = 0xce;
const ARRAY32 = 0xdd;
const FIXINT_MAX = 0x7f;
const UINT_BYTES_MAX = 5;

const encoder = new TextEncoder();
/** In the order of packed changes. */
const FIELDS = ['seq', 'tick', 'car', 'touched', 'values'];
/** What stands before the value of each field; that the map begins, before the first one. */
const KEYS = FIELDS.map((name, i) => {
  const key = [FIXSTR | name.length, ...encoder.encode(name)];
  return Uint8Array.from(i === 0 ? [FIXMAP | NUMBERED_INTS, ...key] : key);
});
const CHANGE_BYTES_MAX = KEYS.reduce((sum, { length }) => sum + length + UINT_BYTES_MAX, 0);
const INT_BYTES = 4;
export const NUMBERED_BYTES = NUMBERED_INTS * INT_BYTES;

/** Of a map in MessagePack whose last value is an empty list all before that. */
export function withoutList(map: Uint8Array): Uint8Array {
  if (map.at(-1) !== FIXARRAY) throw new Error('the last value is no empty list');
  return map.subarray(0, -1);
}

/** The beginning of a list of so many elements. */
export function listHead(count: number): Uint8Array {
  const head = new Uint8Array(1 + INT_BYTES);
  head[0] = ARRAY32;
  new DataView(head.buffer).setUint32(1, count);
  return head;
}

/**
 * Packed changes as maps in MessagePack, one after the other.
 * @param packed five little-endian integers of 32 bits each, at any place in memory
 */
export function writtenChanges(packed: Uint8Array): Uint8Array {
  const { buffer, byteOffset, byteLength } = packed;
  const values = new DataView(buffer, byteOffset, byteLength);
  const written = new Uint8Array((byteLength / NUMBERED_BYTES) * CHANGE_BYTES_MAX);
  let end = 0;
  for (let at = 0; at < byteLength; ) {
    for (const key of KEYS) {
      // A call to copy so few bytes takes longer than this.
      for (let i = 0; i < key.length; i++) written[end++] = key[i] as number;
      end = writeUint(written, end, values.getUint32(at, true));
      at += INT_BYTES;
    }
  }
  return written.subarray(0, end);
}

/** Returns where it ends. */
function writeUint(into: Uint8Array, start: number, value: number): number {
  let end = start;
  if (value > FIXINT_MAX) {
    const bytes = value <= 0xff ? 1 : value <= 0xffff ? 2 : 4;
    into[end++] = bytes === 1 ? UINT8 : bytes === 2 ? UINT16 : UINT32;
    for (let shift = 8 * (bytes - 1); shift > 0; shift -= 8) into[end++] = value >>> shift;
  }
  into[end++] = value;
  return end;
}
