import { describe, expect, it } from 'vitest';
import { TwinError } from '../errors.ts';
import type { NumberedChange } from '../shard/protocol.ts';
import { systemTime } from '../time.ts';
import { JOURNAL_MAX } from '../twin/journal.ts';
import { type AcceptedChange, Appends } from './appends.ts';
import { UncertainWrite } from './records.ts';

interface Write {
  changes: readonly NumberedChange[];
  done(): void;
  fail(error: Error): void;
}

/** Appends whose writes a test ends by hand. */
function setUp(seq = 0, lastTick = 0) {
  const writes: Write[] = [];
  const settled: number[][] = [];
  const appends = new Appends(systemTime, seq, lastTick, {
    append: (changes) =>
      new Promise((resolve, reject) => writes.push({ changes, done: resolve, fail: reject })),
    wasAppended: () => found.promise,
    settled: (batch) => settled.push(batch.map(({ hold }) => hold)),
  });
  const answers: string[] = [];
  const found = Promise.withResolvers<boolean>();
  const add = (hold: number, tick: number) => {
    const settle = (error: unknown) => answers.push(`${hold} ${error === undefined ? 'ok' : 'no'}`);
    const done = Promise.resolve(0);
    const change = { hold, tick, car: 0, touched: 1, values: 0, declared: 0, settle, done };
    appends.add(change satisfies AcceptedChange);
  };
  return { appends, writes, settled, answers, add, found };
}

const turn = () => new Promise(setImmediate);

describe('the journal of a world', () => {
  it('writes all of one turn together, and what comes meanwhile in the next write', async () => {
    const { appends, writes, answers, add } = setUp();
    add(1, 10);
    add(2, 10);
    await turn();
    add(3, 11);
    add(4, 11);
    await turn();
    expect(writes.map(({ changes }) => changes.map(({ seq }) => seq))).toEqual([[1, 2]]);
    expect(appends.pending.map(({ hold }) => hold)).toEqual([1, 2, 3, 4]);
    writes[0]?.done();
    await turn();
    expect(writes.map(({ changes }) => changes.map(({ seq }) => seq))).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(answers).toEqual(['1 ok', '2 ok']);
    writes[1]?.done();
    await turn();
    expect(answers).toEqual(['1 ok', '2 ok', '3 ok', '4 ok']);
    expect(appends.seq).toBe(4);
    expect(appends.idle).toBe(true);
  });

  it('has no hole where a write failed', async () => {
    const { appends, writes, answers, settled, add } = setUp(7);
    add(1, 10);
    await turn();
    add(2, 11);
    writes[0]?.fail(new Error('full'));
    await turn();
    expect(writes[1]?.changes.map(({ seq, tick }) => [seq, tick])).toEqual([[8, 11]]);
    writes[1]?.done();
    await turn();
    expect(answers).toEqual(['1 no', '2 ok']);
    expect(settled).toEqual([[1], [2]]);
    expect(appends.seq).toBe(8);
  });

  it('never gives a change an earlier tick than the one before', async () => {
    const { appends, writes, add } = setUp(0, 50);
    expect(appends.tickFor(40)).toBe(50);
    expect(appends.tickFor(60)).toBe(60);
    add(1, 70);
    expect(appends.tickFor(60)).toBe(70);
    await turn();
    writes[0]?.fail(new Error('failed'));
    await turn();
    expect(appends.tickFor(60)).toBe(70);
  });

  it('is full at 65,536 changes, and says what to do', () => {
    const { add } = setUp(JOURNAL_MAX - 1);
    add(1, 10);
    expect(() => add(2, 10)).toThrow(TwinError);
    try {
      add(2, 10);
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
      expect((error as TwinError).hint).toContain('new world');
    }
  });

  it.each([true, false])(
    'keeps the holds of a write of which nobody can tell until it is found out (made: %s)',
    async (made) => {
      const { appends, writes, settled, answers, add, found } = setUp();
      add(1, 10);
      await turn();
      add(2, 11);
      writes[0]?.fail(new UncertainWrite());
      await turn();
      // Who asked knows at once; what waited behind was never sent.
      expect(answers).toEqual(['1 no', '2 no']);
      expect(settled).toEqual([[2]]);
      expect(appends.isInDoubt(0)).toBe(true);
      expect(appends.isInDoubt(1)).toBe(false);
      expect(() => add(3, 12)).toThrow(TwinError);

      found.resolve(made);
      await turn();
      expect(settled).toEqual([[2], [1]]);
      expect(appends.seq).toBe(made ? 1 : 0);
      expect(appends.isInDoubt(0)).toBe(false);
      expect(appends.idle).toBe(true);
      add(4, 13);
      await turn();
      expect(writes[1]?.changes[0]?.seq).toBe(made ? 2 : 1);
    },
  );
});
