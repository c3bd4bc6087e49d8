import type { Log } from '../log.ts';
import type { Key } from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';
import { PARTITION_COUNT } from '../twin/ids.ts';
import type { OwnedWorld } from './owned-world.ts';
import type { Records } from './records.ts';

/** Where the slot stands in a key of the index. */
const SLOT_PART = 3;
const SLOT_MS_MAX = 60_000;
const SLOT_MS_MIN = 1000;
/** Slots in an idle time: a world is dropped at most so much of it late. */
const SLOTS_PER_IDLE = 30;
/** Worlds dropped or moved at once. */
const AT_ONCE = 64;
/** A world that only feature calls keep alive catches up when it is this far behind, ticks. */
const LAG_TICKS = 45_000;

export interface IdleOptions {
  time: Time;
  now(): number;
  /** A world that nobody watched or called for so long is dropped. */
  idleMs: number;
  /** Those that count at the moment. */
  records(): Records;
  log: Log;
  atHand(world: number): OwnedWorld | undefined;
  forget(world: number): Promise<void>;
  /** The touches of all worlds at rest are in the store. */
  saved(): void;
}

/**
 * Finds idle worlds without a timer a world and without a scan: the store has an index of when
 * each falls due, by slots of time. Touches are kept in memory and moved there once a slot.
 */
export class IdleIndex {
  readonly #options: IdleOptions;
  readonly #slotMs: number;
  /** Called since the index was last brought up to date. */
  readonly #touched = new Set<OwnedWorld>();
  #stopTimer: StopTimer | undefined;
  #sweeping: Promise<void> | undefined;
  /** Worlds waiting to catch up, one after the other, and the last of them. */
  readonly #behind = new Set<OwnedWorld>();
  #catchingUp: Promise<void> = Promise.resolve();

  constructor(options: IdleOptions) {
    this.#options = options;
    this.#slotMs = Math.min(
      SLOT_MS_MAX,
      Math.max(SLOT_MS_MIN, Math.floor(options.idleMs / SLOTS_PER_IDLE)),
    );
  }

  start(): void {
    this.#stopTimer = this.#options.time.every(this.#slotMs / 2, () => {
      this.#sweeping ??= this.sweep().finally(() => {
        this.#sweeping = undefined;
      });
    });
  }

  /** Saves the touches that are not in the store yet, where it takes them. */
  async stop(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    await this.#sweeping;
    await this.#save().catch((err: unknown) => {
      this.#options.log.warn({ err }, 'the last calls of worlds were not saved');
    });
  }

  /** The slot in which a world falls due that was touched at this time. */
  slotOf(touchMs: number): number {
    return Math.ceil((touchMs + this.#options.idleMs) / this.#slotMs);
  }

  /** Worlds due in an earlier slot than this one are gone. */
  firstLivingSlot(nowMs: number): number {
    return Math.floor(nowMs / this.#slotMs);
  }

  touched(world: OwnedWorld): void {
    this.#touched.add(world);
  }

  /** No world's calls are known any more. */
  forgetAll(): void {
    this.#touched.clear();
  }

  isUnsaved(world: OwnedWorld): boolean {
    return this.#touched.has(world);
  }

  /** One round: touches to the store, then worlds that fell due are dropped. */
  async sweep(): Promise<void> {
    try {
      await this.#save();
      this.#options.saved();
      for (let partition = 0; partition < PARTITION_COUNT; partition++) {
        await this.#dropDue(partition);
      }
    } catch (err) {
      this.#options.log.warn({ err }, 'idle worlds could not be looked for');
    }
  }

  async #save(): Promise<void> {
    const worlds = [...this.#touched];
    for (let i = 0; i < worlds.length; i += AT_ONCE) {
      await Promise.all(worlds.slice(i, i + AT_ONCE).map((world) => this.#move(world)));
    }
  }

  /** Files a living world under the slot of its last touch. */
  async #move(world: OwnedWorld): Promise<void> {
    this.#touched.delete(world);
    if (world.dropped) return;
    world.forgetReaders();
    const watched = world.watcherCount > 0;
    const due = this.slotOf(watched ? this.#options.now() : world.lastTouchMs);
    if (due !== world.due) {
      try {
        await this.#options.records().moveDue(world.number, world.due, due);
        world.due = due;
      } catch (error) {
        this.#touched.add(world);
        throw error;
      }
    }
    // Nobody calls a world while it is watched: it is filed anew by itself.
    if (watched) this.#touched.add(world);
    else if (world.behindTicks > LAG_TICKS) this.#catchUp(world);
  }

  #catchUp(world: OwnedWorld): void {
    if (this.#behind.has(world)) return;
    this.#behind.add(world);
    this.#catchingUp = this.#catchingUp.then(async () => {
      this.#behind.delete(world);
      if (world.dropped || this.#stopTimer === undefined) return;
      await world.catchUp(LAG_TICKS).catch((err: unknown) => {
        this.#options.log.warn({ world: world.id, err }, 'a world could not catch up');
      });
    });
  }

  async #dropDue(partition: number): Promise<void> {
    const first = this.firstLivingSlot(this.#options.now());
    const records = this.#options.records();
    for (let after: Key | undefined; ; ) {
      const fallen = await records.fallenDue(partition, first, AT_ONCE, after);
      await Promise.all(fallen.map(({ key, world }) => this.#judge(key, world, first)));
      if (fallen.length < AT_ONCE) return;
      after = fallen.at(-1)?.key;
    }
  }

  async #judge(key: Key, number: number, first: number): Promise<void> {
    const { atHand, forget } = this.#options;
    const records = this.#options.records();
    const world = atHand(number);
    if (world !== undefined && this.#isWanted(world, first)) {
      const filed = world.due;
      await this.#move(world);
      if (key[SLOT_PART] === filed) return;
    }
    if ((await records.due(number)) !== key[SLOT_PART]) {
      // The world is filed elsewhere, or gone.
      await records.removeDue(number, key);
      return;
    }
    // Who was called while the store was asked stays, and is filed anew in the next round.
    const called = atHand(number);
    if (called === undefined || !this.#isWanted(called, first)) await forget(number);
  }

  /** Whether it is watched or was called so lately that it is not due before the slot `first`. */
  #isWanted(world: OwnedWorld, first: number): boolean {
    if (world.dropped) return false;
    return world.watcherCount > 0 || this.slotOf(world.lastTouchMs) >= first;
  }
}
