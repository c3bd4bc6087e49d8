import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { type Store, StoreUnavailable } from '../store/contract.ts';
import { nextTurn, TestTime } from '../testing/doubles/test-time.ts';
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

test('[R33] the partitions are tried again until they are taken, and that is logged once', async () => {
  const time = TestTime.standing();
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const state = new ServingState('test', { log, time });
  let attempts = 0;
  const commit = async () => {
    if (++attempts < 5) throw new StoreUnavailable('failed');
    return true;
  };
  state.useLease({ ...EMPTY, commit }, () => Number.POSITIVE_INFINITY);
  state.lost('somebody else has the store');
  logged.length = 0;
  state.held();
  await nextTurn();
  await time.advance(5000);
  expect(state.isServing).toBe(true);
  expect(attempts).toBeGreaterThan(5);
  const again = 'could not take the partitions; trying again';
  expect(logged).toEqual(['this node holds the lease of the store', again]);
});
