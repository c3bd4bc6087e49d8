import { expect, it } from 'vitest';
import { FRAME_MS } from '../limits.ts';
import { Pulse } from './pulse.ts';
import { admittedPerMille } from './shard.ts';

const FRAME_NS = 24_000;
const LIMIT_PER_MILLE = 600;
/** Worlds whose frames take the share of the thread that is admitted. */
const WORLDS = Math.floor((LIMIT_PER_MILLE / 1000) * ((FRAME_MS * 1e6) / FRAME_NS));

it('[L16] admits hot worlds up to a share of the thread, and none beyond', () => {
  const pulse = new Pulse();
  pulse.showCosts(0, FRAME_NS, 3000);
  const offered = Array.from({ length: 2 * WORLDS }, (_, hotCount) =>
    pulse.admits(hotCount, LIMIT_PER_MILLE),
  );
  expect(offered.filter((isAdmitted) => isAdmitted)).toHaveLength(WORLDS);
  expect(offered.indexOf(false)).toBe(WORLDS);
});

it('[L16] admits no world while the hot ones take more than that share', () => {
  const pulse = new Pulse();
  pulse.showCosts(LIMIT_PER_MILLE + 1, FRAME_NS, 3000);
  expect(pulse.admits(1, LIMIT_PER_MILLE)).toBe(false);
  pulse.showCosts(LIMIT_PER_MILLE, FRAME_NS, 3000);
  expect(pulse.admits(1, LIMIT_PER_MILLE)).toBe(true);
});

it('[L16] leaves the main thread its part where shards have too few processors', () => {
  expect(admittedPerMille(1, 2)).toBe(600);
  expect(admittedPerMille(16, 16)).toBe(600);
  expect(admittedPerMille(2, 2)).toBeCloseTo(533, 0);
  expect(admittedPerMille(8, 2)).toBeCloseTo(178, 0);
});

it('shows a cost that fits in no word as the largest', () => {
  const pulse = new Pulse();
  pulse.showCosts(0, 2 ** 31, 2 ** 40);
  expect([pulse.frameNs, pulse.tickNs]).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  expect(pulse.admits(0, LIMIT_PER_MILLE)).toBe(false);
});
