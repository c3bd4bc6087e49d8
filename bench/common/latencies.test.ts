import { expect, test } from 'vitest';
import { formatLatencies, formatMs, Latencies } from './latencies.ts';

test('percentiles of a known distribution are within three digits', () => {
  const latencies = new Latencies();
  for (let i = 1; i <= 1000; i += 1) latencies.record(i / 10);
  const summary = latencies.summary();
  expect(summary.count).toBe(1000);
  expect(summary.p50Ms).toBeCloseTo(50, 0);
  expect(summary.p90Ms).toBeCloseTo(90, 0);
  expect(summary.p99Ms).toBeCloseTo(99, 0);
  expect(summary.meanMs).toBeCloseTo(50, 0);
  expect(summary.maxMs / 100).toBeCloseTo(1, 2);
});

test('a summary without values is all zeros', () => {
  const summary = new Latencies().summary();
  expect(Object.values(summary)).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test('durations out of range count as the nearest limit', () => {
  const latencies = new Latencies();
  latencies.record(-5);
  latencies.record(3_600_000);
  const { count, p50Ms, maxMs } = latencies.summary();
  expect([count, p50Ms]).toEqual([2, 0]);
  expect(maxMs / 600_000).toBeCloseTo(1, 2);
});

test('durations are printed with the digits that matter', () => {
  expect([0.0421, 0.42, 3.16, 10.4, 1234.5].map(formatMs)).toEqual([
    '0.042 ms',
    '0.42 ms',
    '3.2 ms',
    '10 ms',
    '1235 ms',
  ]);
  const latencies = new Latencies();
  latencies.record(2);
  expect(formatLatencies(latencies.summary())).toBe('p50 2 ms, p99 2 ms, p99.9 2 ms, max 2 ms');
});
