/** Purposes of the streams of a city. */
export const STREAM = { streets: 1, blocks: 2, routes: 3 } as const;

/**
 * A stream of pseudo-random numbers from 32-bit integer arithmetic, the same on every machine: the
 * finaliser of MurmurHash3 over a Weyl sequence. Streams of one seed with different purposes are
 * independent, so drawing more numbers for buildings does not move a route.
 */
export class RandomStream {
  #state: number;

  constructor(seed: number, purpose: number) {
    this.#state = mix((seed ^ Math.imul(purpose, 0x85ebca6b)) >>> 0);
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    return min + Math.floor((mix(this.#state) / 0x1_0000_0000) * (max - min + 1));
  }

  /** One of the items. Throws RangeError if there are none. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }
}

function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
