/** Kinds of numbers in a table, little-endian. */
export type Kind = 'u16' | 'i32' | 'f32' | 'f64';

/**
 * How far a number is from an expected one, counted in numbers of its kind that lie between the two: a good
 * expectation gives a small count. Even counts are up, odd ones down. A count has 64 bits in two words.
 */
interface Counting {
  readonly bytes: number;
  /** The count for the number at an offset, to `count`. */
  encode(view: DataView, offset: number, expected: number, count: Uint32Array): void;
  /** Writes the number to an offset. */
  decode(view: DataView, offset: number, expected: number, low: number, high: number): void;
}

const scratch = new DataView(new ArrayBuffer(8));

const unsigned = (difference: number): number => (difference << 1) ^ (difference >> 31);
const signed = (count: number): number => (count >>> 1) ^ -(count & 1);

// The bits of floats are in the order of the floats, but negative ones backwards.
const ordered32 = (bits: number): number => (bits < 0 ? bits ^ 0x7fffffff : bits);
const ordered64 = (bits: bigint): bigint => (bits < 0n ? bits ^ 0x7fffffffffffffffn : bits);

// Engines differ in the bits of NaN, so none is expected.
function expected32(expected: number): number {
  scratch.setFloat32(0, Number.isNaN(expected) ? 0 : expected, true);
  return ordered32(scratch.getInt32(0, true));
}

function expected64(expected: number): bigint {
  scratch.setFloat64(0, Number.isNaN(expected) ? 0 : expected, true);
  return ordered64(scratch.getBigInt64(0, true));
}

export const KINDS: Readonly<Record<Kind, Counting>> = {
  u16: {
    bytes: 2,
    encode(view, offset, expected, count) {
      const difference = ((view.getUint16(offset, true) - expected) << 16) >> 16;
      count[0] = unsigned(difference) & 0xffff;
    },
    decode: (view, offset, expected, low) => view.setUint16(offset, expected + signed(low), true),
  },
  i32: {
    bytes: 4,
    encode(view, offset, expected, count) {
      count[0] = unsigned((view.getInt32(offset, true) - expected) | 0);
    },
    decode: (view, offset, expected, low) => view.setInt32(offset, expected + signed(low), true),
  },
  f32: {
    bytes: 4,
    encode(view, offset, expected, count) {
      const order = ordered32(view.getInt32(offset, true));
      count[0] = unsigned((order - expected32(expected)) | 0);
    },
    decode(view, offset, expected, low) {
      const order = (expected32(expected) + signed(low)) | 0;
      view.setInt32(offset, ordered32(order), true);
    },
  },
  f64: {
    bytes: 8,
    encode(view, offset, expected, count) {
      const order = ordered64(view.getBigInt64(offset, true));
      const difference = BigInt.asIntN(64, order - expected64(expected));
      scratch.setBigInt64(0, (difference << 1n) ^ (difference >> 63n), true);
      count[0] = scratch.getUint32(0, true);
      count[1] = scratch.getUint32(4, true);
    },
    decode(view, offset, expected, low, high) {
      scratch.setUint32(0, low, true);
      scratch.setUint32(4, high, true);
      const count = scratch.getBigUint64(0, true);
      const difference = (count >> 1n) ^ -(count & 1n);
      const order = BigInt.asIntN(64, expected64(expected) + difference);
      view.setBigInt64(offset, ordered64(order), true);
    },
  },
};
