import { expect, test } from 'vitest';
import { KEPT_STATES_OF_WORLD_MAX } from '../limits.ts';
import { KeptStates } from './kept-states.ts';

const LIFE_TICKS = 4_000_000;
const PORTION_TICKS = 25_000;
const WORLD = {};

const stateAt = (tick: number) => ({ tick, seq: 0, bytes: new Uint8Array() });

/** One for whose world as many are kept as there may be, all over its life. */
function filled(): KeptStates {
  const kept = new KeptStates();
  for (let i = 0; i < KEPT_STATES_OF_WORLD_MAX; i++) {
    kept.keep(WORLD, stateAt(Math.round((i / KEPT_STATES_OF_WORLD_MAX) * LIFE_TICKS)));
  }
  return kept;
}

/** Goes on by a portion from the nearest state; returns where it has come to. */
function goOn(kept: KeptStates, wantedTick: number): number {
  const from = kept.nearest(WORLD, wantedTick, 0)?.tick ?? 0;
  const tick = Math.min(wantedTick, from + PORTION_TICKS);
  kept.keep(WORLD, stateAt(tick));
  return tick;
}

test.each([
  ['one moment', [2_062_988]],
  ['moments near each other', [2_062_988, 2_063_500, 2_140_000]],
  ['moments all over a life', [120_000, 1_490_000, 2_990_000, 3_990_000]],
])('[L34] whoever asks again for %s gets on each time', (_, wanted) => {
  const kept = filled();
  const reached = wanted.map((tick) => kept.nearest(WORLD, tick, 0)?.tick ?? 0);
  while (wanted.some((tick, i) => reached[i] !== tick)) {
    for (const [i, tick] of wanted.entries()) {
      const before = reached[i] ?? 0;
      reached[i] = goOn(kept, tick);
      if (before < tick) expect(reached[i]).toBeGreaterThan(before);
    }
  }
});

test('states all over a life stay, whatever one asks for', () => {
  const kept = filled();
  for (let tick = 1_000_000; tick < 1_600_000; tick += 1000) goOn(kept, tick);
  const gaps = [0.1, 0.3, 0.5, 0.7, 0.9].map((part) => {
    const tick = part * LIFE_TICKS;
    return tick - (kept.nearest(WORLD, tick, 0)?.tick ?? 0);
  });
  expect(Math.max(...gaps)).toBeLessThan(LIFE_TICKS / 4);
});

test('the latest one up to a tick is found, not before another, and none of another world', () => {
  const kept = filled();
  const step = LIFE_TICKS / KEPT_STATES_OF_WORLD_MAX;
  expect(kept.nearest(WORLD, 3.5 * step, 0)?.tick).toBe(3 * step);
  expect(kept.nearest(WORLD, 3 * step, 0)?.tick).toBe(3 * step);
  expect(kept.nearest(WORLD, 3.5 * step, 3.2 * step)).toBeUndefined();
  expect(kept.nearest({}, 3.5 * step, 0)).toBeUndefined();
  kept.forget(WORLD);
  expect(kept.nearest(WORLD, LIFE_TICKS, 0)).toBeUndefined();
});
