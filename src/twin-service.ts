import type { City } from './city/types.ts';
import type { Encoding, StreamEncoding } from './codec/encoding.ts';
import type { Change } from './twin/journal.ts';
import type { KnownJournal, LockstepMessage, WorldPulse, WorldStart } from './twin/lockstep.ts';
import type { PerceptionRecord } from './twin/perception-record.ts';
import type { EventRecord, FleetEntry, Incident, WorldOutlook } from './twin/wire.ts';
import type { WorldOptions } from './twin/world-options.ts';

/**
 * The interface of the worlds to the front end. `worlds/worlds.ts` implements it; tests of the
 * front end use a double.
 */
export interface TwinService {
  readonly cities: readonly City[];
  readonly presence: Presence;

  /**
   * Makes a world; resolves once its record is durable. Throws TwinError.
   * @param deleted called once when the world is deleted, or another node may serve it
   */
  create(options: WorldOptions, deleted?: () => void): Promise<World>;

  /**
   * The world with this number if it is at hand, without waiting. Throws TwinError
   * `store_unavailable`.
   */
  peek(worldNumber: number): World | undefined;

  /**
   * The world with this number, or undefined. Throws TwinError `store_unavailable`, or
   * `world_unavailable` if its city no longer exists.
   */
  load(worldNumber: number): Promise<World | undefined>;

  /**
   * Sets the receiver of the frames of every frame batch. It must call `done` once it has passed
   * them to the sockets: the shard sends its next batch after that.
   */
  onFrames(sink: (frames: readonly WorldFrame[], done: () => void) => void): void;

  /** Sets the receiver of the messages for those who live a world themselves. */
  onLockstep(tell: (world: World, message: LockstepMessage) => void): void;

  /** Sets what ends the streams of a world. */
  onStreamEnd(end: (world: World, why: StreamEnd) => void): void;
}

/**
 * Why streams of a world end. 1013: try again later; 1012: reconnect at once; `moved`: another node may
 * serve the world by now.
 */
export type StreamEnd = 1012 | 1013 | 'moved';

/** A living world, whichever node serves it. */
export type PresentWorld = Pick<World, 'id' | 'fleet'>;

/** `gone`: no world will ever have this number. `due`: its node deletes it, unless it was used last. */
export type Absence = 'gone' | 'due';

/**
 * Which worlds live, whichever nodes serve them. It neither steps a world nor restarts its idle time. Of
 * a world of another node the answer may be outdated, by some seconds in which it falls due.
 */
export interface Presence {
  /** Whether a world is known to live, so that `find` does not wait. */
  isKnown(worldNumber: number): boolean;

  /**
   * Throws, or rejects with, TwinError `store_unavailable`, or `world_unavailable` if the city of the
   * world no longer exists.
   */
  find(worldNumber: number): PresentWorld | Absence | Promise<PresentWorld | Absence>;
}

/** One frame of one world in the encodings that are needed; its bytes are valid until `done`. */
export interface WorldFrame {
  world: Pick<World, 'number'>;
  tick: number;
  json: Uint8Array | undefined;
  msgpack: Uint8Array | undefined;
}

/** What a client lives a world from. */
export interface LockstepPast extends WorldPulse {
  seed: number;
  city: string;
  start: WorldStart;
  /** Nothing but changes is new to the client. */
  resumed: boolean;
  image: { tick: number; seq: number; bytes: Uint8Array } | undefined;
  /** As `packNumbered` packs them. */
  changes: Int32Array;
}

/** What a stream needs of a world, whichever node serves it. */
export type Watchable = Pick<World, 'number' | 'id' | 'fleet' | 'tick' | 'unwatch'>;

/** Ticks that somebody may have stepped. */
export interface TickBudget {
  affords(ticks: number): boolean;
  /** Takes ticks, also those that it does not afford; gives them back if negative. */
  spend(ticks: number): void;
}

/** A client that causes ticks to be stepped, and what it can pay. */
export interface Asker extends TickBudget {
  /** Clients take turns by this key. */
  readonly client: string;
  /**
   * Whether it can pay these ticks and keep half of its budget. A page asks for explanations by itself:
   * what its user does must not wait for them.
   */
  spares(ticks: number): boolean;
}

export interface PastStateOrder {
  /** Undefined: the current one. */
  tick: number | undefined;
  encoding: Encoding;
  /** Pays for the ticks that are lived again. */
  asker: Asker;
}

export interface PastState {
  /** Encoded. */
  snapshot: Uint8Array;
  /** Of the whole state: 16 hexadecimal digits. */
  hash: string;
}

export interface ForkOrder {
  /** The fork equals the world up to this tick. */
  tick: number;
  /** Changes of its own, all later; see `packChanges`. */
  changes: Int32Array;
}

export interface ReplayOrder {
  /** Clients take turns by this key. */
  readonly client: string;
  /** Features that are switched on for the involved cars that had them off; 0: none. */
  on: number;
  encoding: Encoding;
  /** Only up to the contact, which the world has passed: it is not stepped. */
  untilContact?: boolean;
  /** Called with a number of ticks before these are computed. It may throw to refuse them. */
  spend(ticks: number): void;
}

/** The frames of a re-run of some seconds. */
export interface Replay {
  /** Encoded snapshots, one after the other; with commas between them where they are JSON. */
  frames: Uint8Array;
  count: number;
  /** Tick at which parties of the incident touch. */
  contactTick: number | null;
}

/**
 * Work on the store in steps of at most 3 ms: it yields where a step ends, so that others may have a
 * turn of the event loop before the next one.
 */
export type Steps<Result> = AsyncGenerator<'', Result>;

/** A list of a world that may be long. */
export interface LongList<Item> {
  /** Changes whenever the list does; no other list of the same kind has it. */
  readonly tag: string;
  /** Finds the pages of the list, in order; none if it is empty. */
  pages(): Steps<readonly ListPage<Item>[]>;
}

/** A part of a long list, small enough to be encoded in one step. */
export interface ListPage<Item> {
  /** Identifies its content; undefined if other requests hardly ask for this page. */
  readonly name: string | undefined;
  /** Number of its items, at least one. */
  readonly count: number;
  read(): Steps<readonly Item[]>;
}

/** By default all incidents. */
export interface IncidentRange {
  /** Only incidents that begin after this contact. */
  after?: { tick: number; order: number };
  /** Only incidents that begin up to this tick. If that is no later than `start`, the world is not stepped. */
  untilTick?: number;
  limit?: number;
  /** Only incidents of this car. */
  car?: number;
}

/** By default all changes. */
export interface ChangeRange {
  /** How many changes are left out. */
  after?: number;
  limit?: number;
}

/**
 * A world. Methods that return a promise may step the world to the current tick first: the asker pays,
 * or they throw TwinError `rate_limited`.
 */
export interface World {
  /** 50 bits. */
  readonly number: number;
  readonly id: string;
  readonly seed: number;
  readonly city: City;
  readonly createdAtMs: number;
  /** Car 0 first. */
  readonly fleet: readonly FleetEntry[];
  /** False if a part of its history ran on another kernel than that of this node. */
  readonly exact: boolean;
  /** Identity of the kernel that has lived it from its beginning; empty if not one has lived all of it. */
  readonly kernel: string;
  readonly watcherCount: number;

  /** Restarts the idle time. */
  touch(): void;

  /** The current tick; never less than that of an earlier answer. */
  tick(): number;

  /** Declared features of a car as a mask, all accepted changes included. */
  declared(car: number): number;

  /**
   * Switches the features of `touched` to their bits in `values`. Resolves once the change is
   * durable, with the declared features right after it; if it changes nothing, at once. Throws
   * TwinError `store_unavailable`, or `rate_limited` if the journal is full.
   */
  change(car: number, touched: number, values: number): Promise<number>;

  /** The encoded snapshot: of a hot world at once, and valid until its next frame. */
  frame(encoding: Encoding, asker?: () => Asker): Uint8Array | Promise<Uint8Array>;

  /** The packed snapshot (see OUT_ in the memory map): as `frame`. */
  packed(asker?: () => Asker): Int32Array | Promise<Int32Array>;

  /**
   * The state at the last frame up to a tick, which is lived again. Throws TwinError `invalid_value` for a
   * later tick than the current one, `unknown_tick` for one before the beginning under this kernel,
   * `overloaded` if it takes too long, `rate_limited` if the asker cannot pay: what was lived is kept.
   */
  pastState(order: PastStateOrder): Promise<PastState>;

  /**
   * The options of a world that equals this one up to a tick. It begins at that tick, or at the last of its
   * own changes. Throws TwinError `invalid_world_options` for a later tick than the current one or too many
   * changes, `unknown_tick` for one before the beginning under this kernel, `rate_limited` if the asker
   * cannot pay for what is read.
   */
  forkOptions(order: ForkOrder, asker: Asker): Promise<WorldOptions>;

  /**
   * What is at stake next, soonest first. Throws TwinError `rate_limited` if the asker cannot pay for the
   * ticks that the world is lived ahead.
   * @param car of this one alone; by default of all cars
   */
  outlook(asker: Asker, car?: number): Promise<WorldOutlook>;

  /** A frame, and what a car's sensors know at its tick. */
  perception(asker: Asker, car: number): Promise<{ packed: Int32Array; record: PerceptionRecord }>;

  /** The last sixty events, oldest first. */
  events(asker?: Asker): Promise<EventRecord[]>;

  /**
   * Incidents in order of tick. Those that are read and not explained yet may be explained soon: the
   * world pays, or `asker` if the world cannot.
   */
  incidents(range: IncidentRange, asker?: Asker): Promise<LongList<Incident>>;
  /** The ids of a car's incidents, in order of tick. */
  incidentIds(car: number): Steps<string[]>;
  incident(id: string, asker?: Asker): Promise<Incident | undefined>;
  /** As it is stored: the world is not stepped, and an incident without explanation gets none. */
  recordedIncident(id: string): Promise<Incident | undefined>;
  /** The seconds around an incident; undefined if no incident has this id. */
  replay(id: string, order: ReplayOrder): Promise<Replay | undefined>;

  /** Accepted changes, in order of tick. */
  journal(range: ChangeRange): LongList<Change>;

  /**
   * What a client needs to live the world itself from now on. It does not step the world here. Throws
   * TwinError `store_unavailable` or `world_unavailable`.
   * @param known what the client has: if that is the beginning of the journal, only later changes follow
   */
  lockstep(known?: KnownJournal): Promise<LockstepPast>;

  /** What the clock and the journal of the world show now. */
  pulse(): WorldPulse;

  /**
   * Adds a watcher of a client. One of frames makes the world hot. Throws TwinError `overloaded` if its shard has no
   * capacity, `world_unavailable` while the world is quarantined, or `rate_limited` if the asker owes
   * ticks already. The first frames follow by `onFrames`.
   * @param asker pays for the steps to the current tick
   */
  watch(encoding: StreamEncoding, client: string, asker?: Asker): void;
  unwatch(encoding: StreamEncoding, client: string): void;
}
