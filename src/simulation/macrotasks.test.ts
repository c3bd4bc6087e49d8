import { beforeEach, expect, test } from 'vitest';
import { Macrotasks } from './macrotasks.ts';

let macrotasks: Macrotasks;
let heard: string[];

beforeEach(() => {
  macrotasks = new Macrotasks();
  heard = [];
});

const say = (word: string) => () => void heard.push(`${word} ${macrotasks.nowMs}`);
const run = () => macrotasks.run(() => macrotasks.nowMs >= 100);

test('tasks run by their time, and those of one time in the order in which they came', async () => {
  const atMs = [7, 3, 9, 3, 1, 7, 3];
  for (const [i, each] of atMs.entries()) macrotasks.add(each, say(`task ${i}`));
  macrotasks.add(100, () => {});
  await run();
  expect(heard).toEqual([
    ...['task 4 1', 'task 1 3', 'task 3 3', 'task 6 3'],
    ...['task 0 7', 'task 5 7', 'task 2 9'],
  ]);
});

test('promises go on, however many follow each other, before the next task', async () => {
  macrotasks.add(1, () => {
    void (async () => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
      say('promises')();
    })();
  });
  macrotasks.add(1, say('task'));
  macrotasks.add(100, () => {});
  await run();
  expect(heard).toEqual(['promises 1', 'task 1']);
});

test('a plain task follows at once, in its turn, and the end is noticed behind it', async () => {
  macrotasks.addPlain(1, say('plain'));
  macrotasks.add(1, say('task'));
  macrotasks.addPlain(2, say('plain'));
  macrotasks.addPlain(100, say('last'));
  macrotasks.addPlain(101, say('late'));
  await run();
  expect(heard).toEqual(['plain 1', 'task 1', 'plain 2', 'last 100']);
  expect(macrotasks.count).toBe(4);
});

test('a task that is cancelled does not run, and what a task throws ends the run', async () => {
  const cancelled = macrotasks.add(1, say('cancelled'));
  cancelled.run = undefined;
  macrotasks.add(2, () => {
    throw new Error('broken');
  });
  macrotasks.add(100, say('later'));
  await expect(run()).rejects.toThrow('broken');
  expect(heard).toEqual([]);
});

test('without tasks nothing would ever happen: that is an error', async () => {
  await expect(run()).rejects.toThrow('stands still');
});
