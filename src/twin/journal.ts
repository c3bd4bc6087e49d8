import { featureBit, namesOf } from './catalogue.ts';
import type { JournalEntry } from './wire.ts';

/** An accepted change: from `tick` on, the features in `touched` have their bits in `values`. */
export interface Change {
  tick: number;
  /** Index in the fleet. */
  car: number;
  /** Feature mask. */
  touched: number;
  /** Feature mask, within `touched`. */
  values: number;
}

export interface NumberedChange extends Change {
  /** Number in the journal, from 1. */
  seq: number;
}

/** Number of changes that a world takes. */
export const JOURNAL_MAX = 65_536;

const CHANGE_INTS = 4;
/** Integers of a packed change with its number. */
export const NUMBERED_INTS = CHANGE_INTS + 1;

/** The declared features of a car after a change. */
export function applyChange(declared: number, { touched, values }: Change): number {
  return (declared & ~touched) | (values & touched);
}

/** Declared masks of all cars after some changes. */
export function withChanges(masks: Iterable<number>, changes: readonly Change[]): number[] {
  const after = [...masks];
  for (const change of changes) after[change.car] = applyChange(after[change.car] ?? 0, change);
  return after;
}

/** As `withChanges`, of packed changes. */
export function withPacked(masks: Iterable<number>, packed: Int32Array): number[] {
  const after = [...masks];
  for (let i = 0; i < packed.length; i += CHANGE_INTS) {
    const [tick = 0, car = 0, touched = 0, values = 0] = packed.subarray(i, i + CHANGE_INTS);
    after[car] = applyChange(after[car] ?? 0, { tick, car, touched, values });
  }
  return after;
}

export function journalEntryOf({ tick, car, touched, values }: Change): JournalEntry {
  const switches = namesOf(touched).map((name) => [name, (values & (featureBit(name) ?? 0)) !== 0]);
  return { tick, car, features: Object.fromEntries(switches) };
}

/** A change as the journal shows it, of known features, back again. */
export function changeOfEntry({ tick, car, features }: JournalEntry): Change {
  let [touched, values] = [0, 0];
  for (const [name, on] of Object.entries(features)) {
    const bit = featureBit(name) ?? 0;
    touched |= bit;
    if (on) values |= bit;
  }
  return { tick, car, touched, values };
}

/** The tick, car, touched and values of each change, as consecutive integers. */
export function packChanges(changes: readonly Change[]): Int32Array {
  const packed = new Int32Array(changes.length * CHANGE_INTS);
  for (const [i, { tick, car, touched, values }] of changes.entries()) {
    packed.set([tick, car, touched, values], i * CHANGE_INTS);
  }
  return packed;
}

/** How many changes are packed. */
export function countPacked(packed: Int32Array): number {
  return Math.floor(packed.length / CHANGE_INTS);
}

/** Tick of the last of packed changes; undefined if there is none. */
export function lastTickOf(packed: Int32Array): number | undefined {
  return packed.at(-CHANGE_INTS);
}

/** By default all; else the changes from an index to before another. */
export function unpackChanges(
  packed: Int32Array,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): Change[] {
  const end = Math.min(to, countPacked(packed));
  return Array.from({ length: Math.max(0, end - from) }, (_, i) => {
    const at = (from + i) * CHANGE_INTS;
    const [tick = 0, car = 0, touched = 0, values = 0] = packed.subarray(at, at + CHANGE_INTS);
    return { tick, car, touched, values };
  });
}
