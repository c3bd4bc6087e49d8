import { expect, test } from 'vitest';
import { Lane } from './lane.ts';
import type { Rewind, Slices } from './rewind.ts';

/** A lane in whose slabs each slice steps ten ticks. */
function laneOf(slabCount = 1) {
  const rewinds = Array.from({ length: slabCount }, () => ({ stepped: 0, forget() {} }) as Rewind);
  const lane = new Lane(rewinds);
  const done: string[] = [];
  /** How many slices were done when each ended. */
  const ends: Record<string, number> = {};
  let sliceCount = 0;
  const add = (client: string, world: number, slices = 1) => {
    function* begin(rewind: Rewind): Slices<void> {
      for (let i = 1; i < slices; i++) {
        rewind.stepped += 10;
        yield;
      }
      done.push(`${client}${world}`);
      ends[`${client}${world}`] = sliceCount;
    }
    const stop = (ticks: number) => done.push(`${client}${world} stopped after ${ticks}`);
    lane.add({ client, world, begin, stop });
  };
  const slice = () => {
    sliceCount++;
    const running = lane.next();
    if (running?.work.next().done) lane.finish(running);
  };
  const all = () => {
    while (!lane.isEmpty) slice();
    return done.splice(0);
  };
  return { add, slice, all, lane, done, ends };
}

test('[I35] clients take turns, and so do the worlds of a client', () => {
  const { add, all } = laneOf();
  for (const world of [1, 1, 2, 3]) add('a', world);
  for (const world of [4, 4]) add('b', world);
  expect(all()).toEqual(['a1', 'b4', 'a2', 'b4', 'a3', 'a1']);
});

test('[I35] a client with very many worlds delays another by one job', () => {
  const { add, slice, all } = laneOf();
  for (let world = 0; world < 500; world++) add('hostile', world, 3);
  slice();
  add('healthy', 1000);
  expect(all().indexOf('healthy1000')).toBe(1);
});

test('in one slab a job runs to its end, whoever comes meanwhile', () => {
  const { add, slice, all } = laneOf();
  add('a', 1, 4);
  slice();
  add('b', 2);
  add('a', 3);
  expect(all()).toEqual(['a1', 'b2', 'a3']);
});

test('the jobs of a world are stopped for all its clients, and others go on', () => {
  const { add, slice, all, lane, done } = laneOf();
  add('a', 1, 4);
  add('a', 2, 3);
  add('b', 1);
  slice();
  slice();
  lane.stop(1);
  expect(done.splice(0)).toEqual(['a1 stopped after 20', 'b1 stopped after 0']);
  expect(all()).toEqual(['a2']);
});

test('[I36] a long job delays the short one of another client by the length of that one', () => {
  const { add, slice, all, ends } = laneOf(2);
  add('hostile', 1, 1000);
  add('hostile', 2, 1000);
  slice();
  add('healthy', 3, 20);
  expect(all()).toEqual(['healthy3', 'hostile1', 'hostile2']);
  expect(ends.healthy3).toBe(1 + 2 * 20);
});

test('[I36] of each client one job runs, of as many clients as there are slabs', () => {
  const { add, slice, all, lane, done } = laneOf(2);
  for (const client of ['a', 'b', 'c']) add(client, 1, 4);
  add('a', 2);
  for (let i = 0; i < 6; i++) slice();
  lane.stop(1);
  expect(done.splice(0)).toEqual([
    'a1 stopped after 30',
    'b1 stopped after 30',
    'c1 stopped after 0',
  ]);
  expect(all()).toEqual(['a2']);
  // Both slabs are free again.
  add('d', 1, 4);
  add('e', 1);
  expect(all()).toEqual(['e1', 'd1']);
});
