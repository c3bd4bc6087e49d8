import { expect, test } from 'vitest';
import { makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { loadedWorld } from '../testing/rigs/manual-shard.ts';
import { DueWorlds } from './due-worlds.ts';
import type { LoadedWorld } from './loaded-world.ts';

const COUNT = 12;
const kernel = makeKernel(COUNT);
const slabs = Array.from({ length: COUNT }, (_, i) => makeWorld(kernel, i, i % 3));

/** Worlds 1 to 12, whose cities take turns. */
function makeWorlds(): LoadedWorld[] {
  return slabs.map((slab, i) => loadedWorld(kernel, { number: i + 1, slab, cityIndex: i % 3 }));
}

function takeAll(due: DueWorlds): number[] {
  const taken: number[] = [];
  for (let world = due.take(); world !== undefined; world = due.take()) taken.push(world.number);
  return taken;
}

const cityOf = (number: number) => (number - 1) % 3;

test('due worlds come city by city, in order within a city, each once', () => {
  const due = new DueWorlds();
  const worlds = makeWorlds();
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
  const worlds = makeWorlds();
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
  const worlds = makeWorlds();
  for (const world of worlds) due.add(world);
  const first = due.take();
  const gone = worlds.filter((world) => world !== first && world.number % 2 === 0);
  for (const world of [...gone, ...gone]) due.delete(world);
  const taken = takeAll(due);
  expect(taken).toHaveLength(11 - gone.length);
  expect(taken.filter((number) => gone.some((world) => world.number === number))).toEqual([]);
});

test('a world that is due again comes once, however often it was not due meanwhile', () => {
  const due = new DueWorlds();
  const worlds = makeWorlds();
  const [first, second] = worlds;
  if (first === undefined || second === undefined) throw new RangeError('two worlds expected');
  for (let n = 0; n < 100; n++) {
    due.add(first);
    due.add(second);
    due.delete(second);
    if (n % 2 === 0) due.add(second);
    expect(takeAll(due).toSorted()).toEqual(n % 2 === 0 ? [1, 2] : [1]);
    expect(due.size).toBe(0);
  }
});
