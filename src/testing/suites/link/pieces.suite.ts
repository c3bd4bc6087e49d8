import { expect, it } from 'vitest';
import type { LinkAnswer } from '../../../link/contract.ts';
import { type Current, failure } from './outcomes.ts';

const DEADLINE_MS = 1000;
const KIB = 1024;

/** How much a producer has made, and whether it was ended. */
interface Production {
  pieces: AsyncIterable<Uint8Array>;
  madeCount: number;
  isEnded: boolean;
}

/** Pieces of increasing numbers. Fails behind the last if told so. */
function produce(count: number, bytes: number, error?: Error): Production {
  const made = { madeCount: 0, isEnded: false };
  const pieces = async function* () {
    try {
      for (let i = 0; i < count; i += 1) {
        made.madeCount += 1;
        yield new Uint8Array(bytes).fill(i);
        // As of a producer that has waited.
        yield new Uint8Array();
      }
      if (error) throw error;
    } finally {
      made.isEnded = true;
    }
  };
  return Object.assign(made, { pieces: pieces() });
}

function readerOf({ pieces }: LinkAnswer): AsyncIterator<Uint8Array> {
  if (pieces === undefined) throw new Error('the answer has no pieces');
  return pieces[Symbol.asyncIterator]();
}

async function read({ pieces }: LinkAnswer): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces ?? []) all.push(piece);
  return all;
}

export function describePieces(current: Current): void {
  it.each([
    [0, 100],
    [1, 5],
    [1000, 7],
    [40, 100 * KIB],
  ])('%i of %i bytes follow the value of an answer', async (count, bytes) => {
    const { stage, a, b } = current();
    const { pieces } = produce(count, bytes);
    b.answer = () => ({ value: { status: 200 }, pieces });
    const answer = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(answer.value).toEqual({ status: 200 });
    const whole = Buffer.concat(await stage.settled(read(answer)));
    expect(whole.length).toBe(count * bytes);
    const isRight = (byte: number, i: number) => byte === (Math.floor(i / bytes) & 0xff);
    expect(whole.every(isRight)).toBe(true);
  });

  it('may take longer than the deadline', async () => {
    const { stage, a, b } = current();
    const { pieces } = produce(3, 10);
    b.answer = () => ({ value: 1, pieces });
    const answer = await stage.settled(a.link.call('b', 'k', 1, 200));
    for (let i = 0; i < 10; i += 1) await stage.time.advance(100);
    expect(await stage.settled(read(answer))).toHaveLength(3);
  });

  it('are made only as fast as they are read', async () => {
    const { stage, a, b } = current();
    const production = produce(100, 64 * KIB);
    b.answer = () => ({ value: 1, pieces: production.pieces });
    const answer = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    await stage.until('what goes ahead', () => production.madeCount >= 4);
    b.answer = (_, value) => ({ value });
    for (let i = 0; i < 50; i += 1) await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(production.madeCount).toBeLessThan(7);
    expect(await stage.settled(read(answer))).toHaveLength(100);
    expect(production.madeCount).toBe(100);
  });

  it('end where the reader stops', async () => {
    const { stage, a, b } = current();
    const production = produce(100, 64 * KIB);
    b.answer = () => ({ value: 1, pieces: production.pieces });
    const answer = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    const reader = readerOf(answer);
    await stage.settled(reader.next());
    await reader.return?.();
    await stage.until('the end of the production', () => production.isEnded);
    expect(production.madeCount).toBeLessThan(100);
    expect(await stage.settled(reader.next())).toEqual({ done: true, value: undefined });
    expect(a.link.isUp('b')).toBe(true);
  });

  it('reject where they break off', async () => {
    const { stage, a, b } = current();
    const { pieces } = produce(2, 10, new Error('the store does not answer'));
    b.answer = () => ({ value: 1, pieces });
    const answer = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    const reader = readerOf(answer);
    const first = await stage.settled(reader.next());
    expect(first.value).toHaveLength(10);
    await stage.settled(reader.next());
    expect(await failure(stage, reader.next())).toEqual({
      ...{ isSent: true, isOverloaded: false },
      message: 'the store does not answer',
    });
    expect((await stage.settled(reader.next())).done).toBe(true);
  });

  it('reject where the link breaks, and the production ends', async () => {
    const { stage, a, b } = current();
    const production = produce(100, 64 * KIB);
    b.answer = () => ({ value: 1, pieces: production.pieces });
    const answer = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    const reader = readerOf(answer);
    await stage.settled(reader.next());
    stage.break('a', 'b');
    await stage.until('the break', () => a.heard.includes('down b'));
    const broken = read({ value: 1, pieces: { [Symbol.asyncIterator]: () => reader } });
    expect(await failure(stage, broken)).toMatchObject({ isSent: true });
    await stage.until('the end of the production', () => production.isEnded);
  });

  it('of many answers take turns', async () => {
    const { stage, a, b } = current();
    b.answer = () => ({ value: 1, pieces: produce(20, 64 * KIB).pieces });
    const calls = Array.from({ length: 4 }, () => a.link.call('b', 'k', 1, DEADLINE_MS));
    const order: number[] = [];
    const reading = calls.map(async (call, i) => {
      const reader = readerOf(await call);
      while (!(await reader.next()).done) order.push(i);
    });
    await stage.settled(Promise.all(reading));
    expect(order).toHaveLength(80);
    // None is nearly done while another has hardly begun.
    const half = order.slice(0, 40);
    for (const i of [0, 1, 2, 3]) {
      expect(half.filter((each) => each === i).length).toBeGreaterThan(3);
    }
  });

  it('of too many answers at once are refused', async () => {
    const { stage, a, b } = current();
    b.answer = () => ({ value: 1, pieces: produce(1, 64 * KIB).pieces });
    const calls = Array.from({ length: 200 }, () => a.link.call('b', 'k', 1, DEADLINE_MS));
    const outcomes = await stage.settled(Promise.allSettled(calls));
    const good = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const bad = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(good.length).toBeGreaterThanOrEqual(128);
    expect(bad.length).toBeGreaterThan(0);
    for (const error of bad) expect(error).toMatchObject({ isSent: true, isOverloaded: true });
    await stage.settled(Promise.all(good.map(read)));
    const next = await stage.settled(a.link.call('b', 'k', 1, DEADLINE_MS));
    expect(await stage.settled(read(next))).toHaveLength(1);
  });
}
