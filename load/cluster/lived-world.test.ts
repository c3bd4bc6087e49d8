import { expect, test } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import { worldEncoder } from '../../src/shard/world-encoder.ts';
import { cities, makeKernel, makeWorld } from '../../src/testing/rigs/kernel.ts';
import { parseWorldId } from '../../src/twin/ids.ts';
import { CarChanges } from './car-changes.ts';
import { changesIn, differing, digestOf, type Shown } from './lived-world.ts';

const ID = '0123456789';
const CITY = cities.cities.findIndex(({ name }) => name === 'grid');
const CHANGED_TICK = 101;
const TICKS = [92, 96, 100, 104, 108];

/** Switches as the load makes them, of five cars of which not all accelerate. */
const [, body = ''] = new CarChanges([{ id: ID, vins: ['V'], createdAtMs: 0 }])
  .request(0)
  .toString()
  .split('\r\n\r\n');
const features = JSON.parse(body) as object;
const journal = {
  ...{ seed: 9, city: 'grid', tick: 200 },
  changes: [0, 1, 2, 3, 4].map((car) => ({ tick: CHANGED_TICK, car, features })),
};

/** What a node shows that knows the changes up to a tick. */
function shownBy(lastTick: number): Shown[] {
  const kernel = makeKernel(1);
  const slab = makeWorld(kernel, journal.seed, CITY);
  const encoder = worldEncoder(parseWorldId(ID) ?? 0, at(cities.names, CITY));
  const changes = changesIn(journal).filter(({ tick }) => tick <= lastTick);
  return TICKS.map((tick) => {
    while (kernel.tick(slab) < tick) {
      const next = kernel.tick(slab) + 1;
      for (const each of changes.filter((one) => one.tick === next))
        kernel.apply(slab, each.tick, each.car, each.touched, each.values);
      kernel.step(slab, 1);
    }
    return { tick, digest: digestOf(encoder.encode('json', kernel.pack(slab))) };
  });
}

test('snapshots of a world are those of its seed and journal, whoever shows them, in any order', () => {
  const shown = shownBy(journal.tick);
  expect(differing(ID, journal, [...shown, ...shown.toReversed()])).toEqual([]);
});

test('a node that lacks changes of the load shows another world in the next frames', () => {
  const stale = shownBy(CHANGED_TICK - 1);
  const wrong = differing(ID, journal, [...shownBy(journal.tick), ...stale]);
  expect(wrong).toEqual(stale.filter(({ tick }) => tick > CHANGED_TICK));
});
