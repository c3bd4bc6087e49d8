import { TICK_MS } from '../../assembly/layout.ts';
import type { Clock } from '../clock.ts';
import { isStoreUnavailable } from '../errors.ts';
import { LIFE_TICKS, PARTITION_COUNT } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Key } from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';
import { partitionOf } from '../twin/ids.ts';
import type { CatchUps, StandingWorld } from './catch-ups.ts';
import type { DueWorld, listDue } from './due-entries.ts';
import type { Records } from './records.ts';

/** Position of the slot in a key of the index. */
const SLOT_PART = 3;
const SLOT_MS_MAX = 60_000;
const SLOT_MS_MIN = 1000;
/** Slots in the idle time. A world is deleted late by at most one slot. */
const SLOTS_PER_IDLE = 30;
/** A touch that is due to move a world by more slots is written at once: the world may be due soon. */
const WAITING_SLOTS = 3;
/** Worlds that are moved at a time. */
const AT_ONCE = 64;
/** Worlds that are deleted at a time: each may have hundreds of records that are removed at once. */
const DROPPED_AT_ONCE = 16;
/** A count stays valid for this many times its duration: counting takes 2 % of the time at most. */
const REUSE_FACTOR = 50;

/** A world as the idle index knows it. */
export interface IdleWorld {
  readonly number: number;
  readonly id: string;
  readonly createdAtMs: number;
  readonly isRetired: boolean;
  readonly watcherCount: number;
  readonly lastTouchMs: number;
  /** Its slot in the store. */
  due: number;
  forgetReaders(): void;
  readonly loader: StandingWorld;
}

/** The worlds of a node, as the idle index uses them. */
export interface IdleWorlds {
  /** Under the current grant of a partition; undefined if this node does not hold it. */
  recordsOf(partition: number): Records | undefined;
  /** Entries of the index, of any partition: see `listDue`. */
  listDue(partition: number, page: Parameters<typeof listDue>[2]): Promise<DueWorld[]>;
  /** How many of them are in a slot or a later one: see `countDue`. */
  countDue(partition: number, from: number): Promise<number>;
  atHand(world: number): IdleWorld | undefined;
  /** Removes a world from the store. */
  drop(world: number): Promise<void>;
  /** Called when all touches are in the store: worlds that waited for that may be evicted. */
  trim(): void;
}

export interface IdleDependencies {
  time: Time;
  clock: Clock;
  log: Log;
  worlds: IdleWorlds;
  catchUps: Pick<CatchUps, 'add'>;
  /** A world without watchers and calls for this time is deleted. */
  idleMs: number;
}

/**
 * Deletes idle worlds, without a timer per world and without a scan: an index in the store lists
 * the worlds by the slot of time in which they are due for deletion. A touch (a call, or a watcher
 * that leaves) moves a world to a later slot, but not beyond the end of its life. Touches are kept in
 * memory and written once per slot, but for the first one after a longer pause: a node that dies
 * loses what it has not written, and the next one would delete a world that was just used.
 */
export class IdleIndex {
  readonly #dependencies: IdleDependencies;
  readonly #slotMs: number;
  /** Worlds whose last touch is not in the store yet. */
  readonly #touched = new Set<IdleWorld>();
  /** Worlds whose slot is being written; resolved or rejected when the last write has ended. */
  readonly #moving = new Map<IdleWorld, Promise<void>>();
  #stopTimer: StopTimer | undefined;
  #sweeping: Promise<void> | undefined;
  /** What is due is left to the next start. */
  #isStopped = false;
  #count = 0;
  /** By partition; undefined for one that this node did not hold. */
  #counts: readonly (number | undefined)[] = [];
  #countValidUntilMs = 0;
  #counting: Promise<number> | undefined;

  constructor(dependencies: IdleDependencies) {
    this.#dependencies = dependencies;
    this.#slotMs = Math.min(
      SLOT_MS_MAX,
      Math.max(SLOT_MS_MIN, Math.floor(dependencies.idleMs / SLOTS_PER_IDLE)),
    );
  }

  start(): void {
    this.#stopTimer = this.#dependencies.time.every(this.#slotMs / 2, () => {
      this.#sweeping ??= this.sweep().finally(() => {
        this.#sweeping = undefined;
      });
    });
  }

  /** Saves all touches. Never rejects. */
  async stop(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#isStopped = true;
    await this.#sweeping;
    await this.#save().catch((err: unknown) => {
      this.#dependencies.log.warn({ err }, 'could not save when worlds were last used');
    });
  }

  /** The slot in which a world is due if it is touched at this time and not again, or ends. */
  slotOf({ createdAtMs }: Pick<IdleWorld, 'createdAtMs'>, touchMs: number): number {
    const idleSlot = Math.ceil((touchMs + this.#dependencies.idleMs) / this.#slotMs);
    return Math.min(idleSlot, this.firstLivingSlot(createdAtMs + LIFE_TICKS * TICK_MS));
  }

  #slotNow(world: IdleWorld): number {
    const isWatched = world.watcherCount > 0;
    return this.slotOf(world, isWatched ? this.#dependencies.clock.now() : world.lastTouchMs);
  }

  /** Worlds in earlier slots count as deleted. */
  firstLivingSlot(nowMs: number): number {
    return Math.floor(nowMs / this.#slotMs);
  }

  /** When the worlds of a slot count as deleted. */
  endOfSlotMs(slot: number): number {
    return (slot + 1) * this.#slotMs;
  }

  touched(world: IdleWorld): void {
    // What it would write may come after its records are removed.
    if (world.isRetired) return;
    this.#touched.add(world);
    const canWait = this.#slotNow(world) - world.due <= WAITING_SLOTS;
    const records = canWait || this.#moving.has(world) ? undefined : this.#recordsOf(world);
    // Where it fails, it is written in the next round.
    if (records !== undefined) this.#file(world, records).catch(() => {});
  }

  /** Forgets a touch. */
  forget(world: IdleWorld): void {
    this.#touched.delete(world);
  }

  isUnsaved(world: IdleWorld): boolean {
    return this.#touched.has(world);
  }

  /** One round: writes touches to the store, then deletes the worlds that are due. */
  async sweep(): Promise<void> {
    try {
      await this.#save();
      this.#dependencies.worlds.trim();
      for (let partition = 0; partition < PARTITION_COUNT; partition++) {
        if (this.#isStopped) return;
        const records = this.#dependencies.worlds.recordsOf(partition);
        if (records !== undefined) await this.#dropDue(partition, records);
      }
    } catch (err) {
      if (isStoreUnavailable(err)) return;
      this.#dependencies.log.warn({ err }, 'could not delete idle worlds');
    }
  }

  async #save(): Promise<void> {
    const worlds = [...this.#touched];
    for (let i = 0; i < worlds.length; i += AT_ONCE) {
      await Promise.all(worlds.slice(i, i + AT_ONCE).map((world) => this.#move(world)));
    }
  }

  /** Moves a world to the slot of its last touch. */
  async #move(world: IdleWorld): Promise<void> {
    this.#touched.delete(world);
    if (world.isRetired) return;
    world.forgetReaders();
    const records = this.#recordsOf(world);
    if (records === undefined) return;
    try {
      await this.#file(world, records);
    } catch (error) {
      this.#touched.add(world);
      throw error;
    }
    // A watched world is in use without calls: it is moved again in the next round.
    if (world.watcherCount > 0) this.#touched.add(world);
    if (world.loader.isBehind) this.#dependencies.catchUps.add(world.loader);
  }

  /** Writes in which slot a world is now, after what is being written of it: each starts from the last. */
  #file(world: IdleWorld, records: Records): Promise<void> {
    const before = this.#moving.get(world);
    const written =
      before === undefined
        ? this.#write(world, records)
        : before.catch(() => {}).then(() => this.#write(world, records));
    const moving = written.finally(() => {
      if (this.#moving.get(world) === moving) this.#moving.delete(world);
    });
    this.#moving.set(world, moving);
    return moving;
  }

  async #write(world: IdleWorld, records: Records): Promise<void> {
    const due = this.#slotNow(world);
    if (due === world.due || world.isRetired) return;
    await records.moveDue(world.number, world.due, due);
    world.due = due;
  }

  #recordsOf(world: IdleWorld): Records | undefined {
    return this.#dependencies.worlds.recordsOf(partitionOf(world.number));
  }

  async #dropDue(partition: number, records: Records): Promise<void> {
    const first = this.firstLivingSlot(this.#dependencies.clock.now());
    for await (const page of this.#pages(partition, first)) {
      await Promise.all(
        page.map(({ key, world }) => this.#settleDue({ key, world }, first, records)),
      );
      if (this.#isStopped) return;
    }
  }

  /** The entries of a partition in slots before `before`, page by page. */
  async *#pages(partition: number, before: number) {
    const { worlds } = this.#dependencies;
    for (let after: { after?: Key } = {}; ; ) {
      const page = await worlds.listDue(partition, { before, limit: DROPPED_AT_ONCE, ...after });
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < DROPPED_AT_ONCE) return;
      after = { after: last.key };
    }
  }

  /** Deletes a world that is due, unless it was touched or is in another slot of the store. */
  async #settleDue(
    { key, world: number }: DueWorld,
    first: number,
    records: Records,
  ): Promise<void> {
    const { worlds } = this.#dependencies;
    const world = worlds.atHand(number);
    if (world !== undefined && this.#isInUse(world, first)) {
      const filed = world.due;
      await this.#move(world);
      if (key[SLOT_PART] === filed) return;
    }
    if ((await records.due(number)) !== key[SLOT_PART]) {
      // The world is in another slot, or deleted: this entry is a leftover.
      await records.removeDue(key);
      return;
    }
    // A world that was called meanwhile stays, and is moved in the next round.
    const called = worlds.atHand(number);
    if (called === undefined || !this.#isInUse(called, first)) await worlds.drop(number);
  }

  /**
   * Number of worlds in the store that are not due, in the partitions that this node holds. Throws
   * TwinError `store_unavailable`.
   */
  async count(): Promise<number> {
    if (this.#dependencies.clock.now() < this.#countValidUntilMs) return this.#count;
    this.#counting ??= this.#recount().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #recount(): Promise<number> {
    const { clock, worlds } = this.#dependencies;
    const startMs = clock.now();
    const from = this.firstLivingSlot(startMs);
    const counts: number[] = [];
    let count = 0;
    for (let partition = 0; partition < PARTITION_COUNT; partition++) {
      if (worlds.recordsOf(partition) === undefined) continue;
      const found = await worlds.countDue(partition, from);
      counts[partition] = found;
      count += found;
    }
    const endMs = clock.now();
    this.#count = count;
    this.#counts = counts;
    this.#countValidUntilMs = endMs + REUSE_FACTOR * (endMs - startMs);
    return count;
  }

  /** As `count`, of one partition and as counted last; undefined if it was not. */
  lastCountOf(partition: number): number | undefined {
    return this.#counts[partition];
  }

  /** Whether it is due in the slot `first` or later: it is watched, or was touched since. */
  #isInUse(world: IdleWorld, first: number): boolean {
    return !world.isRetired && this.#slotNow(world) >= first;
  }
}
