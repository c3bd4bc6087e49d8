import { expect, test } from 'vitest';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import { CallTurns } from './call-turns.ts';

const CALL_US = 1000;
/** Calls for which a turn has room. */
const ROOM = 4;

function setUp() {
  const turns = new CallTurns(TestTime.standing());
  const begun: string[] = [];
  const enter = async (address: string, us = CALL_US) => {
    await turns.enter(() => address, us);
    begun.push(address);
  };
  const enterAll = (address: string, count: number) =>
    Array.from({ length: count }, () => enter(address));
  return { begun, enter, enterAll };
}

test('[H30] a turn of the event loop has room for a few calls, and then addresses take turns', async () => {
  const { begun, enterAll } = setUp();
  const all = Promise.all([...enterAll('hostile', 10), ...enterAll('healthy', 2)]);
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toEqual(Array(ROOM).fill('hostile'));
  await nextTurn();
  expect(begun.slice(ROOM)).toEqual(['hostile', 'healthy', 'hostile', 'healthy']);
  await nextTurn();
  expect(begun.slice(2 * ROOM)).toEqual(Array(ROOM).fill('hostile'));
  await all;
});

test('[H30] a call that begins late takes room of that turn', async () => {
  const { begun, enter, enterAll } = setUp();
  await Promise.all(enterAll('a', ROOM + 2));
  expect(begun).toHaveLength(ROOM + 2);
  const more = [...enterAll('a', ROOM)];
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toHaveLength(2 * ROOM);
  await Promise.all(more);
  await Promise.all(more);
  // One that needs more than a turn has is served as well.
  await enter('b', 3 * ROOM * CALL_US);
  expect(begun.at(-1)).toBe('b');
});

test('[H30] one address can have about a thousand calls waiting, others wait beside it', async () => {
  const { enterAll } = setUp();
  const all = enterAll('hostile', ROOM + 1024);
  const [refused] = enterAll('hostile', 1);
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
  await Promise.all(enterAll('healthy', 1));
  await Promise.all(all);
});
