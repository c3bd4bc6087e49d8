import { expect, test } from 'vitest';
import { isMissed } from '../bench/common/figures.ts';
import { Latencies } from '../bench/common/latencies.ts';
import type { LoopResult } from '../bench/common/loops.ts';
import { judgedWorlds } from './worlds.ts';

function made(okPerS: number, failed: Record<string, number> = {}): LoopResult {
  const latency = new Latencies().summary();
  return { seconds: 1, sent: 1, ok: 1, okPerS, failed, latency, sendDelay: latency };
}

const IDLE = { cpuShare: 0.009, rssBytes: 5.9e9 };

function missedOf(found: Partial<Parameters<typeof judgedWorlds>[0]>, factor = 1): string[] {
  return judgedWorlds({ closed: made(2100), open: made(1000), idle: IDLE, ...found })
    .filter((figure) => isMissed(figure, factor))
    .map(({ name }) => name);
}

test('worlds are judged by the rate at which they are created, and by what they cost at rest', () => {
  expect(missedOf({})).toEqual([]);
  expect(missedOf({ idle: undefined })).toEqual([]);
  expect(missedOf({ closed: made(1900) })).toEqual(['worlds created']);
  expect(missedOf({ closed: made(2100, { 503: 1 }) })).toEqual(['worlds that were not created']);
  expect(missedOf({ open: made(1000, { lost: 2 }) })).toEqual(['worlds that were not created']);
  const busy = { ...IDLE, cpuShare: 0.019 };
  expect(missedOf({ idle: busy })).toEqual(['processor time of idle worlds']);
  expect(missedOf({ idle: { ...IDLE, rssBytes: 6.1e9 } })).toEqual(['memory of the server']);
});

test('the factor of the machine applies to rates and processor time, not to memory', () => {
  expect(missedOf({ closed: made(1010), idle: { ...IDLE, cpuShare: 0.019 } }, 2)).toEqual([]);
  expect(missedOf({ closed: made(990) }, 2)).toEqual(['worlds created']);
  expect(missedOf({ idle: { ...IDLE, rssBytes: 6.1e9 } }, 2)).toEqual(['memory of the server']);
});
