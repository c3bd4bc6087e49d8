import { expect, test } from 'vitest';
import { Lane } from './lane.ts';
import type { Rewind, Slices } from './rewind.ts';

/** A lane in whose slab each slice steps ten ticks. */
function laneOf() {
  const rewind = { stepped: 0 };
  const lane = new Lane(rewind as Rewind);
  const done: string[] = [];
  const add = (client: string, world: number, slices = 1) => {
    function* work(): Slices<void> {
      for (let i = 1; i < slices; i++) {
        rewind.stepped += 10;
        yield;
      }
      done.push(`${client}${world}`);
    }
    const stop = (ticks: number) => done.push(`${client}${world} stopped after ${ticks}`);
    lane.add({ client, world, work: work(), stop });
  };
  const slice = () => {
    if (lane.next()?.work.next().done) lane.finish();
  };
  const all = () => {
    while (!lane.isEmpty) slice();
    return done.splice(0);
  };
  return { add, slice, all, lane, done };
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

test('a job runs to its end, whoever comes meanwhile', () => {
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
