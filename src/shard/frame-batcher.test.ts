import { expect, test } from 'vitest';
import { snapshotOf } from '../codec/snapshot.ts';
import { FRAME_BATCH_WORLDS } from '../limits.ts';
import { cities, makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { loadedWorld } from '../testing/rigs/manual-shard.ts';
import { fleetOf } from '../twin/fleet.ts';
import { worldIdOf } from '../twin/ids.ts';
import { type BatchFrame, eachFrame } from './frame-batch.ts';
import { FrameBatcher } from './frame-batcher.ts';
import type { LoadedWorld } from './loaded-world.ts';
import type { FrameBatch } from './protocol.ts';
import { frameMemory, worldEncoder } from './world-encoder.ts';

const WORLDS = FRAME_BATCH_WORLDS + 20;
const kernel = makeKernel(4);
const [city] = cities.names;
if (city === undefined) throw new RangeError('no city');

const encoderOf = (world: number) => worldEncoder(world, namesOf(world).city);

function namesOf(world: number) {
  const vins = fleetOf(world, world).map(({ vin }) => vin);
  return { worldId: worldIdOf(world), vins, city: city as NonNullable<typeof city> };
}

/** What each has captured. */
const captured: Int32Array[] = [];
/** Worlds of four slabs in turn, with a frame of each. Every third is wanted in one encoding only. */
const worlds = Array.from({ length: WORLDS }, (_, i) => {
  const slab = i < 4 ? makeWorld(kernel, i) : i % 4;
  const world = loadedWorld(kernel, { number: i + 1, slab });
  world.json = i % 3 !== 1;
  world.msgpack = i % 3 !== 2;
  world.sendsPacked = i % 4 === 1;
  captured.push(world.capture().slice());
  return world;
});

function framesIn(report: FrameBatch): Map<number, BatchFrame> {
  const frames = new Map<number, BatchFrame>();
  eachFrame(report, (world, frame) => frames.set(world, frame));
  return frames;
}

/** A batcher whose batches are acknowledged up to number `upTo()`. */
function batcherOf(upTo: () => number): FrameBatcher {
  for (const world of worlds) world.batch = undefined;
  return new FrameBatcher((batch) => batch <= upTo(), frameMemory);
}

function addAll(batcher: FrameBatcher, some: readonly LoadedWorld[]): void {
  for (const world of some) batcher.add(world, captured[world.number - 1] as Int32Array);
}

test.each([
  ['encoded at once', 0],
  ['kept until the last batch is acknowledged', -1],
])(
  'a batch carries the frames of as many worlds as it takes, each as it would be alone: %s',
  (_, first) => {
    let acknowledged = first;
    const batcher = batcherOf(() => acknowledged);
    addAll(batcher, worlds);
    for (const [number, count] of [
      [1, FRAME_BATCH_WORLDS],
      [2, 20],
    ] as const) {
      acknowledged = number - 1;
      const batch = batcher.make();
      expect(batch).toMatchObject({ kind: 'frames', number, worlds: count });
      const frames = framesIn(batch);
      expect(frames.size).toBe(count);
      for (const [number, { tick, json, msgpack, packed }] of frames) {
        const world = worlds[number - 1] as LoadedWorld;
        const own = captured[number - 1] as Int32Array;
        expect(tick).toBe(0);
        expect(packed).toEqual(world.sendsPacked ? own : undefined);
        const alone = encoderOf(number);
        expect(json).toEqual(world.json ? alone.encode('json', own) : undefined);
        expect(msgpack).toEqual(world.msgpack ? alone.encode('msgpack', own) : undefined);
        if (json) {
          const snapshot = snapshotOf(own, namesOf(number));
          expect(JSON.parse(Buffer.from(json).toString())).toEqual(snapshot);
        }
      }
    }
    expect(batcher.size).toBe(0);
  },
);

test('a world is in a batch once: of the frames that were kept with the newest', () => {
  let acknowledged = 0;
  const batcher = batcherOf(() => acknowledged);
  const [world] = worlds;
  if (world === undefined) throw new RangeError('no world');
  const ticksIn = (batch: FrameBatch) => [...framesIn(batch).values()].map(({ tick }) => tick);
  const add = (tick: number) => {
    world.packedTick = tick;
    addAll(batcher, [world]);
  };
  for (const tick of [4, 8, 12]) add(tick);
  expect(batcher.has(world)).toBe(true);
  expect(ticksIn(batcher.make())).toEqual([4]);
  expect([batcher.has(world), batcher.size]).toEqual([true, 1]);
  add(16);
  acknowledged = 1;
  expect(ticksIn(batcher.make())).toEqual([16]);
  expect([batcher.has(world), batcher.size]).toEqual([false, 0]);
});

test('batches follow each other in the same memory once it is large enough', () => {
  const batcher = batcherOf(() => Number.POSITIVE_INFINITY);
  const memories = new Set<Uint8Array>();
  for (let i = 0; i < 10; i++) {
    addAll(batcher, worlds.slice(0, 30));
    memories.add(batcher.make().bytes);
  }
  expect(memories.size).toBeLessThanOrEqual(2);
});
