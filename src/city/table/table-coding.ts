import { KINDS } from './number-kinds.ts';
import type { Column } from './records.ts';
import { columnsOf, hintBytesMax, writeHints } from './table-columns.ts';

/**
 * The coded form of the table of a city: for each number how far it is from what the numbers before it let
 * expect. Most are about as expected, so that a compressor leaves a quarter of what it leaves of the table
 * itself. What comes out is the table that went in, to the bit, or an error: there are checksums.
 *
 * u32 signature and version of the coding, u32 checksum of what follows, u32 bytes of the table, u32 checksum
 * of the table; then column by column its planes: the lowest bytes of all counts, then the next ones. Before
 * each plane is 1, or 0 for one of zeros, which is left out.
 */
const SIGNATURE = 0x7ab1ec;
/** Goes up with each change after which another table would come out. */
export const CODING_VERSION = 2;
const HEADER_BYTES = 16;
/** From here on everything is in the checksum. */
const CHECKED_FROM = 8;

/** @throws RangeError if the buffer is no table of a city */
export function encodeTable(table: ArrayBuffer): Uint8Array<ArrayBuffer> {
  const { byteLength } = table;
  const view = roomFor(byteLength);
  new Uint8Array(view.buffer).set(new Uint8Array(table));
  writeHints(view, byteLength);
  const planes = [...columnsOf(view, byteLength)].flatMap((column) => planesOf(view, column));
  const coded = joined([new Uint8Array(HEADER_BYTES), ...planes]);
  const header = new DataView(coded.buffer);
  header.setUint32(0, (SIGNATURE << 8) | CODING_VERSION, true);
  header.setUint32(8, byteLength, true);
  header.setUint32(12, checksum(new Uint8Array(table)), true);
  header.setUint32(4, checksum(coded.subarray(CHECKED_FROM)), true);
  // Throws if the table has something beside its columns.
  decodeTable(coded);
  return coded;
}

/** @throws RangeError if the bytes are damaged, or have another version of the coding */
export function decodeTable(coded: Uint8Array): ArrayBuffer {
  const bytes = checkedBytes(coded);
  const view = roomFor(bytes.tableBytes);
  const reader = new PlaneReader(bytes.planes);
  for (const column of columnsOf(view, bytes.tableBytes)) readColumn(view, column, reader);
  const table = view.buffer.slice(0, bytes.tableBytes);
  if (checksum(new Uint8Array(table)) !== bytes.tableChecksum) {
    throw new RangeError('the coded table gives another table than was coded');
  }
  return table;
}

function checkedBytes(coded: Uint8Array) {
  if (coded.byteLength < HEADER_BYTES) throw new RangeError('this is no coded table');
  const header = new DataView(coded.buffer, coded.byteOffset, HEADER_BYTES);
  const signature = header.getUint32(0, true);
  if (signature >>> 8 !== SIGNATURE) throw new RangeError('this is no coded table');
  const version = signature & 0xff;
  if (version !== CODING_VERSION) {
    throw new RangeError(`the table has coding ${version} where ${CODING_VERSION} can be read`);
  }
  if (checksum(coded.subarray(CHECKED_FROM)) !== header.getUint32(4, true)) {
    throw new RangeError('the coded table is damaged');
  }
  return {
    tableBytes: header.getUint32(8, true),
    tableChecksum: header.getUint32(12, true),
    planes: coded.subarray(HEADER_BYTES),
  };
}

/** For a table and its hints. */
const roomFor = (tableBytes: number) =>
  new DataView(new ArrayBuffer(tableBytes + hintBytesMax(tableBytes)));

function planesOf(view: DataView, { kind, start, stride, count, expected }: Column): Uint8Array[] {
  const { bytes, encode } = KINDS[kind];
  const planes = Array.from({ length: bytes }, () => new Uint8Array(1 + count));
  const words = new Uint32Array(2);
  for (let i = 0; i < count; i++) {
    encode(view, start + i * stride, expected(i), words);
    for (const [place, plane] of planes.entries()) {
      plane[1 + i] = (words[place >> 2] as number) >>> (8 * (place & 3));
    }
  }
  return planes.map((plane) => {
    if (plane.every((byte) => byte === 0)) return plane.subarray(0, 1);
    plane[0] = 1;
    return plane;
  });
}

function readColumn(
  view: DataView,
  { kind, start, stride, count, expected }: Column,
  reader: PlaneReader,
): void {
  const { bytes, decode } = KINDS[kind];
  const lows = reader.words(count, Math.min(4, bytes));
  const highs = bytes > 4 ? reader.words(count, bytes - 4) : undefined;
  for (let i = 0; i < count; i++) {
    decode(view, start + i * stride, expected(i), lows[i] ?? 0, highs?.[i] ?? 0);
  }
}

class PlaneReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** From so many planes. */
  words(count: number, planes: number): Int32Array {
    const words = new Int32Array(count);
    for (let place = 0; place < planes; place++) {
      const isThere = this.#bytes[this.#position++] === 1;
      if (!isThere) continue;
      for (let i = 0; i < count; i++) {
        words[i] = (words[i] ?? 0) | ((this.#bytes[this.#position + i] ?? 0) << (8 * place));
      }
      this.#position += count;
    }
    return words;
  }
}

/** It differs if one word of 32 bits does, and most probably if more do. */
function checksum(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.byteLength & ~3;
  let sum = bytes.byteLength;
  for (let i = 0; i < whole; i += 4) sum = mixed(sum, view.getUint32(i, true));
  for (let i = whole; i < bytes.byteLength; i++) sum = mixed(sum, view.getUint8(i));
  return sum >>> 0;
}

/** As MurmurHash3 adds a word. */
function mixed(sum: number, word: number): number {
  const first = Math.imul(word, 0xcc9e2d51);
  const turned = sum ^ Math.imul((first << 15) | (first >>> 17), 0x1b873593);
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0xe6546b64) | 0;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.byteLength;
  }
  return whole;
}
