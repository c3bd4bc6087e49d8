import { beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import type { Time } from '../time.ts';
import type { CopiedWorld, HandedWorld } from '../worlds/handed-world.ts';
import { ABORT, COPY, type Copied, GO, HAND, type Handed, Handover, RESERVE } from './handover.ts';

const PARTITION = 7;

function handed(number: number): HandedWorld {
  return {
    ...{ number, record: worldRecord(), due: 1, lastTouchMs: 0, trapsMs: [] },
    ...{ answeredTick: 0, paidTick: 0, frozen: null, encodings: ['json'], sentTick: null },
  };
}

/** The receiver cannot prepare this world. */
const NO_ROOM = 13;

function copied(number: number): CopiedWorld {
  const { seed, city, createdAtMs, from } = worldRecord();
  const state = { tick: 40, seq: 2, bytes: new Uint8Array(0) };
  return { number, residency: 1, encodings: [], ...state, seed, city, createdAtMs, from };
}

let time: TestTime;
/** What happened, in order, at whichever node. */
let happened: string[];
/** Who has the partition. */
let owner: string;
/** Kinds of notes that are lost on their way. */
let lost: string[];
/** What the store answers to the giver. */
let outcome: 'given' | 'kept';

/** One of two nodes. The other one is where its messages go. */
class Node {
  readonly name: string;
  peer: Node | undefined;
  mayReceive = true;
  worlds: readonly HandedWorld[] = [];
  /** What goes ahead, some worlds at a time; it fails where there is none. */
  copies: readonly (readonly number[])[] | undefined = [];
  /** Whether it knows copies: a node of an earlier release does not. */
  takesCopies = true;
  /** What it needs not hand out in full. */
  known: readonly number[] = [];
  /** How long handing out takes; it fails where it is not a number. */
  handOutMs = 0;
  /** By so much its timers fire too early, as those of Node.js do by up to 2 ms. */
  earlyMs = 0;
  #isGivenUp = () => true;
  readonly handover: Handover;

  constructor(name: string) {
    this.name = name;
    this.handover = new Handover({
      link: {
        call: async (_, kind, value) => this.#answerOf(kind, value),
        note: (_, kind, value) => this.#tell(kind, String(value)),
      },
      ranges: {
        setHidden: (_, isHidden) => this.#note(isHidden ? 'hide' : 'show'),
        leaveGiven: () => this.#note('unloads'),
        grantOf: () => undefined,
        reserve: (partition) => ({ partition, token: `${name}-1#0` }),
        give: async () => {
          if (outcome === 'given') owner = this.peer?.name ?? '';
          return outcome;
        },
        accept: async (_, takeIn) => {
          if (owner !== name) return false;
          takeIn();
          return true;
        },
        cancel: async () => this.#note('cancel'),
      },
      worlds: () => ({
        copies: () => this.#copies(),
        freeze: async () => this.#note('freeze'),
        handOut: async (_, isGivenUp, copies) => {
          this.known = [...copies.keys()];
          this.#isGivenUp = isGivenUp;
          await time.sleep(this.handOutMs);
          if (Number.isNaN(this.handOutMs)) throw new Error('a shard has no thread');
          return this.worlds;
        },
        thaw: async () => this.#note(this.#isGivenUp() ? 'thaw' : 'thaw before a freeze'),
        prepare: async (_, worlds) => {
          const numbers = worlds.map(({ number }) => number);
          this.#note(`prepares ${numbers}`);
          return numbers.filter((number) => number !== NO_ROOM);
        },
        discard: () => this.#note('discards'),
        takeIn: (_, worlds, taken) => {
          this.#note(`takes ${worlds.map(({ number }) => number)} in`);
          for (const { number } of worlds) taken(number);
        },
      }),
      relays: {
        of: () => [{ world: 1, process: 'c', encoding: 'msgpack' }],
        handed: () => {},
        expect: ({ world, process, encoding }) =>
          this.#note(`expects ${process} for ${world} as ${encoding}`),
      },
      process: name,
      mayReceive: () => this.mayReceive,
      changed: () => this.#note('tells'),
      ...{ time: this.#time(), log: createLog('silent') },
    });
  }

  async *#copies() {
    if (this.copies === undefined) throw new Error('a shard has no thread');
    for (const numbers of this.copies) yield numbers.map(copied);
  }

  #time(): Time {
    return {
      now: () => time.now(),
      wallMs: () => time.wallMs(),
      machineUpMs: () => time.machineUpMs(),
      sleep: (ms) => time.sleep(ms),
      after: (ms, task) => time.after(Math.max(0, ms - this.earlyMs), task),
      every: (ms, task) => time.every(ms, task),
      immediate: (task) => time.immediate(task),
    };
  }

  #note(what: string): void {
    happened.push(`${this.name} ${what}`);
  }

  #answerOf(kind: string, value: unknown) {
    const other = this.peer?.handover;
    if (other === undefined) throw new Error('the link is down');
    if (kind === RESERVE) return other.reserve(Number(value));
    if (kind === COPY && this.peer?.takesCopies) return other.copy(value as Copied);
    if (kind === HAND) return other.hand(value as Handed);
    throw new Error(kind);
  }

  #tell(kind: string, token: string): void {
    const other = this.peer?.handover;
    if (lost.includes(kind)) return;
    if (kind === GO) void other?.go(token);
    if (kind === ABORT) other?.abort(token);
  }
}

let a: Node;
let b: Node;

beforeEach(() => {
  time = TestTime.standing();
  happened = [];
  owner = 'a';
  lost = [];
  outcome = 'given';
  a = new Node('a');
  b = new Node('b');
  [a.peer, b.peer] = [b, a];
});

const give = () => time.advanceUntil(a.handover.give(PARTITION, 'b'));

describe('[N17] a partition that is given', () => {
  test('goes with its worlds and their watchers', async () => {
    a.worlds = Array.from({ length: 100 }, (_, i) => handed(i));
    expect(await give()).toBe(true);
    await time.advance(1);
    const numbers = a.worlds.map(({ number }) => number).join();
    const watchers = a.worlds.flatMap(({ number }) => [
      `b expects a for ${number} as json`,
      ...(number === 1 ? ['b expects c for 1 as msgpack'] : []),
    ]);
    const [frozen, taken] = [['a freeze', 'a hide'], [`b takes ${numbers} in`]];
    expect(happened.filter((each) => each !== 'a tells')).toEqual([
      ...[...frozen, ...taken, ...watchers],
      'b tells',
      'a unloads',
    ]);
    expect([a.handover.counts.given, b.handover.counts.received]).toEqual([1, 1]);
  });

  test('is prepared by copies of its worlds while they go on', async () => {
    a.worlds = [1, NO_ROOM, 2, 3].map(handed);
    a.copies = [[1, NO_ROOM], [2]];
    expect(await give()).toBe(true);
    await time.advance(1);
    expect(happened.slice(0, 4)).toEqual([
      `b prepares 1,${NO_ROOM}`,
      ...['b prepares 2', 'a freeze', 'a hide'],
    ]);
    expect(a.known).toEqual([1, 2]);
    expect(happened).toContain(`b takes 1,${NO_ROOM},2,3 in`);
  });

  test('goes without copies where they cannot be made, or to a node that takes none', async () => {
    a.copies = undefined;
    expect(await give()).toBe(true);
    [a, b] = [new Node('a'), new Node('b')];
    [a.peer, b.peer, owner] = [b, a, 'a'];
    a.copies = [[1]];
    b.takesCopies = false;
    expect(await give()).toBe(true);
    await time.advance(1);
    expect([a.known, b.handover.counts.received]).toEqual([[], 1]);
  });

  test('is accepted also if the word of it is lost', async () => {
    lost = [GO];
    expect(await give()).toBe(true);
    expect(b.handover.counts.received).toBe(0);
    await time.advance(150);
    expect(b.handover.counts.received).toBe(1);
  });

  test('stands still as long as its worlds take', async () => {
    a.handOutMs = 30;
    await give();
    await give();
    expect([a.handover.pauses.count, a.handover.pauses.sumS]).toEqual([2, 0.06]);
  });

  test('comes alone: a second one is refused meanwhile', async () => {
    lost = [GO];
    await give();
    expect(b.handover.reserve(8).value).toBeNull();
    await time.advance(150);
    expect(b.handover.reserve(8).value).not.toBeNull();
  });
});

describe('[N17] the worlds of a partition that is not given go on', () => {
  const expectKept = async () => {
    expect(await give()).toBe(false);
    expect([a.handover.counts.given, a.handover.counts.kept]).toEqual([0, 1]);
    expect(a.handover.pauses.count).toBe(1);
    await time.advance(5000);
    expect(b.handover.counts.received).toBe(0);
    const ends = ['a show', 'a thaw', 'b cancel', 'b discards'];
    expect(happened.slice(-4).toSorted()).toEqual(ends);
  };

  test('where the store has kept it', async () => {
    outcome = 'kept';
    await expectKept();
  });

  test('where a shard fails', async () => {
    a.handOutMs = Number.NaN;
    await expectKept();
  });

  test('where it takes too long', async () => {
    a.handOutMs = 60_000;
    await expectKept();
  });

  test('where it takes too long by a timer that is early', async () => {
    a.earlyMs = 1;
    a.handOutMs = 60_000;
    await expectKept();
  });

  test('where the receiver hears nothing more', async () => {
    outcome = 'kept';
    lost = [ABORT];
    await expectKept();
  });

  test('where the receiver takes none', async () => {
    b.mayReceive = false;
    expect(await give()).toBe(false);
    expect(happened).not.toContain('a freeze');
    expect(a.handover.pauses.count).toBe(0);
    expect(owner).toBe('a');
  });
});
