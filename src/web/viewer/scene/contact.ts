import { type Decals, SHAPE } from './decals.ts';
import { TONES } from './fleet-view.ts';

const HALF_M = 1.5;
const HALF_PX_MIN = 7;
const ARM_PART = 0.22;

/** A cross in a ring where a collision was. */
export function markContact(
  contact: readonly [x: number, y: number] | null,
  perPixelM: number,
  decals: Decals,
): void {
  if (contact === null) return;
  const [x, y] = contact;
  const half = Math.max(HALF_M, HALF_PX_MIN * perPixelM);
  for (const turn of [1, 3]) {
    decals.add(SHAPE.bar, x, y, (turn * Math.PI) / 4, half, half * ARM_PART, TONES.brake, 0.95);
  }
  decals.add(SHAPE.ring, x, y, 0, half * 1.4, half * 1.4, TONES.brake, 0.95);
}
