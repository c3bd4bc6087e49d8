import { expect, test } from 'vitest';
import { TestTime } from '../../src/testing/doubles/test-time.ts';
import { ReconnectingStream } from './reconnecting-stream.ts';
import type { SocketEvents } from './socket.ts';

interface Attempt extends SocketEvents {
  atMs: number;
  isOpen: boolean;
}

function setUp(random = 1, silenceMs = 10_000) {
  const time = TestTime.standing();
  const startMs = time.now();
  const attempts: Attempt[] = [];
  const state = { isGone: false, gone: 0, lost: [] as boolean[], received: [] as unknown[] };
  const stream = new ReconnectingStream({
    platform: {
      now: () => time.now(),
      after: (ms, task) => time.after(ms, task),
      random: () => random,
    },
    openSocket: (_, events) => {
      const attempt = { ...events, atMs: time.now() - startMs, isOpen: true };
      attempts.push(attempt);
      return {
        close: () => {
          attempt.isOpen = false;
        },
      };
    },
    url: () => 'ws://node.test/',
    silenceMs,
    received: (content) => state.received.push(content),
    lost: (hasHeard) => state.lost.push(hasHeard),
    isGone: async () => state.isGone,
    gone: () => {
      state.gone++;
    },
  });
  /** Closes the newest connection; says how long it takes until the next one. */
  const pauseAfter = async (code: number, ...messages: string[]) => {
    const last = attempts.at(-1);
    const before = time.now() - startMs;
    for (const message of messages) last?.received(message);
    last?.closed(code);
    const { length } = attempts;
    while (attempts.length === length) await time.advance(10);
    return (attempts.at(-1)?.atMs ?? 0) - before;
  };
  return { time, stream, attempts, state, pauseAfter };
}

test('[K8] the pauses between connections grow, up to 15 s', async () => {
  const { pauseAfter } = setUp();
  const pauses = [];
  for (let attempt = 0; attempt < 8; attempt++) pauses.push(await pauseAfter(1006));
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
});

test('[K8] the pauses are drawn at random', async () => {
  expect(await setUp(0.25).pauseAfter(1006)).toBe(125);
  expect(await setUp(0).pauseAfter(1006)).toBe(0);
});

test('[K8] after 1012 it connects at once, unless that happens again and again', async () => {
  const { time, pauseAfter } = setUp();
  await time.advance(6000);
  expect(await pauseAfter(1012, 'hello')).toBe(250);
  expect(await pauseAfter(1012, 'hello')).toBe(250);
  expect(await pauseAfter(1012, 'hello')).toBe(1000);
  await time.advance(6000);
  expect(await pauseAfter(1012, 'hello')).toBe(250);
});

test('[K8] after 1013 it connects later', async () => {
  expect(await setUp(0.5).pauseAfter(1013, 'hello')).toBe(1250);
});

test('[K8] a connection that lasted lets the pauses begin anew', async () => {
  const { time, pauseAfter } = setUp();
  for (let attempt = 0; attempt < 4; attempt++) await pauseAfter(1006);
  await time.advance(5000);
  expect(await pauseAfter(1006, 'hello')).toBe(500);
});

test('[K8] it ends once there is nothing to connect to', async () => {
  const { time, attempts, state } = setUp();
  state.isGone = true;
  attempts[0]?.closed(1006);
  await time.advance(60_000);
  expect([attempts.length, state.gone]).toEqual([1, 1]);
});

test('[K8] it asks for that only after a connection that brought nothing', async () => {
  const { state, pauseAfter } = setUp();
  state.isGone = true;
  await pauseAfter(1006, 'hello');
  expect([state.gone, state.lost]).toEqual([0, [true]]);
});

test('[K8] a connection in which nothing comes for too long is given up', async () => {
  const { time, attempts, state } = setUp();
  await time.advance(9000);
  attempts[0]?.received('hello');
  await time.advance(9000);
  expect(attempts).toHaveLength(1);
  await time.advance(2000);
  expect([attempts.length, attempts[0]?.isOpen]).toEqual([2, false]);
  attempts[0]?.received('late');
  expect(state.received).toEqual(['hello']);
});

test('[K8] a connection that brings nothing for 10 s is given up, however long a stream may be silent', async () => {
  const { time, attempts } = setUp(1, 40_000);
  await time.advance(9999);
  expect(attempts).toHaveLength(1);
  await time.advance(501);
  expect([attempts.length, attempts[0]?.isOpen]).toEqual([2, false]);
  attempts[1]?.received('hello');
  await time.advance(39_999);
  expect(attempts).toHaveLength(2);
  await time.advance(501);
  expect([attempts.length, attempts[1]?.isOpen]).toEqual([3, false]);
});

test('[K8] nothing comes after it was closed', async () => {
  const { time, stream, attempts, state } = setUp();
  stream.close();
  attempts[0]?.received('late');
  attempts[0]?.closed(1006);
  stream.restart();
  await time.advance(60_000);
  expect([attempts.length, attempts[0]?.isOpen, state.received]).toEqual([1, false, []]);
});
