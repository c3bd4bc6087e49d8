import { decode, encode } from '@msgpack/msgpack';
import { beforeEach, expect, test } from 'vitest';
import { BACKPRESSURE_BYTES_MAX } from '../../limits.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import type { LockstepMessage } from '../../twin/lockstep.ts';
import type { StreamSocket } from '../server/server-options.ts';
import { LockstepFanout, newsOf } from './lockstep-fanout.ts';
import type { LockstepWatcher } from './lockstep-watcher.ts';

const WORLD = 7;
const HASH = '0123456789abcdef';
const HELLO_BYTES = new Uint8Array([
  0x81, 0xa4, 0x74, 0x79, 0x70, 0x65, 0xa5, 0x68, 0x65, 0x6c, 0x6c, 0x6f,
]);

/** A socket that keeps what it is sent. */
class Socket implements StreamSocket {
  readonly sent: LockstepMessage[] = [];
  readonly closings: [number, string][] = [];
  /** Called at once, as uWebSockets does. */
  closed: () => void = () => {};
  unread = 0;

  send(message: string | Uint8Array): number {
    if (this.unread > BACKPRESSURE_BYTES_MAX) return 2;
    this.sent.push(decode(message as Uint8Array) as LockstepMessage);
    return this.unread > 0 ? 0 : 1;
  }

  ping(): number {
    return 1;
  }

  cork(send: () => void): void {
    send();
  }

  getBufferedAmount(): number {
    return this.unread;
  }

  end(code: number, reason: string): void {
    this.closings.push([code, reason]);
    this.closed();
  }

  /** Numbers of the changes. */
  get seqs(): number[] {
    return this.sent.flatMap((each) => (each.type === 'change' ? [each.seq] : []));
  }
}

let time: TestTime;
let fanout: LockstepFanout;
beforeEach(() => {
  time = TestTime.standing();
  fanout = new LockstepFanout(time);
});

function open(
  seq = 0,
  watcher = fanout.expect(WORLD),
): { socket: Socket; watcher: LockstepWatcher } {
  const socket = new Socket();
  socket.closed = () => fanout.leave(watcher);
  const pulse = { tick: 100, fraction: 0.5, seq, journal: HASH, watchers: 1 };
  fanout.heard(watcher, pulse);
  fanout.open(watcher, socket, { pulse, bytes: HELLO_BYTES });
  return { socket, watcher };
}

function change(seq: number, world = WORLD): void {
  const message = { type: 'change', seq, tick: 200, car: 1, touched: 1, values: 0, journal: HASH };
  fanout.tell(world, newsOf(message as LockstepMessage));
}

test('[Y2] what changes while a stream opens follows its hello, once and in order', async () => {
  const watcher = fanout.expect(WORLD);
  for (const seq of [1, 2, 3]) change(seq);
  const { socket } = open(2, watcher);
  change(4);
  await time.advance(10);
  expect(socket.sent[0]).toEqual({ type: 'hello' });
  expect(socket.seqs).toEqual([3, 4]);
});

test('a stream for which too much came while it opened begins anew', () => {
  const watcher = fanout.expect(WORLD);
  for (let seq = 1; seq <= 1001; seq++) change(seq);
  const { socket } = open(0, watcher);
  expect(socket.closings.map(([code]) => code)).toEqual([1012]);
});

test('[Y3] a new stream gets eight pulses in 8 s, which go on with the clock and the journal', async () => {
  const { socket } = open();
  await time.advance(600);
  change(1);
  await time.advance(9400);
  const pulses = socket.sent.filter((each) => each.type === 'pulse');
  expect(pulses.map(({ tick, fraction }) => tick + fraction)).toEqual([
    100.5, 105.5, 113, 125.5, 150.5, 200.5, 300.5, 500.5,
  ]);
  expect(pulses.every(({ tick }) => Number.isInteger(tick))).toBe(true);
  expect(pulses.map(({ seq }) => seq)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
});

test('[Y3] pulses tell the clock as it was when a hello was made, however late that is sent', async () => {
  const watcher = fanout.expect(WORLD);
  const socket = new Socket();
  const pulse = { tick: 100, fraction: 0.5, seq: 0, journal: HASH, watchers: 1 };
  fanout.heard(watcher, pulse);
  await time.advance(400);
  fanout.open(watcher, socket, { pulse, bytes: HELLO_BYTES });
  expect(socket.sent[1]).toMatchObject({ type: 'pulse', tick: 120, fraction: 0.5 });
});

test('[Y3] a hello that was overtaken by a change or is late sets no pulse back', async () => {
  const watcher = fanout.expect(WORLD);
  open();
  await time.advance(400);
  change(1);
  fanout.heard(watcher, {
    tick: 90,
    fraction: 0,
    seq: 0,
    journal: 'feedfeedfeedfeed',
    watchers: 2,
  });
  const socket = new Socket();
  const pulse = { tick: 90, fraction: 0, seq: 0, journal: HASH, watchers: 2 };
  fanout.open(watcher, socket, { pulse, bytes: HELLO_BYTES });
  const first = socket.sent.find(({ type }) => type === 'pulse');
  expect(first).toMatchObject({ tick: 120, fraction: 0.5, seq: 1, journal: HASH, watchers: 2 });
});

test('a stream that has closed gets nothing more', async () => {
  const { socket, watcher } = open();
  fanout.leave(watcher);
  const count = socket.sent.length;
  change(1);
  await time.advance(20_000);
  expect([socket.sent.length, fanout.watcherCount]).toEqual([count, 0]);
});

test('[Y8] many watchers of a world get all messages in order, and delay no other world', async () => {
  const many = Array.from({ length: 1000 }, () => open().socket);
  const other = new Socket();
  const watcher = fanout.expect(WORLD + 1);
  const pulse = { tick: 0, fraction: 0, seq: 0, journal: HASH, watchers: 1 };
  fanout.open(watcher, other, { pulse, bytes: HELLO_BYTES });
  for (let seq = 1; seq <= 5; seq++) change(seq);
  change(1, WORLD + 1);
  // At most a turn of the others, in a time that stands still.
  await time.advance(0);
  expect(other.seqs).toEqual([1]);
  await time.advance(100);
  for (const socket of many) expect(socket.seqs).toEqual([1, 2, 3, 4, 5]);
});

test('[Y8] a reader that leaves 64 KiB unread is closed, and one that reads nothing for 15 s', async () => {
  const [full, silent, slow] = [open(), open(), open()];
  full.socket.unread = 100_000;
  silent.socket.unread = 10;
  slow.socket.unread = 10;
  change(1);
  await time.advance(10_000);
  slow.socket.unread = 0;
  fanout.drained(slow.watcher);
  await time.advance(6000);
  fanout.sweep();
  const codes = [full, silent, slow].map(({ socket }) => socket.closings.map(([code]) => code));
  expect(codes[0]).toContain(1013);
  expect(codes.slice(1)).toEqual([[1013], []]);
});

test('[Y8] what comes while a reader takes a long hello follows it, in order', async () => {
  const watcher = fanout.expect(WORLD);
  const socket = new Socket();
  const pulse = { tick: 100, fraction: 0, seq: 0, journal: HASH, watchers: 1 };
  const bytes = encode({ type: 'hello', changes: 'x'.repeat(300_000) });
  fanout.heard(watcher, pulse);
  fanout.open(watcher, socket, { pulse, bytes });
  socket.unread = bytes.length;
  for (const seq of [1, 2]) change(seq);
  await time.advance(10);
  socket.unread = 100_000;
  fanout.drained(watcher);
  expect(socket.seqs).toEqual([]);
  socket.unread = 1000;
  fanout.drained(watcher);
  change(3);
  await time.advance(10);
  expect(socket.seqs).toEqual([1, 2, 3]);
  expect(socket.closings).toEqual([]);
});

test.each([1012, 1013] as const)('the end of a world closes its streams with %i', (code) => {
  const { socket } = open();
  const opening = fanout.expect(WORLD);
  fanout.endWorld(WORLD, code);
  expect(socket.closings.map(([each]) => each)).toEqual([code]);
  const { socket: later } = open(0, opening);
  expect(later.closings.map(([each]) => each)).toEqual([code]);
  expect([later.sent, fanout.watcherCount]).toEqual([[], 0]);
});

test('[Y8] a reader that is closed as it does not read is looked at no more', async () => {
  const { socket, watcher } = open();
  socket.unread = 10;
  change(1);
  socket.unread = 100_000;
  change(2);
  expect(socket.closings.map(([code]) => code)).toEqual([1013]);
  let looks = 0;
  Object.defineProperty(watcher, 'blockedMs', { get: () => ++looks });
  await time.advance(20_000);
  fanout.sweep();
  expect(looks).toBe(0);
});

test('[S18] when the node stops all streams are closed with 1012', async () => {
  const sockets = Array.from({ length: 150 }, () => open().socket);
  await time.advanceUntil(fanout.endAll());
  expect(sockets.flatMap(({ closings }) => closings.map(([code]) => code))).toEqual(
    new Array(150).fill(1012),
  );
});

test('[Y10] the hash of a state is told once, and not again with the pulses for those who join', async () => {
  const { socket } = open();
  const hash = { tick: 96, hash: HASH };
  const pulse = { tick: 100, fraction: 0.25, seq: 0, journal: HASH, watchers: 1 };
  const news = newsOf({ type: 'pulse', ...pulse, hash });
  expect(news.pulse).toEqual(pulse);
  fanout.tell(WORLD, news);
  const { socket: later } = open();
  await time.advance(10_000);
  const hashes = (sent: readonly LockstepMessage[]) =>
    sent.flatMap((message) => (message.type === 'pulse' && message.hash ? [message.hash] : []));
  expect(hashes(socket.sent)).toEqual([hash]);
  expect(later.sent.length).toBeGreaterThan(8);
  expect(hashes(later.sent)).toEqual([]);
});
