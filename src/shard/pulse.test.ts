import { expect, it } from 'vitest';
import { FRAME_TICKS } from '../../assembly/layout.ts';
import { FRAME_MS } from '../limits.ts';
import { Meter } from './meter.ts';
import { type Costs, Pulse } from './pulse.ts';
import { admittedPerMille } from './shard.ts';

const FRAME_NS = 24_000;
const LIMIT_PER_MILLE = 600;
/** Worlds whose frames take the share of the thread that is admitted. */
const WORLDS = Math.floor((LIMIT_PER_MILLE / 1000) * ((FRAME_MS * 1e6) / FRAME_NS));

/** A pulse with these costs, of a thread without hot worlds unless they say otherwise. */
const COSTS: Costs = {
  ...{ hotPerMille: 0, hotCount: 0, frameNs: FRAME_NS, tickNs: 3000 },
  ...{ isKnown: true, worldsMax: Number.POSITIVE_INFINITY, latePerMille: 0 },
};

function pulseOf(costs: Partial<Costs> = {}): Pulse {
  const pulse = new Pulse();
  pulse.showCosts({ ...COSTS, ...costs });
  return pulse;
}

it('[L16] admits hot worlds up to a share of the thread, and none beyond', () => {
  const pulse = pulseOf();
  const offered = Array.from({ length: 2 * WORLDS }, (_, hotCount) =>
    pulse.admits(hotCount, LIMIT_PER_MILLE),
  );
  expect(offered.filter((isAdmitted) => isAdmitted)).toHaveLength(WORLDS);
  expect(offered.indexOf(false)).toBe(WORLDS);
});

it('[L16] admits no world while the hot ones take more than that share', () => {
  const admits = (hotPerMille: number) =>
    pulseOf({ hotPerMille, hotCount: WORLDS }).admits(WORLDS - 1, LIMIT_PER_MILLE);
  expect([LIMIT_PER_MILLE, LIMIT_PER_MILLE + 1].map(admits)).toEqual([true, false]);
});

it('[L32] counts worlds with their estimated cost until they are measured', () => {
  const pulse = pulseOf({ hotPerMille: LIMIT_PER_MILLE / 2, hotCount: WORLDS });
  const offered = Array.from({ length: WORLDS }, (_, more) =>
    pulse.admits(WORLDS + more, LIMIT_PER_MILLE),
  );
  expect(offered.indexOf(false)).toBe(Math.floor(WORLDS / 2));
});

/** Worlds that are let in of 500 a second that come for ten, where work takes so many times as long. */
function letIn(slowdown: number): number {
  const pulse = new Pulse();
  const meter = new Meter(0);
  const workMs = FRAME_NS / 1e6;
  let [worlds, turnsMs] = [0, 0];
  for (let ms = 10; ms <= 10_000; ms += 10) {
    for (let come = 0; come < 5; come++) if (pulse.admits(worlds, LIMIT_PER_MILLE)) worlds++;
    const frames = Math.min((worlds * 10) / FRAME_MS, 10 / (workMs * slowdown));
    meter.visited(frames * FRAME_TICKS, frames * workMs * slowdown);
    turnsMs += frames * workMs;
    meter.turned(frames * workMs * slowdown, turnsMs);
    meter.roll(ms);
    pulse.showCosts(meter.costs);
  }
  return worlds;
}

it('[L32] admits about half as many where the thread has a processor half of the time', () => {
  expect(letIn(1) / WORLDS).toBeCloseTo(1, 1);
  // Those that come within half a second count with the time that they take of a processor.
  expect(letIn(2) / (WORLDS / 2)).toBeGreaterThan(0.9);
  expect(letIn(2) / (WORLDS / 2)).toBeLessThan(1.2);
});

it('[L16] leaves the main thread its part where shards have too few processors', () => {
  expect(admittedPerMille(1, 2)).toBe(750);
  expect(admittedPerMille(16, 16)).toBe(750);
  expect(admittedPerMille(2, 2)).toBeCloseTo(600, 0);
  expect(admittedPerMille(8, 2)).toBeCloseTo(200, 0);
});

it('shows a cost that fits in no word as the largest', () => {
  const pulse = pulseOf({ frameNs: 2 ** 31, tickNs: 2 ** 40 });
  expect([pulse.frameNs, pulse.tickNs]).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  expect(pulse.admits(0, LIMIT_PER_MILLE)).toBe(false);
});
