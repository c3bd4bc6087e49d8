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
import { worldEncoder } from './world-encoder.ts';

const WORLDS = FRAME_BATCH_WORLDS + 20;
const kernel = makeKernel(4);
const [city] = cities.names;
if (city === undefined) throw new RangeError('no city');

const encoderOf = (world: number) => worldEncoder(world, namesOf(world).city);

function namesOf(world: number) {
  const vins = fleetOf(world, world).map(({ vin }) => vin);
  return { worldId: worldIdOf(world), vins, city: city as NonNullable<typeof city> };
}

/** Worlds of four slabs in turn, with a frame of each. Every third is wanted in one encoding only. */
const worlds = Array.from({ length: WORLDS }, (_, i) => {
  const slab = i < 4 ? makeWorld(kernel, i) : i % 4;
  const world = loadedWorld(kernel, { number: i + 1, slab });
  world.json = i % 3 !== 1;
  world.msgpack = i % 3 !== 2;
  world.sendsPacked = i % 4 === 1;
  world.capture();
  return world;
});

function framesIn(report: FrameBatch): Map<number, BatchFrame> {
  const frames = new Map<number, BatchFrame>();
  eachFrame(report, (world, frame) => frames.set(world, frame));
  return frames;
}

test('a batch carries the frames of as many worlds as it takes, each as it would be alone', () => {
  const batcher = new FrameBatcher();
  for (const world of worlds) batcher.add(world);
  for (const [number, count] of [
    [1, FRAME_BATCH_WORLDS],
    [2, 20],
  ] as const) {
    const batch = batcher.make();
    expect(batch).toMatchObject({ kind: 'frames', number, worlds: count });
    const frames = framesIn(batch);
    expect(frames.size).toBe(count);
    for (const [number, { tick, json, msgpack, packed }] of frames) {
      const world = worlds[number - 1] as LoadedWorld;
      expect(tick).toBe(0);
      expect(packed).toEqual(world.sendsPacked ? world.packed : undefined);
      const alone = encoderOf(number);
      expect(json).toEqual(world.json ? alone.encode('json', world.packed) : undefined);
      expect(msgpack).toEqual(world.msgpack ? alone.encode('msgpack', world.packed) : undefined);
      if (json) {
        const snapshot = snapshotOf(world.packed, namesOf(number));
        expect(JSON.parse(Buffer.from(json).toString())).toEqual(snapshot);
      }
    }
  }
  expect(batcher.size).toBe(0);
});

test('batches follow each other in the same memory once it is large enough', () => {
  const batcher = new FrameBatcher();
  const memories = new Set<SharedArrayBuffer>();
  for (let i = 0; i < 10; i++) {
    for (const world of worlds.slice(0, 30)) batcher.add(world);
    memories.add(batcher.make().buffer);
  }
  expect(memories.size).toBeLessThanOrEqual(2);
});
