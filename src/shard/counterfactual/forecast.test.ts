import { expect, test } from 'vitest';
import { C_VX, TICK_S, TICKS_PER_S } from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { realOf } from '../../kernel/slab-arrays.ts';
import { stakesOf, whatFollows } from '../../testing/rigs/at-stake.ts';
import { cars, cities } from '../../testing/rigs/kernel.ts';
import { FEATURE_NAMES, type FeatureName, maskOf } from '../../twin/catalogue.ts';
import { outlookEntries } from '../../twin/outlook.ts';

/** Distance in time within which something has to come, s. */
const WITHIN_S = 60;
const RUNS = 5;

const worlds = [...cities.tables.keys()].flatMap((cityIndex) =>
  Array.from({ length: RUNS }, (_, run) => {
    const stakes = stakesOf(cityIndex, 800 + run, 600 + 450 * run);
    return { stakes, image: stakes.kernel.image(stakes.slab) };
  }),
);

/** Of the soonest entry for the feature in each world in which one is soon enough. */
function shownWithout(feature: FeatureName): boolean[] {
  return worlds.flatMap(({ stakes, image }) => {
    const entry = stakes.entries.find((each) => each.feature === feature);
    if (entry === undefined || entry.time > WITHIN_S - 5) return [];
    const { kernel, slab } = stakes;
    kernel.restore(slab, image);
    const { shownS } = whatFollows(kernel, slab, Number(entry.vin), maskOf([feature]), WITHIN_S);
    return [shownS <= WITHIN_S];
  });
}

const shareOf = (shown: readonly boolean[]) => shown.filter((one) => one).length / shown.length;

test('[W38] Something happens within a minute to the car that the outlook names first for a feature, without that feature.', () => {
  const all = FEATURE_NAMES.map((feature) => {
    const shown = shownWithout(feature);
    expect(shown.length, feature).toBeGreaterThan(3);
    expect(shareOf(shown), feature).toBeGreaterThanOrEqual(0.8);
    return shown;
  });
  expect(shareOf(all.flat())).toBeGreaterThanOrEqual(0.95);
});

test('[W38] An outlook is in order of time, and its ways and times are those of the cars.', () => {
  const { entries, outlook } = stakesOf(0, 9, 400);
  const times = entries.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(outlook.fromTick).toBe(400);
  expect(entries.length).toBeGreaterThan(40);
  for (const { distance, time, feature, consequence } of entries) {
    expect(time).toBeGreaterThanOrEqual(3);
    expect(time).toBeLessThanOrEqual(90);
    // No car is faster than 80 km/h.
    expect(distance).toBeLessThan(time * 22.3 + 3);
    expect(consequence === 'stall').toBe(feature === 'throttle');
  }
});

test('[W38] What comes is nearer by as much as its car has driven, to within a metre.', () => {
  for (const cityIndex of cities.tables.keys()) {
    const { kernel, slab, entries, outlook } = stakesOf(cityIndex, 9, 401);
    const { hazards } = at(cities.cities, cityIndex);
    const world = kernel.view(slab);
    const drivenM = cars.map(() => 0);
    while (kernel.tick(slab) < 401 + 50 * TICKS_PER_S) {
      kernel.step(slab, 1);
      for (const car of cars)
        drivenM[car] = at(drivenM, car) + Math.abs(realOf(world, C_VX, car)) * TICK_S;
    }
    const fleet = cars.map((car) => ({ vin: `${car}` }));
    const later = outlookEntries(outlook, kernel.tick(slab), { fleet, hazards });
    expect(later.length).toBeGreaterThan(10);
    for (const { vin, feature, distance, time } of later) {
      expect(time).toBeGreaterThanOrEqual(3);
      // A car can lose its drive at any time: that is always as far on.
      if (feature === 'throttle') continue;
      const first = entries.find((entry) => entry.vin === vin && entry.feature === feature);
      const left = Math.max(0, (first?.distance ?? 0) - at(drivenM, Number(vin)));
      expect(Math.abs(distance - left), `${vin} ${feature}`).toBeLessThan(1);
    }
  }
});

test('[W38] The world itself is not touched, and the outlook is the same each time.', () => {
  const first = stakesOf(1, 12, 900);
  const again = stakesOf(1, 12, 900);
  expect(first.kernel.tick(first.slab)).toBe(900);
  expect(first.entries).toEqual(again.entries);
});
