import { expect, test } from 'vitest';
import { OPCODE_TEXT } from '../bench/common/frame-parser.ts';
import { percentile, summarise, Watcher } from './watcher.ts';

const HELLO = Buffer.from('{"type":"hello","world":"0123456789","tick":8}');

function snapshot(tick: number): Buffer {
  return Buffer.from(`{"type":"snapshot","world":"0123456789","tick":${tick},"time":0.08}`);
}

/** A watcher that meets a hello, then frames of these ticks at these times. */
function watch(frames: readonly [tick: number, atMs: number][]): Watcher {
  const watcher = new Watcher(100);
  watcher.record();
  watcher.message(OPCODE_TEXT, HELLO, 0);
  for (const [tick, atMs] of frames) watcher.message(OPCODE_TEXT, snapshot(tick), atMs);
  return watcher;
}

test('gaps and missed frames are counted from the second frame on', () => {
  const watcher = watch([
    [8, 100],
    [12, 180],
    [16, 265],
    [32, 590],
  ]);
  expect([...watcher.sortedGaps()]).toEqual([800, 850, 3250]);
  expect(watcher).toMatchObject({ frames: 3, missed: 3, disordered: 0 });
});

test('a tick that does not rise counts as disordered', () => {
  expect(
    watch([
      [8, 0],
      [12, 80],
      [12, 160],
      [8, 240],
    ]).disordered,
  ).toBe(2);
});

test('frames before the recording do not count', () => {
  const watcher = new Watcher(100);
  watcher.message(OPCODE_TEXT, HELLO, 0);
  watcher.message(OPCODE_TEXT, snapshot(8), 100);
  watcher.message(OPCODE_TEXT, snapshot(12), 900);
  expect(watcher.frames).toBe(0);
  watcher.record();
  watcher.message(OPCODE_TEXT, snapshot(16), 980);
  expect([...watcher.sortedGaps()]).toEqual([800]);
});

test('frames count even when no more gaps can be kept', () => {
  const watcher = new Watcher(1);
  watcher.record();
  for (const tick of [4, 8, 12]) watcher.message(OPCODE_TEXT, snapshot(tick), tick * 20);
  expect([...watcher.sortedGaps()]).toEqual([800]);
  expect(watcher.frames).toBe(2);
});

test('percentiles are of the nearest rank', () => {
  expect([1, 50, 99, 100].map((p) => percentile([10, 20, 30], p))).toEqual([10, 20, 30, 30]);
  expect(percentile([], 50)).toBe(0);
});

test('a summary has the median and the worst watcher', () => {
  const steady = watch([
    [4, 0],
    [8, 80],
    [12, 160],
  ]);
  const poor = watch([
    [4, 0],
    [8, 80],
    [16, 400],
  ]);
  poor.closeCode = 1013;
  expect(summarise([steady, poor])).toMatchObject({
    watchers: 2,
    frames: 4,
    missed: 1,
    closed: { 1013: 1 },
    p50Ms: 80,
    maxMs: 320,
    p99OfMedianWatcherMs: 80,
    p99OfWorstWatcherMs: 320,
  });
});
