import { expect, test } from 'vitest';
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
