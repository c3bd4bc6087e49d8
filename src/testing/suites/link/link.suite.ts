import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CALL_BYTES_MAX,
  CALLS_MAX,
  type LinkAnswer,
  PING_MS,
  SILENCE_MS,
} from '../../../link/contract.ts';
import { describeBreaks } from './breaks.suite.ts';
import type { LinkStage, StageNode } from './link-stage.ts';
import { type Current, failure } from './outcomes.ts';
import { describePieces } from './pieces.suite.ts';

/** What the contract of a link says, as tests that any implementation has to pass. */
export function linkSuite(name: string, open: () => LinkStage): void {
  describe(name, () => {
    let stage: LinkStage;
    let a: StageNode;
    let b: StageNode;

    beforeEach(async () => {
      stage = open();
      a = stage.node('a');
      b = stage.node('b');
      await stage.connect('a', ['b']);
      await stage.connect('b', ['a']);
      await stage.until('links', () => a.link.isUp('b') && b.link.isUp('a'));
    });
    afterEach(() => stage.close());

    const current = () => ({ stage, a, b });
    describe('calls', () => describeCalls(current));
    describe('bounds', () => describeBounds(current));
    describe('notes, messages and pings', () => describeMessages(current));
    describe('pieces', () => describePieces(current));
    describe('links that break', () => describeBreaks(current));
  });
}

const DEADLINE_MS = 1000;
const MIB = 2 ** 20;

function describeCalls(current: Current): void {
  it('are answered, with the kind and the value as they were sent', async () => {
    const { stage, a } = current();
    const value = {
      text: 'Älvsjö 🚗',
      bytes: Uint8Array.of(0, 193, 255),
      numbers: [0, -1, 1.5, 2 ** 50 + 1, -(2 ** 40), 127, 128, 65_536],
      flags: [true, false, null],
      absent: undefined,
      nested: { deep: [[{ list: [] }]], map: {} },
    };
    const { value: answer } = await stage.settled(a.link.call('b', 'echo', value, DEADLINE_MS));
    expect(answer).toStrictEqual({ kind: 'echo', value });
  });

  it('are answered in any order, both ways at once', async () => {
    const { stage, a, b } = current();
    const held: (() => void)[] = [];
    b.answer = (_, value) =>
      new Promise((resolve) => {
        held.unshift(() => resolve({ value }));
        if (held.length === 100) for (const answer of held) answer();
      });
    const calls = Array.from({ length: 100 }, (_, i) => a.link.call('b', 'k', i, DEADLINE_MS));
    const back = b.link.call('a', 'k', 'back', DEADLINE_MS);
    const answers = await stage.settled(Promise.all(calls));
    expect(answers.map(({ value }) => value)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect((await stage.settled(back)).value).toEqual({ kind: 'k', value: 'back' });
  });

  it('say what the other node threw, and that it was asked', async () => {
    const { stage, a, b } = current();
    b.answer = () => {
      throw new Error('no such world');
    };
    const failed = await failure(stage, a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(failed).toEqual({ isSent: true, isOverloaded: false, message: 'no such world' });
  });

  it('to a node without a link are not sent', async () => {
    const { stage, a } = current();
    const failed = await failure(stage, a.link.call('c', 'k', 1, DEADLINE_MS));
    expect(failed).toMatchObject({ isSent: false, isOverloaded: false });
  });

  it.each([0, -1, Number.NaN])('with %d ms left are not sent', async (deadlineMs) => {
    const { stage, a, b } = current();
    let callCount = 0;
    b.answer = (_, value) => {
      callCount += 1;
      return { value };
    };
    expect(await failure(stage, a.link.call('b', 'k', 1, deadlineMs))).toMatchObject({
      isSent: false,
    });
    await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(callCount).toBe(1);
  });

  it('end at their deadline, and a late answer is dropped', async () => {
    const { stage, a, b } = current();
    const late = Promise.withResolvers<LinkAnswer>();
    b.answer = (kind, value) => (kind === 'slow' ? late.promise : { value });
    const call = a.link.call('b', 'slow', 1, 300);
    const failed = failure(stage, call);
    await stage.time.advance(400);
    expect(await failed).toMatchObject({
      ...{ isSent: true, isOverloaded: false },
      message: 'b has not answered within 300 ms',
    });
    late.resolve({ value: 'late' });
    const next = await stage.settled(a.link.call('b', 'next', 2, DEADLINE_MS));
    expect(next.value).toBe(2);
    expect(a.link.isUp('b')).toBe(true);
  });

  it.each(['call', 'answer'])('carry a long %s, which delays no short one', async (which) => {
    const { stage, a, b } = current();
    const long = new Uint8Array(2 * MIB).fill(which.length);
    const order: string[] = [];
    b.answer = (_, value) => ({ value: value === 'give' ? long : value });
    const sent = Array.from({ length: 3 }, async () => {
      const asked = which === 'call' ? long : 'give';
      const { value } = await a.link.call('b', 'long', asked, 10_000);
      expect(Buffer.compare(value as Uint8Array, long)).toBe(0);
      order.push('long');
    });
    const short = a.link.call('b', 'short', 1, 10_000).then(() => order.push('short'));
    await stage.settled(Promise.all([...sent, short]));
    expect(order).toEqual(['short', 'long', 'long', 'long']);
  });

  it('with what MessagePack cannot carry are refused, whoever says it', async () => {
    const { stage, a, b } = current();
    for (const value of [new Date(0), { at: new Date(0) }, 2n ** 70n]) {
      await expect(a.link.call('b', 'k', value, DEADLINE_MS)).rejects.toThrow(TypeError);
    }
    b.answer = () => ({ value: new Date(0) });
    expect(await failure(stage, a.link.call('b', 'k', 1, DEADLINE_MS))).toMatchObject({
      isSent: true,
    });
    expect(a.link.isUp('b')).toBe(true);
  });
}

function describeBounds(current: Current): void {
  it('so many calls may wait', async () => {
    const { stage, a, b } = current();
    const held = Promise.withResolvers<LinkAnswer>();
    b.answer = () => held.promise;
    const calls = Array.from({ length: CALLS_MAX }, (_, i) => a.link.call('b', 'k', i, 60_000));
    const one = await failure(stage, a.link.call('b', 'k', -1, 60_000));
    expect(one).toMatchObject({ isSent: false, isOverloaded: true });
    held.resolve({ value: 'done' });
    const answers = await stage.settled(Promise.all(calls));
    expect(answers.every(({ value }) => value === 'done')).toBe(true);
    b.answer = (_, value) => ({ value });
    const next = await stage.settled(a.link.call('b', 'k', 'next', DEADLINE_MS));
    expect(next.value).toBe('next');
  });

  it('so many bytes of calls may wait', async () => {
    const { stage, a, b } = current();
    const held = Promise.withResolvers<LinkAnswer>();
    b.answer = () => held.promise;
    const value = new Uint8Array(MIB - 100);
    const count = CALL_BYTES_MAX / MIB;
    const calls = Array.from({ length: count }, () => a.link.call('b', 'k', value, 60_000));
    const one = await failure(stage, a.link.call('b', 'k', value, 60_000));
    expect(one).toMatchObject({ isSent: false, isOverloaded: true });
    held.resolve({ value: 'done' });
    expect(await stage.settled(Promise.all(calls))).toHaveLength(count);
    b.answer = (_, given) => ({ value: (given as Uint8Array).length });
    const next = await stage.settled(a.link.call('b', 'k', value, DEADLINE_MS));
    expect(next.value).toBe(value.length);
  });

  it('a longer value is refused, and a longer answer as well', async () => {
    const { stage, a, b } = current();
    const long = new Uint8Array(2 * MIB + 65_536);
    const refused = await failure(stage, a.link.call('b', 'k', long, DEADLINE_MS));
    expect(refused).toMatchObject({ isSent: false, isOverloaded: false });
    b.answer = () => ({ value: long });
    const answered = await failure(stage, a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(answered).toMatchObject({ isSent: true, isOverloaded: false });
    expect(() => b.link.clientOf('a')?.send('k', long)).toThrow(RangeError);
    expect(() => a.link.note('b', 'k', long)).toThrow(RangeError);
    expect(a.link.isUp('b')).toBe(true);
  });

  it('so many bytes of answers may wait for a node that does not read', async () => {
    const { stage, a, b } = current();
    const answer = new Uint8Array(MIB);
    b.answer = () => ({ value: answer });
    stage.clog('b', 'a');
    // More than the operating system holds.
    const calls = Array.from({ length: 40 }, () => a.link.call('b', 'k', 1, 60_000));
    const outcomes = Promise.allSettled(calls);
    await stage.time.advance(100);
    stage.unclog('b', 'a');
    const all = await stage.settled(outcomes);
    const failed = all.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(all.length);
    for (const error of failed) expect(error).toMatchObject({ isSent: true, isOverloaded: true });
  });

  it('messages are dropped while too many wait, and the sender learns when there is room', async () => {
    const { stage, a, b } = current();
    const client = b.link.clientOf('a');
    stage.clog('b', 'a');
    let sentCount = 0;
    while (client?.send('frame', FRAME) && sentCount < 10_000) sentCount += 1;
    expectBounded(current(), sentCount);
    expect(client?.send('frame', FRAME)).toBe(false);
    expect(b.heard).not.toContain('drained a');
    stage.unclog('b', 'a');
    await stage.until('room', () => b.heard.includes('drained a'));
    expect(client?.send('frame', 'last')).toBe(true);
    await stage.until('the last', () => a.heard.includes('message b frame:last'));
    expect(a.heard.filter((each) => each === 'message b frame')).toHaveLength(sentCount);
    expect(b.heard.filter((each) => each === 'drained a')).toHaveLength(1);
  });

  it('a node that does not read costs 256 KiB of messages, and another gets all of its', async () => {
    const { stage, a } = current();
    const c = stage.node('c');
    await stage.connect('c', ['b']);
    await stage.until('a link', () => c.link.isUp('b'));
    stage.clog('b', 'a');
    const counts = await sendUntilFull(current(), c);
    expectBounded(current(), counts.a);
    stage.unclog('b', 'a');
    await stage.until('all', () => a.heard.filter(isFrame).length === counts.a);
    expect(c.heard.filter(isFrame)).toHaveLength(counts.c);
  });
}

/** Of the messages for one node. */
const WAITING_BYTES_MAX = 256 * 1024;
const FRAME = new Uint8Array(16 * 1024);

/** So many messages were taken for a node that does not read: 256 KiB, and what the operating system holds. */
function expectBounded({ stage, b }: ReturnType<Current>, sentCount: number): void {
  // The last one goes beyond what may wait, by the few bytes before each.
  expect(b.link.waitingBytes()).toBeLessThan(WAITING_BYTES_MAX + 2 * FRAME.length);
  const systemBytes = sentCount * FRAME.length - WAITING_BYTES_MAX;
  expect(systemBytes).toBeGreaterThanOrEqual(0);
  expect(systemBytes).toBeLessThanOrEqual(stage.systemBytesMax);
}

/** So many rounds without room mean that the operating system takes nothing more either. */
const FULL_ROUNDS = 5;

/**
 * Sends as much as there is room for to `a`, and one message to `c`, round by round, until there is no more
 * room. Each message to `c` arrives before the next round. Returns how many messages were taken.
 */
async function sendUntilFull({ stage, b }: ReturnType<Current>, c: StageNode) {
  const counts = { a: 0, c: 0 };
  for (let fullRounds = 0; fullRounds < FULL_ROUNDS; fullRounds += 1) {
    while (b.link.clientOf('a')?.send('frame', FRAME)) {
      counts.a += 1;
      fullRounds = 0;
    }
    expect(b.link.waitingBytes()).toBeLessThan(WAITING_BYTES_MAX + 2 * FRAME.length);
    expect(b.link.clientOf('c')?.send('frame', FRAME)).toBe(true);
    counts.c += 1;
    // Comes behind the message, and soon: `a` takes `b` for dead after a while.
    await stage.settled(c.link.call('b', 'k', 1, DEADLINE_MS));
    await stage.until('the message', () => c.heard.filter(isFrame).length === counts.c);
  }
  return counts;
}

const isFrame = (event: string) => event === 'message b frame';

function describeMessages(current: Current): void {
  it('carry bytes behind their value, which the sender may change at once', async () => {
    const { stage, a, b } = current();
    const client = b.link.clientOf('a');
    const lengths = [1, 3000, 100_000, 5];
    for (const length of lengths) {
      const bytes = new Uint8Array(length).fill(length);
      expect(client?.send('frame', ['x', length], bytes)).toBe(true);
      bytes.fill(0);
    }
    await stage.until('all', () => a.heard.filter(isFrame).length === lengths.length);
    const expected = lengths.map((length) => [['x', length], new Uint8Array(length).fill(length)]);
    expect(a.values.filter((_, i) => isFrame(a.heard[i] ?? ''))).toEqual(expected);
  });

  it('arrive in order, also where some are long', async () => {
    const { stage, a, b } = current();
    const long = 'x'.repeat(300_000);
    const texts = ['1', '2', `3${long}`, '4', `5${long}`, '6'];
    const client = b.link.clientOf('a');
    for (const text of texts) {
      a.link.note('b', 'n', text);
      // 256 KiB may wait, and one more.
      await stage.until('room', () => client?.send('m', text) === true);
    }
    // Behind the last one it may be heard that there is room again.
    const isLast = (event: string) => event.endsWith(':6');
    await stage.until('all', () => [a, b].every(({ heard: all }) => all.some(isLast)));
    const heard = ({ heard: all }: StageNode, prefix: string) =>
      all.filter((each) => each.startsWith(prefix));
    expect(heard(a, 'message b m')).toEqual(texts.map((text) => `message b m:${text}`));
    expect(heard(b, 'note a n')).toEqual(texts.map((text) => `note a n:${text}`));
  });

  it('pings carry a value of each side', async () => {
    const { stage, a, b } = current();
    a.pingValue = 'epochs of a';
    b.pingValue = 'epochs of b';
    await stage.time.advance(2 * PING_MS);
    await stage.until('pings', () =>
      [a, b].every(({ heard }) => heard.some((each) => each.startsWith('ping '))),
    );
    expect(b.heard).toContain('ping a:epochs of a');
    expect(a.heard).toContain('ping b:epochs of b');
  });

  it('pings tell when their value was said, at the earliest', async () => {
    const { stage, a, b } = current();
    Object.defineProperty(b, 'pingValue', { get: () => stage.time.now() });
    const startMs = stage.time.now();
    const isLater = ({ saidMs = startMs }) => saidMs > startMs;
    await stage.time.advance(4 * PING_MS);
    await stage.until('a ping of later', () => a.pings.some(isLater));
    for (const { value, saidMs } of a.pings.filter(isLater)) {
      expect(value).toBeGreaterThanOrEqual(saidMs ?? 0);
    }
  });

  it('the round trips of pings are measured at both nodes', async () => {
    const { stage, a, b } = current();
    const counts = () => [a, b].map(({ link }) => link.roundTrips.count);
    await stage.until('round trips', () => counts().every((count) => count > 0));
    const before = counts();
    await stage.time.advance(4 * PING_MS);
    await stage.until('more of them', () => counts().every((count, i) => count > (before[i] ?? 0)));
  });

  it('pings keep a link up on which nothing else is sent', async () => {
    const { stage, a, b } = current();
    for (let passedMs = 0; passedMs < 4 * SILENCE_MS; passedMs += 50) await stage.time.advance(50);
    expect([a, b].flatMap(({ heard }) => heard)).toEqual(['up b', 'up a']);
  });

  it('a handler that throws ends neither the link nor the process', async () => {
    const { stage, a, b } = current();
    Object.defineProperty(b, 'heard', {
      get() {
        throw new Error('a fault of the handler');
      },
      configurable: true,
    });
    a.link.note('b', 'n', 'lost');
    const { value } = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(value).toEqual({ kind: 'k', value: 1 });
    Object.defineProperty(b, 'heard', { value: [] });
  });

  it('a message to a node that has gone is dropped', async () => {
    const { stage, a, b } = current();
    const client = b.link.clientOf('a');
    await stage.connect('a', []);
    await stage.until('the end', () => b.heard.includes('gone a'));
    expect(client?.send('m', 1)).toBe(false);
    expect(b.link.clientOf('a')).toBeUndefined();
    a.link.note('b', 'n', 'nobody');
    expect(a.heard).toContain('down b');
    expect(b.link.isUp('a')).toBe(true);
  });
}
