import { beforeEach, expect, test } from 'vitest';
import type { Encoding } from '../../codec/encoding.ts';
import { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import type { WorldFrame } from '../../twin-service.ts';
import type { StreamSocket } from '../server/server-options.ts';
import { Fanout } from './fanout.ts';
import type { Watcher } from './watcher.ts';

/** A socket that records frames, pings and its end. */
class FakeSocket implements StreamSocket {
  frames: string[] = [];
  pings: string[] = [];
  closed: { code: number; reason: string } | undefined;
  /** Bytes that the operating system has not accepted. */
  buffered = 0;
  onEnd = () => {};

  send(message: string | Uint8Array): number {
    this.frames.push(Buffer.from(message).toString());
    return this.buffered > 0 ? 0 : 1;
  }

  ping(message: string): number {
    this.pings.push(message);
    return 1;
  }

  cork(send: () => void): void {
    send();
  }

  getBufferedAmount(): number {
    return this.buffered;
  }

  end(code: number, reason: string): void {
    this.closed = { code, reason };
    this.onEnd();
  }
}

interface Reader {
  socket: FakeSocket;
  watcher: Watcher;
}

let time: TestTime;
let fanout: Fanout;
let world: FakeWorld;

beforeEach(() => {
  time = TestTime.standing();
  fanout = new Fanout(time);
  world = new FakeWorld(1, { startTick: 0 });
});

function join(tick = 0, encoding: Encoding = 'json', worldNumber = world.number): Reader {
  const socket = new FakeSocket();
  const watcher = fanout.join(worldNumber, encoding, socket, tick);
  socket.onEnd = () => fanout.leave(watcher);
  return { socket, watcher };
}

function frame(tick: number, ofWorld = world): WorldFrame {
  const bytes = (encoding: Encoding) => Buffer.from(`${encoding} ${ofWorld.number} ${tick}`);
  return { world: ofWorld, tick, json: bytes('json'), msgpack: bytes('msgpack') };
}

function publish(...frames: WorldFrame[]): Promise<void> {
  return new Promise((resolve) => fanout.publish(frames, resolve));
}

/** Publishes frames 80 ms apart after the tick `from`; the given readers answer every ping. */
async function play(count: number, from: number, answering: readonly Reader[]): Promise<number> {
  for (let i = 1; i <= count; i++) {
    await time.advance(80);
    await publish(frame(from + 4 * i));
    for (const { socket, watcher } of answering) {
      fanout.ponged(watcher, Number(socket.pings.at(-1)));
    }
    fanout.sweep();
  }
  return from + 4 * count;
}

test('each watcher gets the frames of its world in its encoding', async () => {
  const other = new FakeWorld(2, { startTick: 0 });
  const [json, msgpack, stranger] = [join(), join(0, 'msgpack'), join(0, 'json', 2)];
  await publish(frame(4), frame(4, other));
  expect(json.socket.frames).toEqual(['json 1 4']);
  expect(msgpack.socket.frames).toEqual(['msgpack 1 4']);
  expect(stranger.socket.frames).toEqual(['json 2 4']);
});

test('a frame no newer than the hello, or than the last frame, is not sent', async () => {
  const { socket } = join(8);
  for (const tick of [4, 8, 12, 12, 8, 16]) await publish(frame(tick));
  expect(socket.frames).toEqual(['json 1 12', 'json 1 16']);
});

test('a batch without watchers is done at once', () => {
  let isDone = false;
  fanout.publish([frame(4)], () => {
    isDone = true;
  });
  expect(isDone).toBe(true);
});

test('[S17] a large world does not delay a small one, and the batch is done after both', async () => {
  const small = new FakeWorld(2, { startTick: 0 });
  const crowd = Array.from({ length: 1000 }, () => join());
  const lone = join(0, 'json', 2);
  const batch = publish(frame(4), frame(4, small));
  const served = () => crowd.filter(({ socket }) => socket.frames.length === 1).length;
  expect(lone.socket.frames).toEqual(['json 2 4']);
  expect(served()).toBeLessThanOrEqual(250);
  await nextTurn();
  expect(served()).toBeLessThanOrEqual(500);
  await batch;
  expect(served()).toBe(1000);
});

test('watchers may join and leave during a batch', async () => {
  const crowd = Array.from({ length: 600 }, () => join());
  const batch = publish(frame(4));
  for (const { socket } of crowd.slice(300, 500)) socket.end(1000, '');
  const late = join(4);
  await batch;
  const frames = crowd.map(({ socket }) => socket.frames.length);
  expect(frames.slice(0, 300).every((count) => count === 1)).toBe(true);
  expect(frames.slice(300, 500).every((count) => count === 0)).toBe(true);
  expect(frames.slice(500).every((count) => count === 1)).toBe(true);
  expect(late.socket.frames).toEqual([]);
  expect(fanout.watcherCount).toBe(401);
});

test('a socket with buffered bytes misses whole frames and then gets the newest', async () => {
  const slow = join();
  const healthy = join();
  slow.socket.buffered = 100;
  await play(5, 0, [healthy]);
  expect(slow.socket.frames).toEqual(['json 1 4']);
  slow.socket.buffered = 0;
  fanout.drained(slow.watcher);
  await play(1, 20, [healthy]);
  expect(slow.socket.frames).toEqual(['json 1 4', 'json 1 24']);
  expect(healthy.socket.frames).toHaveLength(6);
  expect(fanout.framesSkipped).toBe(4);
});

test('[S14] a reader that answers pings has at most 50 unread frames', async () => {
  const slow = join();
  const healthy = join();
  fanout.ponged(slow.watcher, 0);
  await play(80, 0, [healthy]);
  expect(slow.socket.frames).toHaveLength(50);
  expect(healthy.socket.frames).toHaveLength(80);
  fanout.ponged(slow.watcher, 1);
  await play(3, 320, [healthy]);
  expect(slow.socket.frames.slice(50)).toEqual(['json 1 324']);
});

test('a reader gets a ping every 25 frames, and more often when it lags', async () => {
  const [healthy, slow] = [join(), join()];
  fanout.ponged(slow.watcher, 0);
  await play(100, 0, [healthy]);
  expect(healthy.socket.pings).toEqual(['25', '50', '75', '100']);
  expect(slow.socket.pings).toEqual(['25', '30', '35', '40', '45', '50']);
});

test('[S14] a reader that never answers a ping gets 50 frames, and is closed 15 s later', async () => {
  const silent = join();
  await play(230, 0, []);
  expect(silent.socket.frames).toHaveLength(50);
  expect(silent.socket.closed).toBeUndefined();
  await play(20, 920, []);
  expect(silent.socket.closed?.code).toBe(1013);
});

test('a pong that claims more frames than were sent is ignored', async () => {
  const liar = join();
  for (const claim of [Number.NaN, 5.5, 1e9, -3]) fanout.ponged(liar.watcher, claim);
  expect(liar.watcher.framesRead).toBe(0);
  await play(3, 0, []);
  fanout.ponged(liar.watcher, 3);
  fanout.ponged(liar.watcher, 1);
  expect(liar.watcher.framesRead).toBe(3);
});

test('[S15] a reader that reads nothing for 15 s is closed with 1013, others stay open', async () => {
  const [healthy, stalled, jammed] = [join(), join(), join()];
  await play(2, 0, [healthy, stalled, jammed]);
  jammed.socket.buffered = 1000;
  await play(185, 8, [healthy]);
  expect(jammed.socket.closed).toBeUndefined();
  await play(10, 748, [healthy]);
  expect(jammed.socket.closed?.code).toBe(1013);
  expect(stalled.socket.closed).toBeUndefined();
  await play(50, 788, [healthy]);
  expect(stalled.socket.closed?.code).toBe(1013);
  expect(healthy.socket.closed).toBeUndefined();
  expect(healthy.socket.frames).toHaveLength(247);
});

test('[S15] a reader that reads slowly is not closed', async () => {
  const [healthy, slow] = [join(), join()];
  slow.socket.buffered = 5000;
  let tick = 0;
  for (let i = 0; i < 10; i++) {
    tick = await play(125, tick, [healthy]);
    slow.socket.buffered -= 100;
    fanout.drained(slow.watcher);
  }
  expect(slow.socket.closed).toBeUndefined();
  expect(slow.socket.frames).toHaveLength(1);
});

test('[S16] a stream of a world whose frames stop is closed with 1013 after 15 s', async () => {
  const [first, second] = [join(), join(0, 'msgpack')];
  await publish(frame(4));
  await time.advance(14_999);
  fanout.sweep();
  expect(first.socket.closed).toBeUndefined();
  await time.advance(1);
  fanout.sweep();
  expect(first.socket.closed?.code).toBe(1013);
  expect(second.socket.closed?.code).toBe(1013);
  expect(fanout.watcherCount).toBe(0);
});

test('the streams of one world are ended with the given code', () => {
  const [json, msgpack, other] = [join(), join(0, 'msgpack'), join(0, 'json', 2)];
  fanout.endWorld(world.number, 1012);
  expect(json.socket.closed?.code).toBe(1012);
  expect(msgpack.socket.closed?.code).toBe(1012);
  expect(other.socket.closed).toBeUndefined();
});

test('[S18] many streams end with 1012 over two seconds, those of each world too', async () => {
  const ofWorld = [1, 2].map((number) =>
    Array.from({ length: 150 }, () => join(0, 'json', number)),
  );
  const closedOf = (crowd: Reader[]) =>
    crowd.filter(({ socket }) => socket.closed?.code === 1012).length;
  const closed = () => ofWorld.map(closedOf);
  const ending = fanout.endAll();
  expect(closed()).toEqual([2, 1]);
  await time.advance(999);
  expect(closed()).toEqual([100, 50]);
  await time.advance(1001);
  expect(closed()).toEqual([150, 150]);
  await ending;
});

test('[S18] a few streams end soon, and one at once', async () => {
  const few = Array.from({ length: 5 }, () => join());
  const ending = fanout.endAll();
  expect(few.map(({ socket }) => socket.closed?.code)).toEqual([1012, ...Array(4)]);
  await time.advance(80);
  expect(few.every(({ socket }) => socket.closed?.code === 1012)).toBe(true);
  await time.advanceUntil(ending);
});

test('frames and bytes are counted', async () => {
  join();
  join();
  await publish(frame(4));
  expect(fanout.framesSent).toBe(2);
  expect(fanout.bytesSent).toBe(2 * 'json 1 4'.length);
});
