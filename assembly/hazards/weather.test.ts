import { describe, expect, test } from 'vitest';
import { at, distance } from '../../src/city/geometry.ts';
import { cars, cities, makeOneWorld, SlabView, stepTo } from '../../src/testing/rigs/kernel.ts';
import {
  A_STATE,
  A_WAIT,
  ACTOR_WAITS,
  C_FRICTION_FRONT,
  C_STATUS,
  C_X,
  C_Y,
  FRAME_TICKS,
  H_ZONES,
  HAZARD_BYTES,
  HAZARDS,
  O_HAZARD,
  OH_ACTIVE,
  OH_STRIDE,
  STATUS_CRASHED,
  TICKS_PER_S,
} from '../layout.ts';

const MINUTES = 15;
/** Nobody is nearer than this with a free view as ice forms or thaws; buildings may hide it, m. */
const BESIDE_M = 15;

const activeAt = (spot: number): number => O_HAZARD + spot * OH_STRIDE + OH_ACTIVE;
const isOut = (view: SlabView, spot: number): boolean =>
  view.i32(HAZARDS + spot * HAZARD_BYTES + A_STATE, 0) !== ACTOR_WAITS;

describe.each(cities.cities.map((city, index) => ({ city, index })))(
  'The weather of $city.name',
  ({ city, index }) => {
    const icy = city.hazards.flatMap(({ kind }, spot) => (kind === 'ice_bend' ? [spot] : []));

    /** Ticks at which ice forms or thaws, by spot. */
    function changesOf(seed: number): string[] {
      const { kernel, slab } = makeOneWorld(seed, index);
      const changes: string[] = [];
      let before = icy.map(() => 1);
      const view = new SlabView(kernel.view(slab));
      for (let tick = FRAME_TICKS; tick < MINUTES * 60 * TICKS_PER_S; tick += FRAME_TICKS) {
        stepTo(kernel, slab, tick);
        const now = icy.map((spot) => view.i32(HAZARDS + spot * HAZARD_BYTES + A_WAIT, 0));
        for (const [i, spot] of icy.entries()) {
          if (now[i] === before[i]) continue;
          changes.push(`${tick} ${spot} ${now[i]}`);
          const { x, y } = at(city.hazards, spot);
          const nearestM = cars
            .filter((car) => view.i32(C_STATUS, car) !== STATUS_CRASHED)
            .map((car) => distance([x, y], [view.real(C_X, car), view.real(C_Y, car)]));
          expect(Math.min(...nearestM)).toBeGreaterThan(BESIDE_M);
        }
        before = now;
      }
      return changes;
    }

    test('[C31] lets ice form and thaw at times that depend on the seed, with no car on it.', () => {
      const changes = changesOf(31);
      expect(changes.length).toBeGreaterThanOrEqual(4);
      expect(changesOf(32)).not.toEqual(changes);
    });

    test('[C31] has no effect but while the spot is active.', () => {
      const { kernel, slab } = makeOneWorld(33, index);
      const view = new SlabView(kernel.view(slab));
      for (const { kind, spot } of city.zones) {
        expect(spot !== undefined).toBe(kind === 'ice' || kind === 'fog');
      }
      const wrong: string[] = [];
      let [slippery, fogs, clear] = [0, 0, 0];
      for (let tick = 400; tick < 6 * 60 * TICKS_PER_S; tick += FRAME_TICKS) {
        stepTo(kernel, slab, tick);
        const counting = view.i32(H_ZONES, 0);
        const out = kernel.pack(slab);
        for (const [zone, { kind, spot }] of city.zones.entries()) {
          const counts = ((counting >> zone) & 1) !== 0;
          if (kind === 'fog' && counts) fogs++;
          if (!counts) clear++;
          const isShown = spot === undefined || out[activeAt(spot)] === 1;
          const isThere = spot === undefined || kind !== 'fog' ? counts : isOut(view, spot);
          if (isShown !== counts || isThere !== counts) wrong.push(`${kind} ${zone} at ${tick}`);
        }
        if (counting === -1 || cars.every((car) => view.real(C_FRICTION_FRONT, car) > 0.5))
          continue;
        slippery++;
      }
      expect(wrong).toEqual([]);
      expect(fogs).toBeGreaterThan(100);
      expect(clear).toBeGreaterThan(100);
      expect(slippery).toBeGreaterThan(100);
    });
  },
);
