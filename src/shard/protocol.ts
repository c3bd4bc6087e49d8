import type { MessagePort, Transferable } from 'node:worker_threads';
import type { CitySet } from '../city/city-set.ts';
import type { ClockWords } from '../clock.ts';
import type { Encoding } from '../codec/encoding.ts';
import type { ContactRecord } from '../twin/contact-records.ts';
import type { RawEvent } from '../twin/events.ts';
import type { Explanation } from '../twin/explanation.ts';
import type { IncidentContacts } from '../twin/incidents.ts';
import { NUMBERED_INTS, type NumberedChange } from '../twin/journal.ts';
import type { WorldStart } from '../twin/lockstep.ts';
import type { Outlook } from '../twin/outlook-record.ts';
import type { PerceptionRecord } from '../twin/perception-record.ts';
import type { Replay } from '../twin-service.ts';
import type { KnownCosts } from './meter.ts';

/**
 * The messages between the main thread and a shard.
 *
 *   main → shard   commands   changes, holds, watchers: drained before every slice
 *   main → shard   tasks      open, query, search, …: Piscina tasks with an answer
 *   shard → main   reports    frame batches, contacts, images, evicted and trapped worlds
 *   both           pulse      shared words: heartbeat, load, acknowledged frame batches
 */

// ── start ─────────────────────────────────────────────────────────────────────────────────────

/** One end of a channel between the threads. */
export interface ShardPort {
  on(event: 'message', take: (message: unknown) => void): unknown;
  postMessage(message: unknown, transferred?: readonly Transferable[]): void;
  close(): void;
}

export interface ShardStart<Port extends ShardPort = MessagePort> {
  /** Bytes of the compiled kernel. */
  wasm: Uint8Array;
  cities: Pick<CitySet, 'tables' | 'names'>;
  slabCount: number;
  clockWords: ClockWords;
  clockOriginMs: number;
  /** Words of a `Pulse`. */
  pulse: Int32Array;
  commands: Port;
  reports: Port;
  /** Undefined: nothing is known. */
  costs: KnownCosts | undefined;
  /** Accept `fault` commands; for tests of reliability only. */
  faults: boolean;
  /** When it wakes for hot worlds, from 0 to below 1 of the period. */
  wakeOffset: number;
}

// ── commands ──────────────────────────────────────────────────────────────────────────────────

/** One residency of a world. Messages for an earlier residency are ignored. */
export interface Address {
  world: number;
  residency: number;
}

/** A command without its address, which `Residency` adds. */
export type WorldCommand =
  /** The world must not be stepped to `tick` before this hold is resolved. */
  | { kind: 'hold'; hold: number; tick: number }
  /** Resolves a hold. `changes`: those that are durable; empty if the write failed. */
  | { kind: 'resolve'; hold: number; changes: readonly NumberedChange[] }
  /** A prepared world goes on, with these changes ahead. `sentTick`: see OpenTask. */
  | { kind: 'takeIn'; changes: readonly NumberedChange[]; sentTick: number | undefined }
  /** The encodings that are needed; without any the world becomes warm. */
  | { kind: 'watch'; json: boolean; msgpack: boolean; packed: boolean };

export type Fault =
  | { what: 'stall'; ms: number }
  | { what: 'die' }
  /** The world traps when it is stepped; `isFatal`: that ends the thread. */
  | { what: 'poison'; world: number; isFatal?: boolean };

export type Command = (WorldCommand & Address) | { kind: 'fault'; fault: Fault };

// ── tasks ─────────────────────────────────────────────────────────────────────────────────────

export interface StateImage {
  tick: number;
  /** Last journal number that is in it. */
  seq: number;
  bytes: Uint8Array;
}

/** The data that a world is stepped from, to continue it or to run it again. */
export interface WorldPast {
  seed: number;
  /** Its start under this kernel. */
  from: WorldStart;
  /** A later state to start from, if there is one. */
  image: StateImage | undefined;
  /** Changes after the image, or after the beginning; see `packNumbered`. */
  changes: Int32Array;
}

export interface OpenTask extends Address {
  cityIndex: number;
  createdAtMs: number;
  past: WorldPast;
  /** The last frame that its watchers have got from another node: they get all frames after it. */
  sentTick?: number | undefined;
  /** The world stands still until it is taken in, and then has watchers in these encodings. */
  prepared?: readonly Encoding[];
}

export type OpenAnswer =
  /** `contacts`: number of contacts up to its image. They were reported before. */
  | { outcome: 'opened'; contacts: number }
  /** There is no room; or it was to be prepared, and is in memory already. */
  | { outcome: 'full' };

/** `failed`: opening the world threw this. */
export type OpenOutcome = OpenAnswer | { outcome: 'failed'; error: unknown };

/** The state of a world that goes on, for the node to which it is about to move. */
export interface CopiedState extends StateImage {
  world: number;
}

/** `copy`: tick and seq of the state that the next node has. */
export interface FrozenTask extends Address {
  copy: Pick<StateImage, 'tick' | 'seq'> | undefined;
}

/**
 * A world that stands still, as another node can go on with it. Its bytes are empty where the node can go on
 * from the copy that it has: since then only time has passed.
 */
export interface FrozenWorld extends StateImage {
  world: number;
  /** Number of its contacts, which are all reported; a node of an earlier release does not tell it. */
  contacts?: number;
  /** Changes that are not in it yet: the bytes of what `packNumbered` makes. */
  changes: Uint8Array;
}

/** The hold of a frozen world. */
export const FREEZE_HOLD = -1;

/** `perceivedBy`: a frame, and what the car with this index in the fleet perceives. */
export type Query = Encoding | 'packed' | 'events' | 'hash' | 'tick' | { perceivedBy: number };

export interface QueryTask extends Address {
  /** The world is stepped at least to this tick. */
  tick: number;
  query: Query;
  /** Runs after everything that a client waits for. */
  background: boolean;
}

export interface QueryResult {
  outcome: 'answered';
  tick: number;
  bytes: Uint8Array | undefined;
  packed: Int32Array | undefined;
  /** Of the car that the query names; with `packed`. */
  perception: PerceptionRecord | undefined;
  events: RawEvent[] | undefined;
  /** Of the whole state. */
  hash: bigint | undefined;
}

export type QueryAnswer =
  | QueryResult
  /** The world is not in this shard's memory, or not in this residency. */
  | { outcome: 'unloaded' };

// ── counterfactuals ───────────────────────────────────────────────────────────────────────────

interface CounterfactualTask {
  /** Clients take turns: this is the one for which it is done. */
  client: string;
  world: number;
  cityIndex: number;
  /** Runs after everything that a client waits for. */
  background: boolean;
}

/** Puts the states before some collisions in the rewind cache. */
export interface RewindTask extends CounterfactualTask {
  past: WorldPast;
  chains: readonly IncidentContacts[];
  /** No change up to this tick can follow those of the past. */
  completeTick: number;
}

/** Searches for the explanation of one incident, from its state in the rewind cache. */
export interface SearchTask extends CounterfactualTask {
  /** It must be over: no further contact can join it. */
  chain: IncidentContacts;
}

/** `ticks`: how many were stepped for it. */
export type SearchAnswer = { ticks: number } & (
  | { outcome: 'explained'; explanation: Explanation }
  /** The rewind cache has no state before the collision. */
  | { outcome: 'missing' }
  /** A re-run trapped, or diverged from the recorded collision. */
  | { outcome: 'failed'; message: string }
  /** It was stopped before its end. */
  | { outcome: 'stopped' }
);

/** Plays the seconds around one incident, from its state in the rewind cache. */
export interface ReplayTask extends Omit<CounterfactualTask, 'background'> {
  chain: IncidentContacts;
  /** Features that are switched on for the cars of the chain that had them off; 0: none. */
  on: number;
  /** The tick at which they are switched on; undefined: as in a search. */
  startTick: number | undefined;
  /** Tick of the last frame at the latest. */
  untilTick: number;
  encoding: Encoding;
}

export type ReplayAnswer =
  | ReplayFrames
  /** The rewind cache has no state before the collision. */
  | { outcome: 'missing' };

export interface ReplayFrames extends Replay {
  outcome: 'played';
}

/** Lives a world ahead that is in memory. */
export interface ForecastTask extends Omit<CounterfactualTask, 'background'> {
  residency: number;
  /** By spot of the city: mask of the features without which it ends in a collision. */
  needs: readonly number[];
}

export type ForecastAnswer =
  | ({ outcome: 'told' } & Outlook)
  /** The world is not in this shard's memory, or not in this residency. */
  | { outcome: 'unloaded' };

/** Lives a world again up to a tick. */
export interface PastStateTask extends Omit<CounterfactualTask, 'background'> {
  past: WorldPast;
  tick: number;
  /** Of the snapshot; undefined: only the image is wanted. */
  encoding: Encoding | undefined;
}

/** The state of a world at the tick of the task. */
export interface PastStateAnswer {
  image: Uint8Array;
  hash: bigint;
  /** The snapshot, if an encoding was given. */
  snapshot: Uint8Array | undefined;
}

// ── reports ───────────────────────────────────────────────────────────────────────────────────

/**
 * Frames of many worlds in one piece of memory; `eachFrame` reads them. Do not read it after the
 * batch was acknowledged: the next batch overwrites it.
 */
export interface FrameBatch {
  kind: 'frames';
  number: number;
  bytes: Uint8Array<SharedArrayBuffer>;
  worlds: number;
}

export type Report =
  | FrameBatch
  | (Address &
      (
        | {
            kind: 'contacts';
            /** Number of the first of them among all contacts of the world, from 0. */
            from: number;
            facts: ContactRecord[];
          }
        | { kind: 'image'; image: StateImage }
        /** The shard needed the memory. If the world was stepped, its image was reported before. */
        | { kind: 'evicted' }
        | { kind: 'trapped'; message: string }
      ));

/** The buffers of a report that are transferred instead of copied. */
export function transferred(report: Report): ArrayBuffer[] {
  return report.kind === 'image' ? [report.image.bytes.buffer as ArrayBuffer] : [];
}

// ── packed changes ────────────────────────────────────────────────────────────────────────────

export function packNumbered(changes: readonly NumberedChange[]): Int32Array {
  const packed = new Int32Array(changes.length * NUMBERED_INTS);
  for (const [i, { seq, tick, car, touched, values }] of changes.entries()) {
    packed.set([seq, tick, car, touched, values], i * NUMBERED_INTS);
  }
  return packed;
}

export function unpackNumbered(packed: Int32Array): NumberedChange[] {
  return Array.from({ length: countNumbered(packed) }, (_, i) => unpackedAt(packed, i));
}

/** The one with an index, which must be there. */
export function unpackedAt(packed: Int32Array, index: number): NumberedChange {
  const at = index * NUMBERED_INTS;
  return {
    seq: packed[at] ?? 0,
    tick: packed[at + 1] ?? 0,
    car: packed[at + 2] ?? 0,
    touched: packed[at + 3] ?? 0,
    values: packed[at + 4] ?? 0,
  };
}

/** The last one; undefined if there is none. */
export function lastOf(packed: Int32Array): NumberedChange | undefined {
  return packed.length > 0 ? unpackedAt(packed, countNumbered(packed) - 1) : undefined;
}

/** From packed changes of which the first has number 1, those after a number. */
export function numbered(packed: Int32Array, afterSeq: number): Int32Array {
  const fields = NUMBERED_INTS - 1;
  const count = Math.max(0, Math.floor(packed.length / fields) - afterSeq);
  const result = new Int32Array(count * NUMBERED_INTS);
  let from = afterSeq * fields;
  for (let to = 0; to < result.length; ) {
    result[to++] = from / fields + 1;
    for (let field = 0; field < fields; field++) result[to++] = packed[from++] ?? 0;
  }
  return result;
}

/** The reverse. */
export function withoutNumbers(changes: Int32Array): Int32Array {
  const fields = NUMBERED_INTS - 1;
  const result = new Int32Array(countNumbered(changes) * fields);
  for (let from = 0, to = 0; to < result.length; ) {
    from++;
    for (let field = 0; field < fields; field++) result[to++] = changes[from++] ?? 0;
  }
  return result;
}

/** How many changes are packed. */
export function countNumbered(changes: Int32Array): number {
  return changes.length / NUMBERED_INTS;
}

/** How many of packed changes, which are in order, are up to a tick; by bisection. */
export function countUpTo(changes: Int32Array, tick: number): number {
  let from = 0;
  for (let end = countNumbered(changes); from < end; ) {
    const middle = (from + end) >> 1;
    if ((changes[middle * NUMBERED_INTS + 1] ?? 0) <= tick) from = middle + 1;
    else end = middle;
  }
  return from;
}

/** Of packed changes those with ticks up to one, and after another. */
export function upTo(changes: Int32Array, tick: number, afterTick?: number): Int32Array {
  const from = afterTick === undefined ? 0 : countUpTo(changes, afterTick);
  return changes.subarray(from * NUMBERED_INTS, countUpTo(changes, tick) * NUMBERED_INTS);
}

export function joined(parts: readonly Int32Array[]): Int32Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

/** Whether all changes, as `packNumbered` packs them, are after a tick. */
export function areAfter(changes: Int32Array, tick: number): boolean {
  for (let i = 1; i < changes.length; i += NUMBERED_INTS)
    if ((changes[i] ?? 0) <= tick) return false;
  return true;
}
