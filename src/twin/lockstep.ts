import type { NumberedChange } from './journal.ts';
import type { FleetEntry } from './wire.ts';

/**
 * The lockstep stream: a client that has the kernel lives the world itself, and is told only what
 * changes. All messages are MessagePack.
 */

/** What the clock of a world shows. */
export interface ClockReading {
  /** The last whole tick. */
  tick: number;
  /** How much of the next one has passed: from 0 to below 1, which is 20 ms. */
  fraction: number;
}

export function readingOf(ticks: number): ClockReading {
  const tick = Math.floor(ticks);
  return { tick, fraction: ticks - tick };
}

/** A reading as one number. */
export function ticksOf({ tick, fraction }: ClockReading): number {
  return tick + fraction;
}

/** Where the state of a world begins under its kernel: its declared masks at a tick. */
export interface WorldStart {
  tick: number;
  /** Number of the last change before it. */
  seq: number;
  /** Of each car. */
  masks: readonly number[];
}

/** Addresses of what a world is lived with. Their contents never change. */
export interface LockstepAssets {
  /** The compiled kernel. */
  kernel: string;
  /** What writes the states that it packs as JSON and MessagePack, compiled. */
  frames: string;
  /** Its table of the city, coded: see `decodeTable`. */
  table: string;
  /** The types of cars, as JSON. */
  car_types: string;
}

/** What a client lives the worlds of a city with. */
export interface LockstepKernel {
  /** Identifies the code, the table of the city and the types of cars: it decides how a world goes on. */
  kernel: string;
  assets: LockstepAssets;
}

/** The first message. */
export interface LockstepHello extends LockstepKernel, WorldPulse {
  type: 'hello';
  world: string;
  rate_hz: number;
  fleet: readonly FleetEntry[];
  seed: number;
  city: string;
  start: WorldStart;
  /** True: the journal that the client has is the beginning of this one; `changes` are those after it. */
  resumed: boolean;
  /** A later state than `start`, where there is one; its bytes are deflated (RFC 1951). */
  image: { tick: number; seq: number; bytes: Uint8Array } | null;
  /** Those after the image, else after the start; where resumed, after the client's last one. */
  changes: readonly NumberedChange[];
}

/** A durable change. */
export interface LockstepChange extends NumberedChange {
  type: 'change';
  /** Hash of the journal up to this change. */
  journal: string;
}

/** What the clock of the server and the journal of a world show now. */
export interface WorldPulse extends ClockReading {
  seq: number;
  /** Hash of the journal up to `seq`. */
  journal: string;
  watchers: number;
}

/** The state of a world at a tick. */
export interface StateHash {
  tick: number;
  /** 16 hexadecimal digits. */
  hash: string;
}

export interface LockstepPulse extends WorldPulse {
  type: 'pulse';
  /** What the server itself has lived, of a few worlds and now and then; all changes up to it are among `seq`. */
  hash?: StateHash;
}

/** The server has stored an incident, or its explanation. */
export interface LockstepIncident {
  type: 'incident';
  id: string;
  explained: boolean;
}

export type LockstepMessage = LockstepHello | LockstepChange | LockstepPulse | LockstepIncident;

/** A message for all that live a world, encoded. */
export interface LockstepNews {
  /** What it tells of the world: a pulse all, a change how far the journal goes. */
  pulse: Partial<WorldPulse>;
  bytes: Uint8Array;
  /** Of a change: its number in the journal. */
  seq: number | undefined;
}

/** An encoded hello, and what it tells of the world. */
export interface EncodedHello {
  pulse: WorldPulse;
  bytes: Uint8Array;
}

/**
 * The same as nodes hand it to each other: a journal is half as long packed as it is in a message. The
 * hello itself has no changes.
 */
export interface PackedHello extends EncodedHello {
  /** The bytes of what `packNumbered` makes. */
  changes: Uint8Array;
}

/** What a client has of the journal: the number of its last change, and the hash up to that. */
export interface KnownJournal {
  seq: number;
  journal: string;
}
