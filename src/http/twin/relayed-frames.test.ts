import { expect, test } from 'vitest';
import type { WorldFrame } from '../../twin-service.ts';
import { RelayedFrames } from './relayed-frames.ts';

function frame(number: number, tick: number): WorldFrame {
  return { world: { number }, tick, json: Uint8Array.of(tick), msgpack: undefined };
}

/** A fan-out whose deliveries end when the test says so. */
function setUp() {
  const batches: { frames: string[]; done: () => void }[] = [];
  const relayed = new RelayedFrames({
    publish: (frames, done) => {
      batches.push({ frames: frames.map(({ world, tick }) => `${world.number}:${tick}`), done });
    },
  });
  return { relayed, batches, published: () => batches.map(({ frames }) => frames) };
}

test('frames of many worlds are delivered side by side', () => {
  const { relayed, published } = setUp();
  relayed.publish([frame(1, 4), frame(2, 4), frame(3, 8)]);
  expect(published()).toEqual([['1:4'], ['2:4'], ['3:8']]);
});

test('frames of a world follow each other, and hold up no other world', () => {
  const { relayed, batches, published } = setUp();
  relayed.publish([frame(1, 4), frame(1, 8)]);
  relayed.publish([frame(2, 4), frame(1, 12)]);
  expect(published()).toEqual([['1:4'], ['2:4']]);
  batches[0]?.done();
  batches[2]?.done();
  batches[3]?.done();
  relayed.publish([frame(1, 16), frame(2, 8)]);
  expect(published().slice(2)).toEqual([['1:8'], ['1:12'], ['1:16']]);
  batches[1]?.done();
  expect(published().at(-1)).toEqual(['2:8']);
});

test('of a world that is delivered too slowly the newest frames are kept', () => {
  const { relayed, batches, published } = setUp();
  const ticks = Array.from({ length: 40 }, (_, i) => 4 * i);
  for (const tick of ticks) relayed.publish([frame(1, tick)]);
  for (let i = 0; i < batches.length; i++) batches[i]?.done();
  const kept = [0, ...ticks.slice(-16)];
  expect(published()).toEqual(kept.map((tick) => [`1:${tick}`]));
});
