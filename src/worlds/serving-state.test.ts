import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import type { Store } from '../store/contract.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { ServingState } from './serving-state.ts';

const EMPTY: Store = {
  engine: 'redis',
  get: async () => undefined,
  list: async () => [],
  commit: async () => false,
  close: async () => {},
};

test('one node serves: this one while it holds the lease, or the one that took it', () => {
  const time = TestTime.standing();
  const state = new ServingState('test', { log: createLog('silent'), time });
  expect([state.isServing, state.nodes]).toEqual([true, 1]);
  let untilMs = time.now() + 60_000;
  state.useLease(EMPTY, () => untilMs);
  expect([state.isServing, state.nodes]).toEqual([true, 1]);
  untilMs = time.now() - 1;
  expect([state.isServing, state.nodes]).toEqual([false, 0]);
  state.lost('somebody else has the store');
  expect([state.isServing, state.nodes]).toEqual([false, 1]);
});
