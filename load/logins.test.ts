import { expect, test } from 'vitest';
import { isMissed } from '../bench/common/figures.ts';
import { Latencies } from '../bench/common/latencies.ts';
import { judgedFlood } from './logins.ts';

type Found = Parameters<typeof judgedFlood>[0];

function asked(p99Ms: number, failed: Record<string, number> = {}) {
  const latencies = new Latencies();
  latencies.record(p99Ms);
  const latency = latencies.summary();
  return { seconds: 20, sent: 1, ok: 1, okPerS: 1, failed, latency, sendDelay: latency };
}

const STREAMS = {
  ...{ frames: 500, bytes: 1, missed: 0, disordered: 0, closed: {} },
  ...{ seconds: 20, streams: 2, fewest: 250, most: 250 },
  ...{ p50Ms: 80, p99Ms: 90, maxMs: 100 },
};
const UNFELT: Found = {
  watchers: 2,
  before: { reads: asked(5), changes: asked(5), streams: STREAMS },
  met: { reads: asked(49), changes: asked(49), streams: STREAMS },
  flooded: { withoutRetryAfter: 0, other: {} },
  hashes: { running: 2, waiting: 64 },
};

function missedOf(found: Partial<Found>): string[] {
  return judgedFlood({ ...UNFELT, ...found })
    .filter((figure) => isMissed(figure, 3))
    .map(({ name }) => name);
}

test('a flood that costs bounded memory and delays nobody is within all bounds', () => {
  expect(missedOf({})).toEqual([]);
  expect(missedOf({ hashes: undefined })).toEqual([]);
});

test('what a flood must not do is past a bound', () => {
  const met = (changed: Partial<Found['met']>) => missedOf({ met: { ...UNFELT.met, ...changed } });
  expect(met({ reads: asked(51) })).toEqual(['reads of others, p99']);
  expect(met({ changes: asked(51) })).toEqual(['changes of others, p99']);
  expect(met({ reads: asked(5, { 503: 1 }) })).toEqual(['reads of others that failed']);
  expect(met({ changes: asked(5, { 503: 1 }) })).toEqual(['changes of others that failed']);
  expect(met({ streams: { ...STREAMS, streams: 1 } })).toEqual([
    'streams that were open to the end',
  ]);
  expect(met({ streams: { ...STREAMS, p99Ms: 140 } })).toEqual(['gap, p99']);
  expect(missedOf({ flooded: { withoutRetryAfter: 1, other: {} } })).toEqual([
    'refused without Retry-After',
  ]);
  expect(missedOf({ flooded: { withoutRetryAfter: 0, other: { 500: 1 } } })).toEqual([
    'neither verified nor refused',
  ]);
  expect(missedOf({ hashes: { running: 3, waiting: 0 } })).toEqual(['passwords hashed at once']);
  expect(missedOf({ hashes: { running: 2, waiting: 65 } })).toEqual([
    'passwords that waited at once',
  ]);
});

test('a machine on which others waited before is forgiven', () => {
  const before = { ...UNFELT.before, reads: asked(40) };
  const met = { ...UNFELT.met, reads: asked(59) };
  expect(missedOf({ before, met })).toEqual([]);
  expect(missedOf({ before, met: { ...met, reads: asked(61) } })).toHaveLength(1);
});
