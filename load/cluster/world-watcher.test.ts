import { expect, test } from 'vitest';
import { OPCODE_TEXT } from '../../bench/common/frame-parser.ts';
import { digestOf } from './lived-world.ts';
import { WorldWatcher } from './world-watcher.ts';

const nobody = () => {
  throw new Error('no node is asked');
};
const snapshot = (tick: number) => Buffer.from(`{"type":"snapshot","tick":${tick},"time":0.08}`);

test('every snapshot is kept to be compared, once', () => {
  const watcher = new WorldWatcher('one', new Map(), nobody);
  watcher.message(OPCODE_TEXT, Buffer.from('{"type":"hello","tick":3}'));
  const ticks = Array.from({ length: 25 }, (_, i) => 4 * (i + 1));
  for (const tick of ticks) watcher.message(OPCODE_TEXT, snapshot(tick));
  expect(watcher.takeShown()).toEqual(
    ticks.map((tick) => ({ tick, digest: digestOf(snapshot(tick)) })),
  );
  expect(watcher.takeShown()).toEqual([]);
  expect(watcher.ticksBack).toBe(0);
});
