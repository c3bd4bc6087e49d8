/** A stream of numbers that is the same on any machine: integer arithmetic on 32 bits only. */
export interface Random {
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** One of the items; the list must not be empty. */
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * Streams of one seed with different purposes are independent, so drawing more for buildings never
 * moves a route. The mixing function is the finaliser of MurmurHash3 over a Weyl sequence.
 */
export function createRandom(seed: number, purpose: number): Random {
  let state = mix((seed ^ Math.imul(purpose, 0x85ebca6b)) >>> 0);

  const between = (min: number, max: number): number => {
    state = (state + 0x9e3779b9) >>> 0;
    return min + Math.floor((mix(state) / 0x1_0000_0000) * (max - min + 1));
  };
  return {
    between,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
  };
}

function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
