import { expect, test } from 'vitest';
import { Latencies } from '../../bench/common/latencies.ts';
import { noAchievement } from './achievement.ts';
import type { Met } from './healthy-users.ts';
import { faultsOf, type Outcome } from './verdict.ts';

const MIB = 1024 * 1024;

function latencies(maxMs: number) {
  const latency = new Latencies();
  latency.record(maxMs);
  return latency.summary();
}

function metWith(changed: Partial<Met> = {}, gapMs = 84): Met {
  const streams = {
    frames: 250,
    bytes: 1,
    missed: 0,
    disordered: 0,
    closed: {},
    ...{ seconds: 5, streams: 4, fewest: 62, most: 63 },
    p50Ms: 80,
    p99Ms: gapMs,
    maxMs: gapMs,
  };
  const [reads, changes] = [latencies(4), latencies(9)];
  return { streams, framesDue: 250, reads, changes, answered: 60, failed: {}, ...changed };
}

const UNFELT: Outcome = {
  undisturbed: metWith(),
  met: metWith(),
  machine: { gapP99Ms: 82, readP99Ms: 2 },
  rssBytes: { before: 200 * MIB, peak: 300 * MIB, after: 210 * MIB },
  achieved: { ...noAchievement(), connections: 1 },
  keepsWorlds: false,
};

test('an attack that nobody feels has no faults', () => {
  expect(faultsOf(UNFELT)).toEqual([]);
});

test('a node that keeps the worlds that it let in need not give memory back', () => {
  const rssBytes = { before: 200 * MIB, peak: 500 * MIB, after: 500 * MIB };
  expect(faultsOf({ ...UNFELT, rssBytes, keepsWorlds: true })).toEqual([]);
  expect(faultsOf({ ...UNFELT, rssBytes })).toHaveLength(1);
});

test('what took half as long again without the attack is forgiven', () => {
  const slow = { undisturbed: metWith({ reads: latencies(60) }, 110) };
  const met = metWith({ reads: latencies(85) }, 160);
  expect(faultsOf({ ...UNFELT, ...slow, met })).toEqual([]);
  expect(faultsOf({ ...UNFELT, met })).toEqual(['gap p99 160 ms', 'GET p99 85 ms']);
});

test('what takes as long at a server that does nothing is forgiven, but no request over half a second', () => {
  const met = metWith({ reads: latencies(85) }, 160);
  const machine = { gapP99Ms: 110, readP99Ms: 60 };
  expect(faultsOf({ ...UNFELT, met, machine })).toEqual([]);
  const slow = {
    met: metWith({ changes: latencies(501) }),
    machine: { ...machine, readP99Ms: 600 },
  };
  expect(faultsOf({ ...UNFELT, ...slow })).toEqual(['a request of 501 ms']);
});

test.each<[string, Partial<Outcome>]>([
  ['failed requests: 3 × 503', { met: metWith({ failed: { 503: 3 } }) }],
  ['a request of 501 ms', { met: metWith({ changes: latencies(501) }) }],
  ['100 of 250 frames', { met: metWith({ streams: { ...metWith().streams, frames: 100 } }) }],
  [
    'streams closed with 1006',
    { met: metWith({ streams: { ...metWith().streams, closed: { 1006: 2 } } }) },
  ],
  ['memory 701 MiB', { rssBytes: { ...UNFELT.rssBytes, peak: 701 * MIB } }],
  [
    'memory afterwards 221 MiB instead of 200 MiB',
    { rssBytes: { ...UNFELT.rssBytes, after: 221 * MIB } },
  ],
  ['THE NODE ENDED', { rssBytes: { ...UNFELT.rssBytes, after: undefined } }],
  ['the attack reached nothing', { achieved: noAchievement() }],
  ['the attack failed: 429', { achieved: { ...noAchievement(), connections: 1, fault: '429' } }],
])('%s', (fault, changed) => {
  expect(faultsOf({ ...UNFELT, ...changed })).toEqual([fault]);
});
