import { describe, expect, it } from 'vitest';
import { F_ALL, F_BRAKES, F_STEERING } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { JOURNAL_WRITE_MAX } from '../limits.ts';
import type { WorldCommand } from '../shard/protocol.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { JOURNAL_MAX, type NumberedChange } from '../twin/journal.ts';

import { WorldJournal } from './world-journal.ts';
import { WorldTicks } from './world-ticks.ts';
import { UncertainWrite } from './write-errors.ts';

interface Write {
  changes: readonly NumberedChange[];
  done(): void;
  fail(error: Error): void;
}

/** A journal whose writes a test ends by hand. */
function setUp({ seq = 0, lastTick = 0, tick = 100 } = {}) {
  const writes: Write[] = [];
  const commands: string[] = [];
  const answers: string[] = [];
  const found = Promise.withResolvers<boolean>();
  const clock = new ManualClock(tick * 20);
  const ticks = new WorldTicks(clock, 0, 0);
  const journal = new WorldJournal([], {
    world: { number: 1 },
    record: worldRecord({ maskSeq: seq, maskTick: lastTick }),
    shared: {
      isShown: () => true,
      kernel: 'k',
      time: TestTime.standing(),
      records: {
        append: (_, changes) =>
          new Promise((resolve, reject) => writes.push({ changes, done: resolve, fail: reject })),
        hasChange: () => found.promise,
      },
    },
    ticks,
    residency: {
      command: (command: WorldCommand) => {
        if (command.kind === 'hold') commands.push(`hold ${command.hold} at ${command.tick}`);
        if (command.kind === 'resolve') commands.push(`resolve ${command.hold}`);
      },
    },
  });
  /** Switches the brakes of a car; the answer is noted under its number. */
  const change = (car: number) => {
    journal.change(car, F_BRAKES, 0).then(
      (declared) => answers.push(`${car} ${declared === (F_ALL & ~F_BRAKES) ? 'ok' : declared}`),
      () => answers.push(`${car} no`),
    );
  };
  const numbers = () => writes.map(({ changes }) => changes.map((each) => each.seq));
  return { journal, clock, ticks, writes, numbers, commands, answers, change, found };
}

const turn = () => new Promise<void>((resolve) => void TestTime.standing().immediate(resolve));

describe('the journal of a world', () => {
  it('writes all of one turn together, and what comes meanwhile in the next write', async () => {
    const { journal, writes, numbers, answers, change } = setUp();
    change(1);
    change(2);
    await turn();
    change(3);
    change(4);
    await turn();
    expect(numbers()).toEqual([[1, 2]]);
    writes[0]?.done();
    await turn();
    expect(numbers()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(answers).toEqual(['1 ok', '2 ok']);
    writes[1]?.done();
    await turn();
    expect(answers).toEqual(['1 ok', '2 ok', '3 ok', '4 ok']);
    expect(journal.seq).toBe(4);
    expect(journal.isIdle).toBe(true);
  });

  it('writes many in several writes, one after the other', async () => {
    const { journal, writes, answers } = setUp();
    const COUNT = 2 * JOURNAL_WRITE_MAX + 1;
    for (let i = 0; i < COUNT; i++) {
      journal.change(1, F_BRAKES, i % 2 === 0 ? 0 : F_BRAKES).then(() => answers.push('ok'));
    }
    for (const size of [JOURNAL_WRITE_MAX, JOURNAL_WRITE_MAX, 1]) {
      await turn();
      expect(writes.at(-1)?.changes).toHaveLength(size);
      writes.at(-1)?.done();
    }
    await turn();
    expect(writes).toHaveLength(3);
    expect(answers).toHaveLength(COUNT);
    expect(writes.flatMap(({ changes }) => changes.map(({ seq }) => seq))).toEqual(
      Array.from({ length: COUNT }, (_, i) => i + 1),
    );
    expect(journal.isIdle).toBe(true);
  });

  it('does not answer a repeated change while the outcome of the first is unknown', async () => {
    const { journal, writes, answers, change, found } = setUp();
    change(1);
    await turn();
    // Refused with it, for the same car.
    journal.change(1, F_STEERING, 0).catch(() => answers.push('steering no'));
    writes[0]?.fail(new UncertainWrite());
    await turn();
    expect(answers.toSorted()).toEqual(['1 no', 'steering no']);
    change(1);
    await turn();
    expect(answers.at(-1)).toBe('1 no');
    found.resolve(true);
    await turn();
    change(1);
    await turn();
    expect(answers).toEqual([...answers.slice(0, 3), '1 ok']);
    expect(writes).toHaveLength(1);
  });

  it('holds the world before a change until that is durable', async () => {
    const { writes, commands, change } = setUp();
    change(1);
    expect(commands).toEqual(['hold 1 at 102']);
    await turn();
    expect(commands).toHaveLength(1);
    writes[0]?.done();
    await turn();
    expect(commands).toEqual(['hold 1 at 102', 'resolve 1']);
  });

  it('[R32] shows the last tick before the first hold while there is one', async () => {
    const { clock, ticks, writes, change } = setUp();
    change(1);
    expect(ticks.due()).toBe(100);
    await turn();
    clock.advance(3000);
    change(2);
    expect(ticks.due()).toBe(101);
    writes[0]?.done();
    await turn();
    expect(ticks.due()).toBe(250);
    clock.advance(1000);
    expect(ticks.due()).toBe(251);
    writes[1]?.fail(new Error('full'));
    await turn();
    expect(ticks.due()).toBe(300);
  });

  it('reads an unknown outcome back only once reads show it', async () => {
    const { ticks, clock, writes, change, commands, found } = setUp();
    const settled = Promise.withResolvers<void>();
    found.resolve(true);
    change(1);
    await turn();
    writes[0]?.fail(new UncertainWrite(settled.promise));
    await turn();
    clock.advance(1000);
    expect(commands).toEqual(['hold 1 at 102']);
    expect(ticks.due()).toBe(101);
    settled.resolve();
    await turn();
    expect(commands).toEqual(['hold 1 at 102', 'resolve 1']);
    expect(ticks.due()).toBe(150);
  });

  it('has no gap where a write failed, and declares what is durable', async () => {
    const { journal, writes, numbers, answers, commands, change } = setUp({ seq: 7 });
    change(1);
    await turn();
    change(2);
    writes[0]?.fail(new Error('full'));
    await turn();
    expect(numbers()).toEqual([[8], [8]]);
    writes[1]?.done();
    await turn();
    expect(answers).toEqual(['1 no', '2 ok']);
    expect(commands.slice(2)).toEqual(['resolve 1', 'resolve 2']);
    expect(journal.seq).toBe(8);
    expect([journal.declared(1), journal.declared(2)]).toEqual([F_ALL, F_ALL & ~F_BRAKES]);
  });

  it('applies changes behind a failed one to what is durable', async () => {
    const { journal, writes } = setUp();
    const failed = expect(journal.change(1, F_BRAKES, 0)).rejects.toThrow('full');
    await turn();
    const kept = journal.change(1, F_STEERING, 0);
    writes[0]?.fail(new Error('full'));
    await failed;
    await turn();
    writes[1]?.done();
    expect(await kept).toBe(F_ALL & ~F_STEERING);
  });

  it('does not answer a repeated change that failed by a later one that did not', async () => {
    const { journal, writes } = setUp();
    const failed = expect(journal.change(1, F_BRAKES, 0)).rejects.toThrow('full');
    await turn();
    const later = journal.change(1, F_STEERING, 0);
    const repeated = expect(journal.change(1, F_BRAKES, 0)).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    const repeatedLater = journal.change(1, F_STEERING, 0);
    writes[0]?.fail(new Error('full'));
    await failed;
    await turn();
    writes[1]?.done();
    await repeated;
    expect([await later, await repeatedLater]).toEqual([F_ALL & ~F_STEERING, F_ALL & ~F_STEERING]);
  });

  it('never gives a change an earlier tick than the one before', async () => {
    const { journal, clock, writes, commands, change } = setUp({ lastTick: 150 });
    change(1);
    clock.advance(1200);
    change(2);
    expect(commands).toEqual(['hold 1 at 150', 'hold 2 at 162']);
    await turn();
    writes[0]?.fail(new Error('failed'));
    await turn();
    expect(journal.lastTick).toBe(162);
  });

  it('[L10] is full at 65,536 changes, and says what to do', () => {
    const { journal, change } = setUp({ seq: JOURNAL_MAX - 1 });
    change(1);
    expect(() => journal.change(2, F_BRAKES, 0)).toThrow(TwinError);
    try {
      void journal.change(2, F_BRAKES, 0);
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
      expect((error as TwinError).hint).toContain('new world');
    }
  });

  it.each([true, false])(
    'keeps the holds of a write with an unknown outcome until that is read back (made: %s)',
    async (made) => {
      const { journal, writes, numbers, commands, answers, change, found } = setUp();
      change(1);
      await turn();
      change(2);
      writes[0]?.fail(new UncertainWrite());
      await turn();
      // The callers hear at once; what waited behind was never sent.
      expect(answers).toEqual(['1 no', '2 no']);
      expect(commands.slice(2)).toEqual(['resolve 2']);
      expect(() => journal.declared(1)).toThrow(UncertainWrite);
      expect(journal.declared(2)).toBe(F_ALL);
      expect(() => journal.change(3, F_BRAKES, 0)).toThrow(TwinError);

      found.resolve(made);
      await turn();
      expect(commands.slice(3)).toEqual(['resolve 1']);
      expect(journal.seq).toBe(made ? 1 : 0);
      expect(journal.declared(1)).toBe(made ? F_ALL & ~F_BRAKES : F_ALL);
      expect(journal.isIdle).toBe(true);
      change(4);
      await turn();
      expect(numbers()[1]).toEqual([made ? 2 : 1]);
    },
  );
});
