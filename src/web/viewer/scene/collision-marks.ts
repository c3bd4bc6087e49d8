import { TICKS_PER_S } from '../api/types.ts';
import { SHAPE } from './decals.ts';
import { TONES } from './fleet-view.ts';
import type { Overlay } from './overlay.ts';
import type { Focus, ShownWorld } from './types.ts';

const HALF_M = 1.5;
const HALF_PX_MIN = 7;
const ARM_PART = 0.22;

/** A collision is marked for so long. */
const PULSE_TICKS = 6 * TICKS_PER_S;
/** From one ring to the next. */
const RING_TICKS = 1.5 * TICKS_PER_S;
const RING_M = 14;
const RING_PX_MIN = 30;

/** Adds rings that spread from where something crashed a moment ago. */
export function addCrashPulses(
  crashes: ShownWorld['crashes'],
  { perPixelM, decals, tick, reducedMotion }: Overlay,
): void {
  for (const { place, tick: atTick } of crashes) {
    const ageTicks = tick - atTick;
    if (ageTicks < 0 || ageTicks > PULSE_TICKS) continue;
    const part = reducedMotion ? 0.7 : (ageTicks % RING_TICKS) / RING_TICKS;
    const half = Math.max(RING_M, RING_PX_MIN * perPixelM) * part;
    const [x, y] = place;
    decals.add(SHAPE.ring, { x, y, heading: 0 }, half, half, TONES.brake, 0.9 * (1 - part) + 0.1);
  }
}

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

const DOT_M = 0.35;
const DOT_PX_MIN = 2.5;

/** Adds where the parties of a replay have been, and the ghosts beside them. */
export function addTrails(focus: Focus | null, { perPixelM, decals }: Overlay): void {
  if (focus === null) return;
  const half = Math.max(DOT_M, DOT_PX_MIN * perPixelM);
  for (const { isGhost, places } of focus.trails) {
    const tone = isGhost ? TONES.ghost : TONES.brake;
    for (const [i, [x, y]] of places.entries()) {
      const age = (i + 1) / places.length;
      decals.add(SHAPE.disc, { x, y, heading: 0 }, half, half, tone, 0.2 + 0.7 * age);
    }
  }
}
