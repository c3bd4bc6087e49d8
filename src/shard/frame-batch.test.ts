import { expect, test } from 'vitest';
import { snapshotOf } from '../codec/snapshot.ts';
import { BEAT_WORLDS } from '../limits.ts';
import { cities, makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { fleetOf } from '../twin/fleet.ts';
import { worldIdOf } from '../twin/ids.ts';
import { type BeatFrame, eachFrame } from './batch-frames.ts';
import { Beat } from './frame-batch.ts';
import { Resident } from './loaded-world.ts';
import type { BeatReport } from './protocol.ts';
import { worldEncoder } from './world-encoder.ts';

const WORLDS = BEAT_WORLDS + 20;
const kernel = makeKernel(4);
const [city] = cities.names;
if (city === undefined) throw new RangeError('no city');

function namesOf(world: number) {
  const vins = fleetOf(world, world).map(({ vin }) => vin);
  return { worldId: worldIdOf(world), vins, city: city as NonNullable<typeof city> };
}

const encoderOf = (world: number) => worldEncoder(world, namesOf(world).city);

/** Worlds of four slabs in turn, with a frame of each. Every third is wanted in one encoding only. */
const residents = Array.from({ length: WORLDS }, (_, i) => {
  const slab = i < 4 ? makeWorld(kernel, i) : i % 4;
  const start = { world: i + 1, stay: 1, slab, createdAtMs: 0, seq: 0, changes: [] };
  const resident = new Resident(kernel, start);
  resident.json = i % 3 !== 1;
  resident.msgpack = i % 3 !== 2;
  resident.capture();
  return resident;
});

function framesIn(report: BeatReport): Map<number, BeatFrame> {
  const frames = new Map<number, BeatFrame>();
  eachFrame(report, (world, frame) => frames.set(world, frame));
  return frames;
}

test('a beat carries the frames of as many worlds as it takes, each as it would be alone', () => {
  const encoders = new Map(residents.map((each) => [each, encoderOf(each.world)]));
  const beat = new Beat((resident) => encoders.get(resident) ?? encoderOf(0));
  for (const resident of residents) beat.add(resident);
  for (const [number, count] of [
    [1, BEAT_WORLDS],
    [2, 20],
  ] as const) {
    const report = beat.make();
    expect(report).toMatchObject({ kind: 'beat', beat: number, worlds: count });
    const frames = framesIn(report);
    expect(frames.size).toBe(count);
    for (const [world, { tick, json, msgpack, packed }] of frames) {
      const resident = residents[world - 1] as Resident;
      expect(tick).toBe(0);
      expect(packed).toEqual(resident.packed);
      const alone = encoderOf(world);
      expect(json).toEqual(resident.json ? alone.encode('json', resident.packed) : undefined);
      expect(msgpack).toEqual(
        resident.msgpack ? alone.encode('msgpack', resident.packed) : undefined,
      );
      if (json) {
        const snapshot = snapshotOf(resident.packed, namesOf(world));
        expect(JSON.parse(Buffer.from(json).toString())).toEqual(snapshot);
      }
    }
  }
  expect(beat.size).toBe(0);
});

test('beats follow each other in the same memory once it is large enough', () => {
  const encoder = encoderOf(1);
  const beat = new Beat(() => encoder);
  const memories = new Set<SharedArrayBuffer>();
  for (let i = 0; i < 10; i++) {
    for (const resident of residents.slice(0, 30)) beat.add(resident);
    memories.add(beat.make().buffer);
  }
  expect(memories.size).toBeLessThanOrEqual(2);
});
