import { partitionOf, worldIdOf } from '../twin/ids.ts';
import { applyChange, type Change } from '../twin/journal.ts';
import type { WorldRecord } from '../worlds/records.ts';
import { changedState, firstState, shownState } from './toy-kernel.ts';
import { Violation } from './violation.ts';

export interface LedgerChange extends Change {
  /** Virtual time at which the store accepted it. */
  atMs: number;
  /** When it was acknowledged; until then answers may leave it out. */
  acknowledgedMs: number;
}

/** The changes of a world, and its state after each of them. */
interface History {
  changes: readonly LedgerChange[];
  /** One more than there are changes. */
  states: readonly number[];
}

/** One world as the store has it. */
export class LedgerWorld {
  readonly number: number;
  readonly partition: number;
  readonly seed: number;
  readonly createdAtMs: number;
  isRemoved = false;
  readonly #firstMasks: readonly number[];
  #changes: LedgerChange[] = [];
  #states: number[];
  /** What the store has lost; whoever knew it may go on with it under the epoch that it had then. */
  readonly #lost: History[] = [];

  constructor(number: number, { seed, createdAtMs, from }: WorldRecord) {
    this.number = number;
    this.partition = partitionOf(number);
    this.seed = seed;
    this.createdAtMs = createdAtMs;
    this.#firstMasks = from.masks;
    this.#states = [firstState(seed, from.tick, from.masks)];
  }

  get changes(): readonly LedgerChange[] {
    return this.#changes;
  }

  get changeCount(): number {
    return this.#changes.length;
  }

  /** Those that were acknowledged, and all before them. */
  get acknowledgedCount(): number {
    const nowhere = Number.POSITIVE_INFINITY;
    return 1 + this.#changes.findLastIndex(({ acknowledgedMs }) => acknowledgedMs < nowhere);
  }

  append(seq: number, change: LedgerChange): void {
    const where = `change ${seq} of world ${worldIdOf(this.number)}`;
    if (seq !== this.#changes.length + 1) {
      throw new Violation('I2', `${where} follows ${this.#changes.length} changes`);
    }
    const last = this.#changes.at(-1);
    if (last !== undefined && change.tick < last.tick) {
      throw new Violation('I5', `${where} has tick ${change.tick}, the last one ${last.tick}`);
    }
    this.#changes.push(change);
    this.#states.push(changedState(this.#states.at(-1) ?? 0, change));
  }

  /** The store has only the first of its changes any more. */
  cut(count: number): void {
    if (count === this.#changes.length) return;
    this.#lost.push({ changes: this.#changes, states: this.#states });
    this.#changes = this.#changes.slice(0, count);
    this.#states = this.#states.slice(0, count + 1);
  }

  /** Whether a frame is right: by what the store has or, for who knew it, by what it has lost. */
  isShownRight(tick: number, state: number): boolean {
    const histories = [{ changes: this.#changes, states: this.#states }, ...this.#lost];
    return histories.some((each) => shownState(stateAt(each, tick), tick) === state);
  }

  wasState(changeCount: number, state: number): boolean {
    return [this.#states, ...this.#lost.map(({ states }) => states)].some(
      (states) => states[changeCount] === state,
    );
  }

  /** The changes that the store accepted at a time or later, also those that it has lost. */
  *since(atMs: number): Generator<LedgerChange> {
    for (const changes of [this.#changes, ...this.#lost.map((lost) => lost.changes)]) {
      for (let i = changes.length - 1; i >= 0; i--) {
        const change = changes[i] as LedgerChange;
        if (change.atMs < atMs) break;
        yield change;
      }
    }
  }

  /** Whether the features of a car had these values at some time since then. */
  wasDeclared({ car, touched, values }: Omit<Change, 'tick'>, sinceMs: number): boolean {
    const histories = [this.#changes, ...this.#lost.map(({ changes }) => changes)];
    return histories.some((changes) => {
      let declared = this.#firstMasks[car] ?? 0;
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

function stateAt({ changes, states }: History, tick: number): number {
  let count = changes.length;
  while (count > 0 && (changes[count - 1] as LedgerChange).tick > tick) count--;
  return states[count] ?? 0;
}
