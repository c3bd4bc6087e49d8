import { type Random, systemRandom } from '../../random.ts';

/** A number is made of so many random bytes, the most significant first. */
const NUMBER_BYTES = 7;

/** A source of randomness by which the first worlds of a node get these numbers. */
export function numbering(...numbers: readonly number[]): Random {
  const left = [...numbers];
  return {
    bytes(count) {
      const number = count === NUMBER_BYTES ? left.shift() : undefined;
      if (number === undefined) return systemRandom.bytes(count);
      return Uint8Array.from({ length: count }, (_, i) => number / 256 ** (count - 1 - i));
    },
  };
}
