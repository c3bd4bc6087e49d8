import { expect, test } from 'vitest';
import { showsWithout, stakesOf } from '../../testing/rigs/at-stake.ts';
import { cities } from '../../testing/rigs/kernel.ts';
import { FEATURE_NAMES, type FeatureName, maskOf } from '../../twin/catalogue.ts';

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
    stakes.kernel.restore(stakes.slab, image);
    return [showsWithout(stakes, Number(entry.vin), maskOf([feature]), WITHIN_S)];
  });
}

const shareOf = (shown: readonly boolean[]) => shown.filter((one) => one).length / shown.length;

test('[W38] Something happens within a minute to the car that the outlook names first for a feature, without that feature.', () => {
  const all = FEATURE_NAMES.map((feature) => {
    const shown = shownWithout(feature);
    expect(shown.length, feature).toBeGreaterThan(3);
    expect(shareOf(shown), feature).toBeGreaterThanOrEqual(0.6);
    return shown;
  });
  expect(shareOf(all.flat())).toBeGreaterThanOrEqual(0.88);
});

test('[W38] An outlook is in order of time, and its ways and times are those of the cars.', () => {
  const { entries, outlook } = stakesOf(0, 9, 400);
  const times = entries.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(outlook.fromTick).toBe(400);
  expect(entries.length).toBeGreaterThan(40);
  for (const { distance, time, feature, consequence } of entries) {
    expect(distance).toBeGreaterThanOrEqual(0);
    // No car is faster than 80 km/h.
    expect(distance).toBeLessThan(time * 22.3 + 3);
    expect(consequence === 'stall').toBe(feature === 'throttle');
  }
});

test('[W38] The world itself is not touched, and the outlook is the same each time.', () => {
  const first = stakesOf(1, 12, 900);
  const again = stakesOf(1, 12, 900);
  expect(first.kernel.tick(first.slab)).toBe(900);
  expect(first.entries).toEqual(again.entries);
});
