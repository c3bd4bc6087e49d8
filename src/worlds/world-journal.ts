import { CHANGE_DELAY_TICKS, MASK_CHECKPOINT_CHANGES } from '../limits.ts';
import type { NumberedChange, WorldCommand } from '../shard/protocol.ts';
import type { Time } from '../time.ts';
import { applyChange } from '../twin/journal.ts';
import { type AcceptedChange, Appends } from './appends.ts';
import { RefusedWrite, UncertainWrite, type WorldRecord } from './records.ts';

/** How often the store is asked what became of a write. */
const LOOK_AGAIN_MS = 200;

export interface WorldJournalHooks {
  /** The world's tick by the clock, which is published by reading it. */
  clockTick(): number;
  /** Makes changes durable, and the record with them where it is given. */
  append(changes: readonly NumberedChange[], record: WorldRecord | undefined): Promise<void>;
  /** Whether the record may be written with them: nobody else writes it. */
  mayWriteRecord(): boolean;
  /** Whether the store has a change. */
  hasChange(change: NumberedChange | undefined): Promise<boolean>;
  /** The store has other changes than are known here. */
  refused(): void;
  /** Tells the shard, where it has the world. */
  command(command: WorldCommand): void;
  readonly time: Time;
}

/**
 * The declared features of a world's cars, and the way of a change: its tick is chosen, the world
 * held before it, the journal written, and only then the world goes on and the change is answered.
 */
export class WorldJournal {
  readonly #hooks: WorldJournalHooks;
  readonly #record: WorldRecord;
  readonly #masks: Uint16Array;
  /** Masks with all accepted changes in, and the last accepted change of each car under way. */
  readonly #accepted: Uint16Array;
  readonly #under: (AcceptedChange | undefined)[] = [];
  readonly #appends: Appends;
  #isForgotten = false;
  #hold = 0;
  /** Changes that became durable while the world was on its way to memory. */
  #sinceOpening: NumberedChange[] | undefined;

  /** `last`: number and tick of the last change in the journal; `masks`: with it in. */
  constructor(
    record: WorldRecord,
    masks: Uint16Array,
    last: { seq: number; tick: number },
    hooks: WorldJournalHooks,
  ) {
    this.#record = record;
    this.#masks = masks;
    this.#accepted = masks.slice();
    this.#hooks = hooks;
    this.#appends = new Appends(hooks.time, last.seq, last.tick, {
      append: (changes) => this.#append(changes),
      wasAppended: ([first]) => this.#wasAppended(first),
      settled: (batch, changes) => this.#settled(batch, changes),
    });
  }

  get idle(): boolean {
    return this.#appends.idle;
  }

  /** Number of the last durable change. */
  get seq(): number {
    return this.#appends.seq;
  }

  /** Tick of the last accepted change. */
  get lastTick(): number {
    return this.#appends.lastTick;
  }

  /** Declared masks of all cars, durable changes included. */
  get masks(): readonly number[] {
    return [...this.#masks];
  }

  /** Throws UncertainWrite where nobody can tell yet. */
  declared(car: number): number {
    if (this.#appends.isInDoubt(car)) throw new UncertainWrite();
    return this.#masks[car] ?? 0;
  }

  /**
   * Resolves once the change is durable, with the features declared right after it. What changes
   * nothing is not written down.
   */
  change(car: number, touched: number, values: number): Promise<number> {
    const asked = { tick: 0, car, touched, values };
    const before = this.#accepted[car] ?? 0;
    const after = applyChange(before, asked);
    if (after === before) return this.#under[car]?.done ?? Promise.resolve(before);
    const tick = this.#appends.tickFor(this.#hooks.clockTick() + CHANGE_DELAY_TICKS);
    const { promise: done, resolve, reject } = Promise.withResolvers<number>();
    const settle = (error: unknown) =>
      error === undefined ? resolve(change.declared) : reject(error);
    const change = { ...asked, hold: this.#hold + 1, tick, declared: after, settle, done };
    this.#appends.add(change);
    this.#hold = change.hold;
    this.#accepted[car] = after;
    this.#under[car] = change;
    // The hold goes out in the same turn as the clock was read: see `NodeClock`.
    this.#hooks.command({ kind: 'hold', hold: change.hold, tick });
    return done;
  }

  async #append(changes: readonly NumberedChange[]): Promise<void> {
    try {
      await this.#write(changes);
    } catch (error) {
      // What the store has is not what is known here: the next request reads it anew.
      if (error instanceof RefusedWrite) this.#hooks.refused();
      throw error;
    }
  }

  async #wasAppended(first: NumberedChange | undefined): Promise<boolean> {
    while (!this.#isForgotten) {
      try {
        return await this.#hooks.hasChange(first);
      } catch {
        await this.#hooks.time.sleep(LOOK_AGAIN_MS);
      }
    }
    return false;
  }

  /** Nobody needs to know any more what became of its writes. */
  forget(): void {
    this.#isForgotten = true;
  }

  #write(changes: readonly NumberedChange[]): Promise<void> {
    const { seq: maskSeq = 0, tick: maskTick = 0 } = changes.at(-1) ?? {};
    const isStale = maskSeq - this.#record.maskSeq >= MASK_CHECKPOINT_CHANGES;
    if (!isStale || !this.#hooks.mayWriteRecord()) return this.#hooks.append(changes, undefined);
    const masks = [...this.#masks];
    for (const change of changes) masks[change.car] = applyChange(masks[change.car] ?? 0, change);
    const upToDate = { masks, maskSeq, maskTick };
    return this.#hooks.append(changes, { ...this.#record, ...upToDate }).then(() => {
      Object.assign(this.#record, upToDate);
    });
  }

  #settled(batch: readonly AcceptedChange[], changes: readonly NumberedChange[]): void {
    this.#sinceOpening?.push(...changes);
    for (const [i, accepted] of batch.entries()) {
      const change = changes[i];
      const durable = change === undefined ? [] : [change];
      if (change !== undefined) {
        accepted.declared = applyChange(this.#masks[change.car] ?? 0, change);
        this.#masks[change.car] = accepted.declared;
      }
      this.#hooks.command({ kind: 'resolve', hold: accepted.hold, changes: durable });
      if (this.#under[accepted.car] === accepted) this.#under[accepted.car] = undefined;
    }
    if (changes.length === 0) this.#acceptAnew();
  }

  /** Changes were refused: what was accepted behind them stands on what is durable. */
  #acceptAnew(): void {
    this.#accepted.set(this.#masks);
    for (const change of this.#appends.pending) {
      this.#accepted[change.car] = applyChange(this.#accepted[change.car] ?? 0, change);
    }
  }

  /** The world is on its way to memory, with the changes that are durable now or soon. */
  beginHandOver(): void {
    this.#sinceOpening = [];
  }

  /** It is there: tells the shard what was accepted meanwhile, before anything moves. */
  handOver(): void {
    const changes = this.#sinceOpening ?? [];
    if (changes.length > 0) this.#hooks.command({ kind: 'resolve', hold: 0, changes });
    for (const { hold, tick } of this.#appends.pending) {
      this.#hooks.command({ kind: 'hold', hold, tick });
    }
    this.endHandOver();
  }

  endHandOver(): void {
    this.#sinceOpening = undefined;
  }
}
