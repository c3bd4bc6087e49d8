import { expect, test } from 'vitest';
import { Together } from './together.ts';

test('tasks of a turn are done together, some at once, and each gets its answer', async () => {
  const done: number[][] = [];
  const together = new Together(3, async (tasks: readonly number[]) => {
    done.push([...tasks]);
    return tasks.map((task) => task * 10);
  });
  const answers = await Promise.all([1, 2, 3, 4].map((task) => together.add(task)));
  expect([done, answers]).toEqual([
    [[1, 2, 3], [4]],
    [10, 20, 30, 40],
  ]);
  expect(await together.add(5)).toBe(50);
  expect(done.at(-1)).toEqual([5]);
});

test('those that cannot be done fail alike, and the next ones are done', async () => {
  let error: Error | undefined = new Error('the thread is gone');
  const together = new Together(2, async (tasks: readonly number[]) => {
    if (error !== undefined) throw error;
    return tasks;
  });
  const outcomes = await Promise.allSettled([1, 2].map((task) => together.add(task)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  error = undefined;
  expect(await together.add(3)).toBe(3);
});
