import { SHAPE } from './decals.ts';
import { TONES } from './fleet-view.ts';
import type { Overlay } from './overlay.ts';
import type { ShownWorld } from './types.ts';

const HALF_M = 1.5;
const HALF_PX_MIN = 7;
const ARM_PART = 0.22;

/** Adds a cross in a ring where a collision was. */
export function addContactMark(
  contact: ShownWorld['contact'],
  { perPixelM, decals }: Overlay,
): void {
  if (contact === null) return;
  const [x, y] = contact;
  const half = Math.max(HALF_M, HALF_PX_MIN * perPixelM);
  for (const turn of [1, 3]) {
    const heading = (turn * Math.PI) / 4;
    decals.add(SHAPE.bar, { x, y, heading }, half, half * ARM_PART, TONES.brake, 0.95);
  }
  decals.add(SHAPE.ring, { x, y, heading: 0 }, half * 1.4, half * 1.4, TONES.brake, 0.95);
}
