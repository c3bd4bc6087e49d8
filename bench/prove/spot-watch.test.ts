import { describe, expect, it } from 'vitest';
import { F_AEB, F_BRAKES, F_ESC, F_FRONT_CAMERA, F_FRONT_RADAR } from '../../assembly/layout.ts';
import { actingMask, SpotWatch } from './spot-watch.ts';

const CHILD = 0;
const ICE = 1;
const AFTER_TICKS = 150;

const watchSpots = (): SpotWatch => new SpotWatch(['parked_row_child', 'ice_bend']);
const passOf = (spot: number, car: number, sinceTick: number, armed: boolean, fired: boolean) => ({
  spot,
  car,
  sinceTick,
  armed,
  fired,
});

describe('a spot with an actor', () => {
  it('counts a pass once nothing can come of it any more', () => {
    const watch = watchSpots();
    watch.notePass(1000, passOf(CHILD, 3, 800, true, true));
    watch.settle(999 + AFTER_TICKS);
    expect(watch.counts[CHILD]).toMatchObject({ passes: 0 });
    watch.settle(1000 + AFTER_TICKS);
    expect(watch.counts[CHILD]).toMatchObject({ passes: 1, armed: 1, fired: 1, hits: 0 });
    watch.settle(2000);
    expect(watch.counts[CHILD]).toMatchObject({ passes: 1 });
  });

  it('asks whether the function acted for that car during the pass', () => {
    const watch = watchSpots();
    watch.noteActed(799, 1, F_AEB); // before
    watch.noteActed(900, 2, F_AEB | F_BRAKES | F_FRONT_CAMERA); // in time
    watch.noteActed(900, 3, F_BRAKES); // something else
    for (const car of [1, 2, 3, 4]) watch.notePass(1000, passOf(CHILD, car, 800, true, true));
    watch.settle(2000);
    expect(watch.counts[CHILD]).toMatchObject({ armed: 4, fired: 4, intervened: 1 });
  });

  it('does not count what acted where nothing came', () => {
    const watch = watchSpots();
    watch.noteActed(900, 1, F_AEB);
    watch.notePass(1000, passOf(CHILD, 1, 800, true, false));
    watch.settle(2000);
    expect(watch.counts[CHILD]).toMatchObject({ armed: 1, fired: 0, intervened: 0 });
  });

  it('counts collisions of armed passes only, up to three seconds later', () => {
    const watch = watchSpots();
    for (const car of [1, 2, 3]) watch.notePass(1000, passOf(CHILD, car, 800, car !== 3, true));
    watch.noteContact({ tick: 1100, parties: [{ car: 1 }, { car: -1 }] });
    watch.noteContact({ tick: 700, parties: [{ car: 2 }, { car: -1 }] });
    watch.noteContact({ tick: 950, parties: [{ car: 3 }, { car: 4 }] });
    watch.settle(2000);
    expect(watch.counts[CHILD]).toMatchObject({ passes: 3, armed: 2, hits: 1 });
  });
});

it('its function acts in armed passes if the road is the hazard', () => {
  const watch = watchSpots();
  watch.noteActed(1100, 5, F_ESC);
  watch.notePass(1000, passOf(ICE, 5, 800, true, false));
  watch.notePass(1000, passOf(ICE, 6, 800, true, false));
  watch.notePass(1000, passOf(ICE, 7, 800, false, false));
  watch.settle(2000);
  expect(watch.counts[ICE]).toMatchObject({ passes: 3, armed: 2, fired: 0, intervened: 1 });
});

it('a spot expects its function to act, or its sensor where it has no function', () => {
  expect(actingMask('parked_row_child')).toBe(F_AEB);
  expect(actingMask('ice_bend')).toBe(F_ESC);
  expect(actingMask('fog_stall')).toBe(F_FRONT_RADAR);
});
