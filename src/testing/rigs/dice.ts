import { draw, streamKey, uniform } from '../../twin/seeded-random.ts';

const PURPOSE_TESTS = 2000;

/** Repeatable randomness. */
export class Dice {
  readonly #key: bigint;
  #count = 0;

  constructor(seed: number) {
    this.#key = streamKey(seed, PURPOSE_TESTS, 0);
  }

  /** A whole number from 0 to `end − 1`. */
  below(end: number): number {
    return Math.floor(uniform(draw(this.#key, this.#count++)) * end);
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }
}
