import { partitionOf, worldIdOf } from '../twin/ids.ts';
import { applyChange, type Change } from '../twin/journal.ts';
import type { WorldStart } from '../twin/lockstep.ts';
import type { WorldRecord } from '../worlds/records.ts';
import { changedState, firstState, shownState } from './toy-kernel.ts';
import { Violation } from './violation.ts';

export interface LedgerChange extends Change {
  /** Virtual time at which the store accepted it. */
  atMs: number;
  /** When it was acknowledged; until then answers may leave it out. */
  acknowledgedMs: number;
}

/** The time of a world under one kernel. */
interface Life {
  readonly kernel: string;
  readonly from: WorldStart;
  /** At its start, and after each of the changes since then. */
  readonly states: number[];
}

/** The changes of a world, and its lives, one after the other. */
interface History {
  readonly changes: LedgerChange[];
  /** At least one. */
  readonly lives: Life[];
}

/** How much of a world there was at a moment. */
export interface WorldSize {
  changeCount: number;
  lifeCount: number;
}

/** One world as the store has it. */
export class LedgerWorld {
  readonly number: number;
  readonly partition: number;
  readonly seed: number;
  readonly createdAtMs: number;
  isRemoved = false;
  #history: History;
  /** What the store has lost; whoever knew it may go on with it under the epoch that it had then. */
  readonly #lost: History[] = [];

  constructor(number: number, record: WorldRecord) {
    const { seed, createdAtMs } = record;
    this.number = number;
    this.partition = partitionOf(number);
    this.seed = seed;
    this.createdAtMs = createdAtMs;
    this.#history = { changes: [], lives: [lifeOf(record)] };
  }

  get changes(): readonly LedgerChange[] {
    return this.#history.changes;
  }

  get changeCount(): number {
    return this.changes.length;
  }

  get size(): WorldSize {
    return { changeCount: this.changeCount, lifeCount: this.#history.lives.length };
  }

  /** Those that were acknowledged, and all before them. */
  get acknowledgedCount(): number {
    const nowhere = Number.POSITIVE_INFINITY;
    return 1 + this.changes.findLastIndex(({ acknowledgedMs }) => acknowledgedMs < nowhere);
  }

  append(seq: number, change: LedgerChange): void {
    const where = `change ${seq} of world ${worldIdOf(this.number)}`;
    const { changes, lives } = this.#history;
    if (seq !== changes.length + 1) {
      throw new Violation('I2', `${where} follows ${changes.length} changes`);
    }
    const last = changes.at(-1);
    if (last !== undefined && change.tick < last.tick) {
      throw new Violation('I5', `${where} has tick ${change.tick}, the last one ${last.tick}`);
    }
    changes.push(change);
    const states = lives.at(-1)?.states ?? [];
    states.push(changedState(states.at(-1) ?? 0, change));
  }

  /**
   * Its record was written anew. Returns the former start of its life under this kernel, 'other' if that was
   * under another one; undefined where it does not start over.
   */
  recorded(record: WorldRecord): number | 'other' | undefined {
    const { changes, lives } = this.#history;
    const { kernel, from } = record;
    const last = lives.at(-1);
    const isSame = kernel === last?.kernel;
    if (isSame && from.tick === last?.from.tick && from.seq === last.from.seq) return undefined;
    const where = `world ${worldIdOf(this.number)} starts over at tick ${from.tick}`;
    if (from.seq !== changes.length) {
      const number = `change ${from.seq} of ${changes.length}`;
      throw new Violation('I2', `${where}, with ${number}`);
    }
    const lastTick = changes.at(-1)?.tick ?? 0;
    if (lastTick > from.tick) throw new Violation('I5', `${where}, before a change at ${lastTick}`);
    if (from.masks.join() !== this.#masks().join()) {
      throw new Violation('I5', `${where} with other features than those of its journal`);
    }
    lives.push(lifeOf(record));
    return isSame ? last.from.tick : 'other';
  }

  /** Whether it has started over after a tick, until another one. */
  hasStartedOver(afterTick: number, toTick: number): boolean {
    const starts = this.#history.lives.slice(1).map(({ from }) => from.tick);
    return starts.some((tick) => tick > afterTick && tick <= toTick);
  }

  /** The declared features of its cars. */
  #masks(): readonly number[] {
    const masks = [...(this.#history.lives[0]?.from.masks ?? [])];
    for (const change of this.changes) {
      masks[change.car] = applyChange(masks[change.car] ?? 0, change);
    }
    return masks;
  }

  /** The store has only the first of its changes and lives any more. */
  cut({ changeCount, lifeCount }: WorldSize): void {
    const { changes, lives } = this.#history;
    if (changeCount === changes.length && lifeCount === lives.length) return;
    this.#lost.push(this.#history);
    this.#history = {
      changes: changes.slice(0, changeCount),
      lives: lives.slice(0, lifeCount).map((life) => {
        const states = life.states.slice(0, changeCount - life.from.seq + 1);
        return { ...life, states };
      }),
    };
  }

  get #histories(): readonly History[] {
    return [this.#history, ...this.#lost];
  }

  /** Whether a frame is right: by what the store has or, for who knew it, by what it has lost. */
  isShownRight(tick: number, state: number): boolean {
    return this.#histories.some((each) =>
      statesAt(each, tick).some((right) => shownState(right, tick) === state),
    );
  }

  /** Whether it had this state under a kernel, after so many changes. */
  wasState(kernel: string, changeCount: number, state: number): boolean {
    const lives = this.#histories.flatMap((each) => each.lives);
    return lives.some(
      (life) => life.kernel === kernel && life.states[changeCount - life.from.seq] === state,
    );
  }

  /** The changes that the store accepted at a time or later, also those that it has lost. */
  *since(atMs: number): Generator<LedgerChange> {
    for (const { changes } of this.#histories) {
      for (let i = changes.length - 1; i >= 0; i--) {
        const change = changes[i] as LedgerChange;
        if (change.atMs < atMs) break;
        yield change;
      }
    }
  }

  /** Whether the features of a car had these values at some time since then. */
  wasDeclared({ car, touched, values }: Omit<Change, 'tick'>, sinceMs: number): boolean {
    return this.#histories.some(({ changes, lives }) => {
      let declared = lives[0]?.from.masks[car] ?? 0;
      const known = changes.findLastIndex(({ acknowledgedMs }) => acknowledgedMs < sinceMs);
      for (let i = 0; ; i++) {
        const next = changes[i];
        if (i > known && (declared & touched) === (values & touched)) return true;
        if (next === undefined) return false;
        if (next.car === car) declared = applyChange(declared, next);
      }
    });
  }
}

function lifeOf({ seed, kernel, from }: WorldRecord): Life {
  return { kernel, from, states: [firstState(seed, from.tick, from.masks, kernel)] };
}

/** The right states at a tick: two at that at which the world starts over. */
function statesAt({ changes, lives }: History, tick: number): readonly number[] {
  let count = changes.length;
  while (count > 0 && (changes[count - 1] as LedgerChange).tick > tick) count--;
  const index = lives.findLastIndex(({ from }) => from.tick <= tick);
  const life = lives[index];
  const before = life?.from.tick === tick ? lives[index - 1] : undefined;
  const states = [life, before].map((each) => each?.states[count - each.from.seq]);
  return states.filter((state) => state !== undefined);
}
