import { expect, test } from 'vitest';
import { OPCODE_TEXT } from '../bench/common/frame-parser.ts';
import type { WatchEvents } from '../bench/common/watch-socket.ts';
import { TestTime } from '../src/testing/doubles/test-time.ts';
import { FrameTally } from './frame-tally.ts';

const HELLO = Buffer.from('{"type":"hello","world":"0123456789","tick":8}');

/** A tally with a stream that has had its hello. */
function openStream() {
  const time = TestTime.standing();
  const tally = new FrameTally(time);
  const stream = tally.stream();
  stream.message(OPCODE_TEXT, HELLO);
  const snapshot = async (afterMs: number, tick: number, to: WatchEvents = stream) => {
    await time.advance(afterMs);
    const text = `{"type":"snapshot","world":"0123456789","tick":${tick},"time":0.08}`;
    to.message(OPCODE_TEXT, Buffer.from(text));
  };
  return { tally, stream, snapshot };
}

test('gaps and missed frames are counted from the second frame on', async () => {
  const { tally, snapshot } = openStream();
  tally.record();
  await snapshot(100, 8);
  await snapshot(80, 12);
  await snapshot(85, 16);
  await snapshot(325, 32);
  expect(tally.summary()).toMatchObject({ frames: 3, missed: 3, disordered: 0 });
  expect(tally.summary().p50Ms).toBeCloseTo(85, 0);
  expect(tally.summary().maxMs).toBeCloseTo(325, 0);
});

test('a second recording drops what the first one counted', async () => {
  const { tally, snapshot } = openStream();
  tally.record();
  for (const tick of [8, 12, 16]) await snapshot(400, tick);
  tally.record();
  await snapshot(80, 20);
  expect(tally.summary()).toMatchObject({ frames: 1, missed: 0 });
  expect(tally.summary().maxMs).toBeCloseTo(80, 0);
});

test('a stream that stands still shows as a gap, a closed one does not', async () => {
  const { tally, stream, snapshot } = openStream();
  tally.record();
  for (const tick of [8, 12]) await snapshot(80, tick);
  const other = tally.stream();
  await snapshot(20, 12, other);
  await snapshot(1480, 16, other);
  other.closed(1000);
  tally.countWaiting();
  expect(tally.summary().maxMs).toBeCloseTo(1500, 0);
  stream.closed(1000);
  tally.record();
  tally.countWaiting();
  expect(tally.summary().maxMs).toBe(0);
});

test('a tick that does not rise counts as disordered', async () => {
  const { tally, snapshot } = openStream();
  tally.record();
  for (const tick of [8, 12, 12, 8]) await snapshot(80, tick);
  expect(tally.summary()).toMatchObject({ frames: 3, disordered: 2, missed: 0 });
});

test('frames before the recording do not count', async () => {
  const { tally, snapshot } = openStream();
  await snapshot(100, 8);
  await snapshot(800, 12);
  expect(tally.summary().frames).toBe(0);
  tally.record();
  await snapshot(80, 16);
  expect(tally.summary()).toMatchObject({ frames: 1, missed: 0 });
  expect(tally.summary().maxMs).toBeCloseTo(80, 0);
});

test('streams are counted together, each with gaps of its own', async () => {
  const { tally, stream, snapshot } = openStream();
  const other = tally.stream();
  tally.record();
  await snapshot(0, 8);
  await snapshot(40, 400, other);
  await snapshot(40, 12);
  await snapshot(40, 404, other);
  stream.closed(1013);
  expect(tally.summary()).toMatchObject({ frames: 2, missed: 0, closed: { 1013: 1 } });
  expect(tally.summary().maxMs).toBeCloseTo(80, 0);
});

test('the streams with the fewest and the most frames are known, of those that are open', async () => {
  const { tally, stream, snapshot } = openStream();
  const silent = tally.stream();
  silent.message(OPCODE_TEXT, HELLO);
  const other = tally.stream();
  for (const tick of [8, 12]) await snapshot(20, tick, other);
  tally.record();
  await snapshot(40, 12);
  for (const tick of [16, 20, 24]) await snapshot(40, tick, other);
  await snapshot(40, 16);
  expect(tally.summary()).toMatchObject({ streams: 3, fewest: 0, most: 3, seconds: 0.2 });
  silent.closed(1013);
  expect(tally.summary()).toMatchObject({ streams: 2, fewest: 1, most: 3 });
  stream.closed(1013);
  other.closed(1013);
  expect(tally.summary()).toMatchObject({ streams: 0, fewest: 0, most: 0 });
});
