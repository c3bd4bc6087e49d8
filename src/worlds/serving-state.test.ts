import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import type { Store } from '../store/contract.ts';
import { systemTime } from '../time.ts';
import { NodeStanding } from './serving-state.ts';

const EMPTY: Store = {
  engine: 'redis',
  get: async () => undefined,
  list: async () => [],
  commit: async () => false,
  close: async () => {},
};

test('one node serves while the lease is relied on, this one or who has taken it', () => {
  const standing = new NodeStanding('test', createLog('silent'), systemTime);
  expect([standing.mayServe(), standing.nodes]).toEqual([true, 1]);
  let untilMs = systemTime.now() + 60_000;
  standing.concern(EMPTY, () => untilMs);
  expect([standing.mayServe(), standing.nodes]).toEqual([true, 1]);
  untilMs = systemTime.now() - 1;
  expect([standing.mayServe(), standing.nodes]).toEqual([false, 0]);
  standing.lost('somebody else has the store');
  expect([standing.mayServe(), standing.nodes]).toEqual([false, 1]);
});
