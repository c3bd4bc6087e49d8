import { expect, test } from 'vitest';
import { makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { loadedWorld } from '../testing/rigs/manual-shard.ts';
import { DueWorlds } from './due-worlds.ts';

const kernel = makeKernel(12);

/** Worlds 1 to 12, whose cities take turns. */
const worlds = Array.from({ length: 12 }, (_, i) =>
  loadedWorld(kernel, { number: i + 1, slab: makeWorld(kernel, i, i % 3), cityIndex: i % 3 }),
);

function takeAll(due: DueWorlds): number[] {
  const taken: number[] = [];
  for (let world = due.take(); world !== undefined; world = due.take()) taken.push(world.number);
  return taken;
}

const cityOf = (number: number) => (number - 1) % 3;

test('due worlds come city by city, in order within a city, each once', () => {
  const due = new DueWorlds();
  for (const world of [...worlds, ...worlds]) due.add(world);
  expect(due.size).toBe(12);
  const taken = takeAll(due);
  expect(due.size).toBe(0);
  expect([...taken].sort((a, b) => a - b)).toEqual(worlds.map(({ number }) => number));
  // A city is left twice, and never returned to.
  expect(
    taken.filter((number, i) => i > 0 && cityOf(number) !== cityOf(taken[i - 1] ?? 0)),
  ).toHaveLength(2);
  for (const city of [0, 1, 2]) {
    expect(taken.filter((number) => cityOf(number) === city)).toEqual(
      worlds.filter(({ cityIndex }) => cityIndex === city).map(({ number }) => number),
    );
  }
});

test('no city waits for longer than until those that were due of the others have come', () => {
  const due = new DueWorlds();
  for (const world of worlds) due.add(world);
  const seen = new Set<number>();
  // Each world is due again as soon as it was taken.
  for (let n = 0; n < 12; n++) {
    const world = due.take();
    if (world === undefined) throw new Error('all are due');
    seen.add(world.number);
    due.add(world);
  }
  expect(seen.size).toBe(12);
  expect(due.size).toBe(12);
});

test('a world that is no longer due does not come', () => {
  const due = new DueWorlds();
  for (const world of worlds) due.add(world);
  const first = due.take();
  const gone = worlds.filter((world) => world !== first && world.number % 2 === 0);
  for (const world of [...gone, ...gone]) due.delete(world);
  const taken = takeAll(due);
  expect(taken).toHaveLength(11 - gone.length);
  expect(taken.filter((number) => gone.some((world) => world.number === number))).toEqual([]);
});
