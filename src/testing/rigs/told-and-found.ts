import {
  CAR_COUNT,
  EVENT_LANE_LEFT,
  EVENT_NEAR_MISS,
  EVENT_RED_LIGHT,
  F_ALL,
  FEATURE_COUNT,
  OTHER_ACTOR,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import type { Dice } from './dice.ts';
import { type Found, isBorderline } from './frame-reading.ts';

const KINDS = new Map<number, Found['what']>([
  [EVENT_RED_LIGHT, 'red_light'],
  [EVENT_LANE_LEFT, 'lane_departure'],
  [EVENT_NEAR_MISS, 'near_miss'],
]);

/** Collects what the events of a world tell, each repetition anew. Reads each frame once, in order. */
export class Told {
  readonly all: Found[] = [];
  readonly #counts = new Map<number, number>();

  read(kernel: Kernel, slab: Slab): void {
    const tick = kernel.tick(slab);
    for (const { seq, kind, car, other, hazard, arg } of kernel.events(slab)) {
      const what = KINDS.get(kind);
      if (what === undefined) continue;
      const count = 1 + (arg >>> 16);
      const object = other === OTHER_ACTOR ? CAR_COUNT + hazard : other;
      for (let known = this.#counts.get(seq) ?? 0; known < count; known++) {
        const isNarrow = what === 'near_miss' && isBorderline((arg & 0xffff) / 100);
        this.all.push({ what, tick, car, other: object, isBorderline: isNarrow });
      }
      this.#counts.set(seq, count);
    }
  }
}

/** Up to five random features of each car are off. */
export function randomMasks(dice: Dice): number[] {
  return Array.from({ length: CAR_COUNT }, () => {
    let mask = F_ALL;
    for (let left = dice.below(6); left > 0; left--) mask &= ~(1 << dice.below(FEATURE_COUNT));
    return mask;
  });
}

/**
 * The entries of a list without their counterparts in another one. Those on the border of what counts
 * need none.
 */
export function without(list: readonly Found[], others: readonly Found[]): Found[] {
  const rest = [...others];
  return list.filter((one) => {
    const index = rest.findIndex((other) => isSame(one, other));
    if (index >= 0) rest.splice(index, 1);
    return index < 0 && !one.isBorderline;
  });
}

function isSame(a: Found, b: Found): boolean {
  if (a.what !== b.what || Math.abs(a.tick - b.tick) > TICKS_PER_S / 2) return false;
  return (a.car === b.car && a.other === b.other) || (a.car === b.other && a.other === b.car);
}
