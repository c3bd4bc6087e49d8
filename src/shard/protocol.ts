import type { MessagePort } from 'node:worker_threads';
import type { CityNames } from '../city/names.ts';
import type { ClockWords } from '../clock.ts';
import type { Encoding } from '../codec/encoding.ts';
import type { RawEvent } from '../twin/events.ts';
import type { Explanation } from '../twin/explanation.ts';
import type { Chain, ContactFacts } from '../twin/incidents.ts';

/**
 * What the main thread and a shard say to each other.
 *
 *   main → shard   commands   changes, holds, watchers: drained before every visit and slice
 *   main → shard   tasks      open, look, close: Piscina tasks with an answer
 *   shard → main   reports    beats, contacts, images, worlds that turned cold or trapped
 *   both           pulse      shared words: heartbeat, load, acknowledged beats
 */

// ── pulse ─────────────────────────────────────────────────────────────────────────────────────

/** Shared words between the two sides of one shard, i32. */
export const PULSE_HEARTBEAT = 0;
/** Number of the last beat that the main thread has handed to its sockets. */
export const PULSE_ACKED = 1;
/** Share of the thread's time that hot worlds take, per mille, over about a second. */
export const PULSE_HOT_SHARE = 2;
/** Mean cost of one frame of a hot world, encoding included, in ns. */
export const PULSE_FRAME_NS = 3;
/** Mean cost of a tick of one world in ns. */
export const PULSE_TICK_NS = 4;
/** The world being stepped: upper and lower 25 bits of its number; 0 none. */
export const PULSE_WORLD_HIGH = 5;
export const PULSE_WORLD_LOW = 6;
export const PULSE_WORDS = 7;

export const HALF_WORLD = 2 ** 25;

// ── start ─────────────────────────────────────────────────────────────────────────────────────

export interface ShardStart {
  /** Bytes of the compiled kernel. */
  wasm: Uint8Array;
  /** Of each city, in the order of the catalogue. */
  cityTables: readonly ArrayBuffer[];
  cityNames: readonly CityNames[];
  slabCount: number;
  clockWords: ClockWords;
  clockOriginMs: number;
  pulse: Int32Array;
  commands: MessagePort;
  reports: MessagePort;
  /** Accept `fault` commands; for tests of reliability only. */
  faults: boolean;
}

// ── commands ──────────────────────────────────────────────────────────────────────────────────

/** A command is for one stay of a world in memory: the next one must not hear of it. */
interface Address {
  world: number;
  stay: number;
}

/** The world must not be stepped to `tick` before this hold is resolved. */
export interface HoldCommand extends Address {
  kind: 'hold';
  hold: number;
  tick: number;
}

/** Resolves a hold: the changes journalled under it, or none where the append failed. */
export interface ResolveCommand extends Address {
  kind: 'resolve';
  hold: number;
  changes: readonly NumberedChange[];
}

export interface NumberedChange {
  /** Number in the journal, from 1. */
  seq: number;
  tick: number;
  car: number;
  touched: number;
  values: number;
}

/** How many watchers want which encoding; none at all makes the world warm. */
export interface WatchCommand extends Address {
  kind: 'watch';
  json: boolean;
  msgpack: boolean;
}

export type Fault =
  | { what: 'stall'; ms: number }
  | { what: 'die' }
  | { what: 'poison'; world: number };

export interface FaultCommand {
  kind: 'fault';
  fault: Fault;
}

/** What a world tells its shard; the address is put on behind it. */
export type WorldCommand =
  | Omit<HoldCommand, keyof Address>
  | Omit<ResolveCommand, keyof Address>
  | Omit<WatchCommand, keyof Address>;

export type Command = HoldCommand | ResolveCommand | WatchCommand | FaultCommand;

// ── tasks ─────────────────────────────────────────────────────────────────────────────────────

export interface OpenTask {
  world: number;
  /** Number of this stay in memory; reports carry it, so that late ones are told apart. */
  stay: number;
  seed: number;
  cityIndex: number;
  createdAtMs: number;
  /** Tick at which it begins without an image, and the declared masks that it has then. */
  from: { tick: number; masks: readonly number[] };
  /** State to go on from, and the last journal number in it. */
  image: { bytes: Uint8Array; seq: number } | undefined;
  /** Changes after the image, see `packNumbered`. */
  changes: Int32Array;
}

export type OpenAnswer =
  /** `contacts`: how many the world had up to its image; they have been reported before. */
  { outcome: 'opened'; contacts: number } | { outcome: 'full' };

export type Look = Encoding | 'packed' | 'events' | 'tick';

export interface LookTask {
  world: number;
  stay: number;
  /** The world is brought to this tick at least. */
  tick: number;
  want: Look;
  /** Behind everything that somebody waits for. */
  background: boolean;
}

export type LookAnswer =
  | {
      outcome: 'seen';
      tick: number;
      bytes: Uint8Array | undefined;
      packed: Int32Array | undefined;
      events: RawEvent[] | undefined;
    }
  /** The world is not, or no longer, in memory here. */
  | { outcome: 'gone' };

export interface CloseTask {
  world: number;
  stay: number;
}

/** What a world can be lived from again. */
export interface LivedPast {
  seed: number;
  cityIndex: number;
  /** Where its life under this kernel began. */
  from: { tick: number; masks: readonly number[] };
  /** A state to go on from instead. */
  image: { tick: number; bytes: Uint8Array } | undefined;
  /** Changes after the image, or after where it began; see `packNumbered`. */
  changes: Int32Array;
}

export interface ExplainTask {
  world: number;
  cityIndex: number;
  /** In the order in which they are to be explained; each chain is over. */
  chains: readonly Chain[];
  /** Without it, from what the shard has kept of the collisions. */
  past: LivedPast | undefined;
}

/** Explanations come as reports, one by one. */
export interface ExplainAnswer {
  /** Positions of the chains of which nothing was kept. */
  missing: number[];
  /** Of those that could not be lived again as they were, and why. */
  failed: { position: number; message: string }[];
}

export interface ReplayTask {
  world: number;
  seed: number;
  cityIndex: number;
  chain: Chain;
  /** Without it, from what the shard has kept of the collision. */
  past: LivedPast | undefined;
  /** Features that are on for the cars of the chain that had them off; 0 none. */
  on: number;
  /** Tick from which on they are; without it as it is chosen for explanations. */
  startTick: number | undefined;
  /** No frame later than that. */
  untilTick: number;
  encoding: Encoding;
}

export type ReplayAnswer = { outcome: 'missing' } | PlayedAnswer;

export interface PlayedAnswer {
  outcome: 'played';
  /** Encoded snapshots, one after the other; with commas between them where they are JSON. */
  frames: Uint8Array;
  count: number;
  /** Tick at which parties of the chain touch. */
  contactTick: number | null;
}

// ── reports ───────────────────────────────────────────────────────────────────────────────────

/**
 * Frames of many worlds in one buffer; `eachFrame` reads them. The next beat comes in the same
 * buffer: it must not be read once this one is acknowledged.
 */
export interface BeatReport {
  kind: 'beat';
  beat: number;
  buffer: SharedArrayBuffer;
  worlds: number;
}

export interface ContactsReport {
  kind: 'contacts';
  world: number;
  stay: number;
  /** Number of the first of them among all contacts of the world, from 0. */
  from: number;
  facts: ContactFacts[];
}

export interface ExplainedReport {
  kind: 'explained';
  world: number;
  /** Of the first contact of the chain. */
  tick: number;
  order: number;
  explanation: Explanation;
}

export interface ImageReport {
  kind: 'image';
  world: number;
  stay: number;
  tick: number;
  seq: number;
  bytes: Uint8Array;
}

/** The world left memory; where it moved since its last image, one was reported before. */
export interface ColdReport {
  kind: 'cold';
  world: number;
  stay: number;
}

export interface TrappedReport {
  kind: 'trapped';
  world: number;
  stay: number;
  message: string;
}

export type Report =
  | BeatReport
  | ContactsReport
  | ExplainedReport
  | ImageReport
  | ColdReport
  | TrappedReport;

/** Buffers that go over with a report instead of being copied. */
export function transferred(report: Report): ArrayBuffer[] {
  return report.kind === 'image' ? [report.bytes.buffer as ArrayBuffer] : [];
}

// ── packed changes ────────────────────────────────────────────────────────────────────────────

const CHANGE_INTS = 5;

export function packNumbered(changes: readonly NumberedChange[]): Int32Array {
  const packed = new Int32Array(changes.length * CHANGE_INTS);
  for (const [i, { seq, tick, car, touched, values }] of changes.entries()) {
    packed.set([seq, tick, car, touched, values], i * CHANGE_INTS);
  }
  return packed;
}

export function unpackNumbered(packed: Int32Array): NumberedChange[] {
  const changes: NumberedChange[] = [];
  for (let i = 0; i + CHANGE_INTS <= packed.length; i += CHANGE_INTS) {
    const [seq = 0, tick = 0, car = 0, touched = 0, values = 0] = packed.subarray(i);
    changes.push({ seq, tick, car, touched, values });
  }
  return changes;
}
