import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { TestServer } from '../../testing/doubles/test-server.ts';
import { nextTurn } from '../../testing/doubles/test-time.ts';
import { systemTime } from '../../time.ts';
import { FairTurns } from './fair-turns.ts';

test('[H24] work in pieces gets a turn of its own, and addresses take turns', async () => {
  const turns = new FairTurns(systemTime);
  const done: string[] = [];
  const work = async (key: string, name: string): Promise<void> => {
    for (let piece = 0; piece < 3; piece++) {
      await turns.next(key);
      done.push(name);
    }
  };
  const all = Promise.all([work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b')]);
  for (let turn = 1; turn <= 6; turn++) {
    await nextTurn();
    expect(done).toHaveLength(turn);
  }
  expect(done).toEqual(['a1', 'b', 'a2', 'b', 'a3', 'b']);
  await all;
  expect(done.slice(6)).toEqual(['a1', 'a2', 'a3', 'a1', 'a2', 'a3']);
});

test('[H30] small pieces are done at once while a turn has room, and nobody waits', async () => {
  const turns = new FairTurns(systemTime);
  const take = (count: number) => Array.from({ length: count }, () => turns.take(0.25));
  expect(take(6)).toEqual([true, true, true, true, false, false]);
  await nextTurn();
  const granted = turns.next('a', 0.25);
  expect(turns.waitingOf('a')).toBe(1);
  expect(take(1)).toEqual([false]);
  await granted;
  // What was done late counts as well.
  expect(take(4)).toEqual([true, true, true, false]);
});

test('[H30] a turn has room for half of what it may do at least, whatever was done before', async () => {
  const turns = new FairTurns(systemTime);
  for (let turn = 0; turn < 20; turn++) {
    for (let piece = 0; piece < 5; piece++) expect(turns.take(0.1)).toBe(true);
    await nextTurn();
  }
});

test('[H31] of more requests than a turn has room for, the others are answered in later turns', async () => {
  const site = new TestServer();
  const sockets = Array.from({ length: 1400 }, () => connect(site.port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const answers = sockets.map((socket) => once(socket, 'data'));
  // The library finds all of them at once.
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const perTurn: number[] = [];
  for (let before = 0; before < sockets.length; before = site.calls.length) {
    await nextTurn();
    perTurn.push(site.calls.length - before);
  }
  expect(perTurn.filter((count) => count > 0).length).toBeGreaterThan(1);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(1024);
  const heads = (await Promise.all(answers)).map(([data]) => String(data).slice(0, 15));
  expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 200 OK']));
  for (const socket of sockets) socket.destroy();
  site.server.end();
});
