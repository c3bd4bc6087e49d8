import type { City } from './city/types.ts';
import type { Encoding } from './codec/encoding.ts';
import type { Change } from './twin/journal.ts';
import type { EventRecord, FleetEntry, Incident } from './twin/wire.ts';
import type { WorldOptions } from './twin/world-options.ts';

/**
 * What the front end asks of the worlds. `worlds/worlds.ts` is it; tests of the front end may
 * stand in for it.
 */
export interface TwinService {
  readonly cities: readonly City[];

  /** Makes a world; resolves once its record is durable. Throws TwinError. */
  create(options: WorldOptions): Promise<World>;

  /** The living world with this number if it is at hand, without waiting. Throws as `load`. */
  peek(worldNumber: number): World | undefined;

  /** The living world with this number, or undefined. Throws TwinError (store, quarantine). */
  load(worldNumber: number): Promise<World | undefined>;

  /**
   * Takes the frames of every frame batch. `done` must be called once they are handed to the
   * sockets: the shard sends its next batch after that.
   */
  onFrames(sink: (frames: readonly WorldFrame[], done: () => void) => void): void;

  /** Streams of this world must end: 1013 it cannot be served now, 1012 reconnect at once. */
  onStreamEnd(end: (world: World, code: 1012 | 1013) => void): void;
}

/** One frame of one world in the encodings that somebody wants; its bytes last until `done`. */
export interface WorldFrame {
  world: World;
  tick: number;
  json: Uint8Array | undefined;
  msgpack: Uint8Array | undefined;
}

export interface ReplayOrder {
  /** Features that are on for the involved cars that had them off; 0 none. */
  on: number;
  encoding: Encoding;
  /** Told of the ticks that it takes before these are lived; it may throw. */
  spend(ticks: number): void;
}

/** Frames of a stretch of a world that is lived again. */
export interface Replay {
  /** Encoded snapshots, one after the other; with commas between them where they are JSON. */
  frames: Uint8Array;
  count: number;
  /** Tick at which parties of the incident touch. */
  contactTick: number | null;
}

/** A living world. Methods that return a promise may step the world to now first. */
export interface World {
  /** 50 bits. */
  readonly number: number;
  readonly id: string;
  readonly seed: number;
  readonly city: City;
  readonly createdAtMs: number;
  /** Car 0 first. */
  readonly fleet: readonly FleetEntry[];
  /** False where a given journal was lived by another kernel than this one. */
  readonly exact: boolean;
  readonly watcherCount: number;

  /** Somebody called: the idle time starts over. */
  touch(): void;

  /** The world's tick now; never less than any tick answered before. */
  tick(): number;

  /** Declared features of a car as a mask, all accepted changes included. */
  declared(car: number): number;

  /**
   * Switches the features of `touched` to their bits in `values`. Resolves once the change is
   * durable (at once where it changes nothing), with the features declared right after it: others
   * may have been switched meanwhile. Throws TwinError: store_unavailable, journal_full.
   */
  change(car: number, touched: number, values: number): Promise<number>;

  /** The encoded snapshot: of a hot world at once, and valid until its next frame. */
  frame(encoding: Encoding): Uint8Array | Promise<Uint8Array>;

  /** The packed snapshot (see OUT_ in the memory map): as `frame`. */
  packed(): Int32Array | Promise<Int32Array>;

  /** The last sixty, oldest first. */
  events(): Promise<EventRecord[]>;

  /** All of them, in order of tick. */
  incidents(): Promise<Incident[]>;
  incident(id: string): Promise<Incident | undefined>;
  /** The seconds around an incident; undefined where there is none with this id. */
  replay(id: string, order: ReplayOrder): Promise<Replay | undefined>;

  /** Every accepted change, in order of tick. */
  journal(): Promise<Change[]>;

  /**
   * Makes the world hot for one more watcher. Throws TwinError `overloaded` where no shard can take
   * it. The first frames follow by `onFrames`.
   */
  watch(encoding: Encoding): void;
  unwatch(encoding: Encoding): void;
}
