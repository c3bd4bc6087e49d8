import { expect, it } from 'vitest';
import { ADMISSION_PER_MILLE, FRAME_MS } from '../limits.ts';
import { Pulse } from './pulse.ts';

const FRAME_NS = 24_000;
/** Worlds whose frames take the share of the thread that is admitted. */
const WORLDS = Math.floor((ADMISSION_PER_MILLE / 1000) * ((FRAME_MS * 1e6) / FRAME_NS));

it('[L16] admits hot worlds up to a share of the thread, and none beyond', () => {
  const pulse = new Pulse();
  pulse.showCosts(0, FRAME_NS, 3000);
  const offered = Array.from({ length: 2 * WORLDS }, (_, hotCount) => pulse.admits(hotCount));
  expect(offered.filter((isAdmitted) => isAdmitted)).toHaveLength(WORLDS);
  expect(offered.indexOf(false)).toBe(WORLDS);
});

it('[L16] admits no world while the hot ones take more than that share', () => {
  const pulse = new Pulse();
  pulse.showCosts(ADMISSION_PER_MILLE + 1, FRAME_NS, 3000);
  expect(pulse.admits(1)).toBe(false);
  pulse.showCosts(ADMISSION_PER_MILLE, FRAME_NS, 3000);
  expect(pulse.admits(1)).toBe(true);
});

it('shows a cost that fits in no word as the largest', () => {
  const pulse = new Pulse();
  pulse.showCosts(0, 2 ** 31, 2 ** 40);
  expect([pulse.frameNs, pulse.tickNs]).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  expect(pulse.admits(0)).toBe(false);
});
