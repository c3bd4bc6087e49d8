import { expect, test } from 'vitest';
import { addCrashPulses } from './collision-marks.ts';
import type { Overlay } from './overlay.ts';

/** Half the widths of the rings that are drawn at a tick, m, by where they are. */
function ringsAt(tick: number, reducedMotion = false): Map<number, number> {
  const rings = new Map<number, number>();
  const decals = {
    add: (_: unknown, { x }: { x: number }, halfM: number) => rings.set(x, halfM),
  };
  const overlay = { perPixelM: 0.1, decals, tick, reducedMotion } as unknown as Overlay;
  const crashes = [
    { place: [5, 0], tick: 1000 },
    { place: [9, 0], tick: 1200 },
  ] as const;
  addCrashPulses(crashes, overlay);
  return rings;
}

test('[P23] a collision sends rings over the map for a few seconds', () => {
  expect(ringsAt(999).size).toBe(0);
  const [early = 0, later = 0] = [ringsAt(1010).get(5), ringsAt(1040).get(5)];
  expect([early > 0, later > early]).toEqual([true, true]);
  expect([...ringsAt(1210).keys()]).toEqual([5, 9]);
  expect([...ringsAt(1310).keys()]).toEqual([9]);
  expect(ringsAt(1600).size).toBe(0);
});

test('[P23] whoever wants little motion sees a ring that stands', () => {
  expect(ringsAt(1010, true).get(5)).toBe(ringsAt(1040, true).get(5));
});
