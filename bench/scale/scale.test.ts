import { expect, test } from 'vitest';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { readUse, useEach } from './redis-use.ts';
import { spreadOf } from './spread.ts';

const info = (seconds: number, bytes: number, calls: number) =>
  [
    '# CPU',
    `used_cpu_sys:${seconds}`,
    'used_cpu_user:2.5',
    `total_net_input_bytes:${bytes}`,
    'total_net_output_bytes:7',
    `cmdstat_evalsha:calls=${calls},usec=9`,
    'used_memory:1000',
    'used_memory_human:1K',
  ].join('\r\n');

test('what Redis has used is read from INFO, and shared among what was done', () => {
  const before = readUse(info(0.5, 100, 4));
  expect(before).toEqual({
    ...{ cpuUs: 3_000_000, inBytes: 100, outBytes: 7, scripts: 4, memoryBytes: 1000 },
  });
  expect(useEach(before, readUse(info(0.6, 300, 24)), 10)).toEqual({
    ...{ cpuUs: expect.closeTo(10_000), inBytes: 20, outBytes: 0, scripts: 2, memoryBytes: 0 },
  });
});

test('a server without scripts has called none', () => {
  expect(readUse('used_cpu_sys:1').scripts).toBe(0);
});

test.each([
  [3, 22, 16],
  [100, 1, 0],
])('%i nodes spread 64 partitions as evenly as can be', (nodes, most, moved) => {
  const dice = new Dice(1);
  const spread = spreadOf(nodes, () => dice.below(2 ** 31) / 2 ** 31);
  expect(spread.partitions).toBeCloseTo(most / (64 / nodes));
  expect(spread.joins).toBe(moved);
  expect(spread.leaves).toBe(most);
  expect(spread.even).toBeGreaterThanOrEqual(spread.partitions);
  expect(spread.skewed).toBeGreaterThan(spread.even);
});
