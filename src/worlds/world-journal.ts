import { TICK_MS } from '../../assembly/layout.ts';
import { BetweenNodes, TwinError } from '../errors.ts';
import { CHANGE_DELAY_TICKS, JOURNAL_WRITE_MAX, MASK_CHECKPOINT_CHANGES } from '../limits.ts';
import {
  applyChange,
  type Change,
  JOURNAL_MAX,
  type NumberedChange,
  withChanges,
} from '../twin/journal.ts';
import { JournalHash } from '../twin/journal-hash.ts';
import type { World } from '../twin-service.ts';
import type { Records, WorldRecord } from './records.ts';
import type { Residency } from './residency.ts';
import type { WorldDependencies } from './world-dependencies.ts';
import type { WorldTicks } from './world-ticks.ts';
import { UncertainWrite } from './write-errors.ts';

/** Pause between attempts to read the outcome of a write. */
const READ_BACK_MS = 200;

/** A change that is accepted and not durable yet. */
interface AcceptedChange extends Change {
  /** Number of its hold. */
  readonly hold: number;
  /** Declared features of the car after this change. */
  declared: number;
  readonly outcome: PromiseWithResolvers<number>;
}

export interface ChangeCollection {
  readonly changes: readonly NumberedChange[];
  end(): void;
}

export interface WorldJournalDependencies {
  readonly world: Pick<World, 'number'>;
  readonly record: WorldRecord;
  readonly ticks: WorldTicks;
  readonly residency: Pick<Residency, 'command'>;
  /** Called with each change that is durable, in order, before whoever made it is answered. */
  readonly changed?: (change: NumberedChange) => void;
  readonly shared: Pick<WorldDependencies, 'isShown' | 'kernel' | 'time'> & {
    readonly records: Pick<Records, 'append' | 'hasChange'>;
  };
}

/**
 * The declared features of a world's cars, and the journal of their changes. A change gets a tick,
 * and a hold keeps the world before that tick. When the change is durable in the journal, the hold
 * is resolved and the caller gets the answer.
 *
 * Only one write is under way at a time. Changes that are accepted meanwhile form the next ones, so the numbers have no gaps even if a write fails. If the outcome of a write is unknown, its
 * callers get an error at once. Until the outcome is known, the holds stay and no change is
 * accepted.
 */
export class WorldJournal {
  readonly #dependencies: WorldJournalDependencies;
  readonly #masks: Uint16Array;
  /** Declared masks after all accepted changes; and the last accepted change of each car. */
  readonly #accepted: Uint16Array;
  readonly #underWay: (AcceptedChange | undefined)[] = [];
  #waiting: AcceptedChange[] = [];
  #writing: readonly AcceptedChange[] = [];
  /** Resolved when nothing is left to write; undefined: nothing is. */
  #settled: PromiseWithResolvers<void> | undefined;
  #isInDoubt = false;
  #isForgotten = false;
  #hold = 0;
  #seq: number;
  #lastTick: number;
  /** Up to the last durable change; undefined: nobody has asked, and none came after the masks of the record. */
  #hash: JournalHash | undefined;
  /** Those that collect the changes that become durable. Absent where nobody does, as for most worlds. */
  #collections: Set<NumberedChange[]> | undefined;
  /** Changes that became durable while the world was being loaded. */
  #sinceLoading: ChangeCollection | undefined;

  /** `changes`: those after the masks of the record. */
  constructor(changes: readonly NumberedChange[], dependencies: WorldJournalDependencies) {
    const { masks, maskSeq, maskTick } = dependencies.record;
    this.#dependencies = dependencies;
    this.#masks = Uint16Array.from(withChanges(masks, changes));
    this.#accepted = this.#masks.slice();
    this.#seq = changes.at(-1)?.seq ?? maskSeq;
    this.#lastTick = changes.at(-1)?.tick ?? maskTick;
    const { record } = dependencies;
    const sinceStart = changes.filter(({ seq }) => seq > record.from.seq);
    if (sinceStart.length > 0) this.#hash = withAll(recordedHash(record), sinceStart);
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#writing.length === 0;
  }

  /** Journal number of the last durable change. */
  get seq(): number {
    return this.#seq;
  }

  /** Of the journal up to `seq`; undefined if an earlier version wrote a part of it. */
  get hash(): JournalHash | undefined {
    this.#hash ??= recordedHash(this.#dependencies.record);
    return this.#hash;
  }

  /** Takes the hash up to `seq`, which was made from the whole journal. */
  learnHash(hash: JournalHash, seq: number): void {
    if (seq === this.#seq) this.#hash ??= hash;
  }

  /** The world starts anew after the last change. */
  startedOver(): void {
    this.#hash = undefined;
  }

  /** Tick of the last accepted change. */
  get lastTick(): number {
    return this.#lastTick;
  }

  /** Waits until the last change has taken effect: clients look for their changes in what follows. */
  async untilInEffect(): Promise<void> {
    const { ticks, shared } = this.#dependencies;
    const aheadTicks = () => this.#lastTick - ticks.now();
    // In a loop, since a timer may fire a little early.
    while (aheadTicks() > 0) await shared.time.sleep(aheadTicks() * TICK_MS);
  }

  /** Declared masks of all cars after all durable changes. */
  get masks(): readonly number[] {
    return [...this.#masks];
  }

  /** Throws UncertainWrite while the outcome of a change to the car is unknown. */
  declared(car: number): number {
    if (this.#isInDoubt && this.#writing.some((change) => change.car === car)) {
      throw new UncertainWrite();
    }
    return this.#masks[car] ?? 0;
  }

  /** Throws UncertainWrite while the outcome of a change is unknown: the store may not show it yet. */
  refuseInDoubt(): void {
    if (this.#isInDoubt) throw new UncertainWrite();
  }

  // ── accepting ───────────────────────────────────────────────────────────────────────────────

  /**
   * Resolves once the change is durable, with the declared features right after it. A change that
   * changes nothing is not written. Rejects with RefusedWrite if the store has other changes of
   * this world.
   */
  change(car: number, touched: number, values: number): Promise<number> {
    const before = this.#accepted[car] ?? 0;
    const declared = applyChange(before, { tick: 0, car, touched, values });
    if (declared === before) return this.#repeated(car, touched, values);
    this.#refuseUnlessOpen();
    const { ticks, shared } = this.#dependencies;
    const tick = Math.max(ticks.now() + CHANGE_DELAY_TICKS, this.#lastTick);
    const outcome = Promise.withResolvers<number>();
    const change = { hold: ++this.#hold, tick, car, touched, values, declared, outcome };
    this.#lastTick = tick;
    this.#accepted[car] = declared;
    this.#underWay[car] = change;
    this.#waiting.push(change);
    this.#showHold();
    // Sent in the same turn of the event loop in which the clock was read: see `NodeClock`.
    this.#dependencies.residency.command({ kind: 'hold', hold: change.hold, tick });
    if (this.#settled === undefined) {
      this.#settled = Promise.withResolvers();
      // The changes of this turn of the event loop form one write.
      shared.time.immediate(() => void this.#writeAll());
    }
    return outcome.promise;
  }

  /** A change that changes nothing of what is accepted waits until that is durable. */
  async #repeated(car: number, touched: number, values: number): Promise<number> {
    const durable = await (this.#underWay[car]?.outcome.promise ?? this.#masks[car] ?? 0);
    if (applyChange(durable, { tick: 0, car, touched, values }) === durable) return durable;
    // What it repeats was refused; a later change of the car was not.
    throw new TwinError('store_unavailable', undefined, 1);
  }

  #refuseUnlessOpen(): void {
    if (!this.#dependencies.shared.isShown()) throw new BetweenNodes();
    if (this.#isInDoubt) throw new TwinError('store_unavailable', undefined, 1);
    if (this.#seq + this.#writing.length + this.#waiting.length < JOURNAL_MAX) return;
    throw new TwinError(
      'rate_limited',
      `A world takes ${JOURNAL_MAX} changes; make a new world with POST /api/v1/worlds.`,
      3600,
    );
  }

  // ── writing ─────────────────────────────────────────────────────────────────────────────────

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, JOURNAL_WRITE_MAX);
      this.#waiting = this.#waiting.slice(JOURNAL_WRITE_MAX);
      this.#writing = batch;
      const changes = batch.map(({ tick, car, touched, values }, i) => ({
        seq: this.#seq + 1 + i,
        tick,
        car,
        touched,
        values,
      }));
      try {
        await this.#write(changes);
        this.#settle(batch, changes);
        for (const { outcome, declared } of batch) outcome.resolve(declared);
      } catch (error) {
        if (error instanceof UncertainWrite) await this.#resolveDoubt(batch, changes, error);
        else {
          this.#settle(batch, []);
          for (const { outcome } of batch) outcome.reject(error);
        }
      }
    }
    this.#settled?.resolve();
    this.#settled = undefined;
  }

  /** Resolves once the outcomes of all accepted changes are known. */
  async settled(): Promise<void> {
    await this.#settled?.promise;
  }

  /**
   * Resolves once no change up to a tick that has passed is under way. Throws UncertainWrite while the
   * outcome of one is unknown.
   */
  async settledUpTo(tick: number): Promise<void> {
    for (;;) {
      const [first] = this.#pending();
      if (first === undefined || first.tick > tick) return;
      this.refuseInDoubt();
      await first.outcome.promise.catch(() => {});
    }
  }

  /** Writes changes; every MASK_CHECKPOINT_CHANGES changes also the record, with current masks. */
  async #write(changes: readonly NumberedChange[]): Promise<void> {
    const { world, record, shared } = this.#dependencies;
    const { records, kernel } = shared;
    const { seq: maskSeq = 0, tick: maskTick = 0 } = changes.at(-1) ?? {};
    const isDue = maskSeq - record.maskSeq >= MASK_CHECKPOINT_CHANGES;
    // A record of another kernel is replaced when the world is loaded.
    if (!isDue || record.kernel !== kernel) return records.append(world.number, changes);
    const upToDate = {
      ...{ masks: withChanges(this.#masks, changes), maskSeq, maskTick },
      ...hashedAt(maskSeq, withAll(this.hash?.copy(), changes)),
    };
    await records.append(world.number, changes, { ...record, ...upToDate });
    Object.assign(record, upToDate);
  }

  /** Rejects the batch and all waiting changes, and reads back whether the batch was written. */
  async #resolveDoubt(
    batch: readonly AcceptedChange[],
    changes: readonly NumberedChange[],
    error: UncertainWrite,
  ): Promise<void> {
    this.#isInDoubt = true;
    for (const { outcome } of batch) outcome.reject(error);
    const refused = this.#waiting;
    this.#waiting = [];
    this.#settle(refused, [], batch);
    const refusal = new TwinError('store_unavailable', undefined, 1);
    for (const { outcome } of refused) outcome.reject(refusal);
    await error.settled;
    const isWritten = await this.#readBack(changes);
    this.#settle(batch, isWritten ? changes : []);
    this.#isInDoubt = false;
  }

  async #readBack([first]: readonly NumberedChange[]): Promise<boolean> {
    const { world, shared } = this.#dependencies;
    while (!this.#isForgotten) {
      try {
        return await shared.records.hasChange(world.number, first);
      } catch {
        await shared.time.sleep(READ_BACK_MS);
      }
    }
    return false;
  }

  /** Resolves the holds of a batch. `changes`: the batch if it is durable, else empty. */
  #settle(
    batch: readonly AcceptedChange[],
    changes: readonly NumberedChange[],
    writing: readonly AcceptedChange[] = [],
  ): void {
    this.#writing = writing;
    for (const change of changes) this.#append(change);
    const { residency } = this.#dependencies;
    for (const [i, accepted] of batch.entries()) {
      const change = changes[i];
      if (change !== undefined) {
        accepted.declared = applyChange(this.#masks[change.car] ?? 0, change);
        this.#masks[change.car] = accepted.declared;
      }
      const durable = change === undefined ? [] : [change];
      residency.command({ kind: 'resolve', hold: accepted.hold, changes: durable });
      if (this.#underWay[accepted.car] === accepted) this.#underWay[accepted.car] = undefined;
    }
    if (changes.length === 0) this.#acceptAgain();
    this.#showHold();
  }

  /** A change is durable. */
  #append(change: NumberedChange): void {
    this.hash?.add(change);
    this.#seq = change.seq;
    for (const collection of this.#collections ?? []) collection.push(change);
    this.#dependencies.changed?.(change);
  }

  #showHold(): void {
    const first = this.#writing[0] ?? this.#waiting[0];
    this.#dependencies.ticks.holdTick = first?.tick ?? Number.POSITIVE_INFINITY;
  }

  /** After a refused change: applies the other accepted changes to the durable masks. */
  #acceptAgain(): void {
    this.#accepted.set(withChanges(this.#masks, this.#pending()));
    // Whoever sends one of them again waits for its outcome, or is told that it is not known.
    for (const change of this.#pending()) this.#underWay[change.car] = change;
  }

  #pending(): readonly AcceptedChange[] {
    return [...this.#writing, ...this.#waiting];
  }

  /** Stops reading back outcomes. */
  forget(): void {
    this.#isForgotten = true;
  }

  // ── loading the world ───────────────────────────────────────────────────────────────────────

  /** Begins to collect the changes that become durable while the world is being loaded. */
  beginLoading(): void {
    this.endLoading();
    this.#sinceLoading = this.collect();
  }

  /** Collects the changes that become durable from now on, until `end`. */
  collect(): ChangeCollection {
    const changes: NumberedChange[] = [];
    this.#collections ??= new Set();
    this.#collections.add(changes);
    const end = () => {
      this.#collections?.delete(changes);
      if (this.#collections?.size === 0) this.#collections = undefined;
    };
    return { changes, end };
  }

  /** Sends the shard the collected changes, and holds for changes that are not durable yet. */
  loaded(): void {
    const { changes } = this.#sinceLoading ?? { changes: [] };
    const { residency } = this.#dependencies;
    if (changes.length > 0) residency.command({ kind: 'resolve', hold: 0, changes });
    for (const { hold, tick } of this.#pending()) residency.command({ kind: 'hold', hold, tick });
    this.endLoading();
  }

  endLoading(): void {
    this.#sinceLoading?.end();
    this.#sinceLoading = undefined;
  }
}

/** Up to the masks of a record, or to its start if that is later; undefined if the record does not show it. */
function recordedHash({ seed, from, maskSeq, hashed }: WorldRecord): JournalHash | undefined {
  if (maskSeq <= from.seq) return JournalHash.ofStart(seed, from);
  return hashed?.seq === maskSeq ? JournalHash.parse(hashed.hash) : undefined;
}

/** The part of a record that tells a hash, if there is one. */
export function hashedAt(seq: number, hash: JournalHash | undefined): Pick<WorldRecord, 'hashed'> {
  return hash === undefined ? {} : { hashed: { seq, hash: hash.toString() } };
}

/** Adds changes to a hash, if there is one, and returns it. */
function withAll(
  hash: JournalHash | undefined,
  changes: readonly NumberedChange[],
): JournalHash | undefined {
  for (const change of changes) hash?.add(change);
  return hash;
}
