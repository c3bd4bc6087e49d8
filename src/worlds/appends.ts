import { TwinError } from '../errors.ts';
import type { NumberedChange } from '../shard/protocol.ts';
import type { Time } from '../time.ts';
import { JOURNAL_MAX } from '../twin/journal.ts';
import { UncertainWrite } from './records.ts';

/** A change that was accepted and waits to become durable. */
export interface AcceptedChange {
  /** Number of the hold that keeps the world before it. */
  hold: number;
  tick: number;
  car: number;
  touched: number;
  values: number;
  settle(error: unknown): void;
  /** Features of its car with it and all before it in; whoever is told of `settled` sets it. */
  declared: number;
  /** What `settle` settles, with those features. */
  readonly done: Promise<number>;
}

export interface AppendHooks {
  /** Makes a batch durable; rejects with nothing written, or with UncertainWrite. */
  append(changes: readonly NumberedChange[]): Promise<void>;
  /** After an UncertainWrite, however long it takes to find out: whether the batch is durable. */
  wasAppended(changes: readonly NumberedChange[]): Promise<boolean>;
  /** The batch is durable as `changes`, or is not and there are none: holds end here. */
  settled(batch: readonly AcceptedChange[], changes: readonly NumberedChange[]): void;
}

/**
 * Writes the accepted changes of one world to its journal, in order. One write is under way at a
 * time; what is accepted meanwhile makes the next one, so numbers have no holes whatever fails.
 * Where it is not known whether a write was made, nothing is accepted, and its holds stay, until
 * that is found out; who asked for it is told at once.
 */
export class Appends {
  readonly #time: Time;
  readonly #hooks: AppendHooks;
  #waiting: AcceptedChange[] = [];
  #writing: readonly AcceptedChange[] = [];
  #isWriting = false;
  #isInDoubt = false;
  #seq: number;
  #lastTick: number;

  /** `seq`, `lastTick`: number and tick of the last durable change, 0 and 0 without any. */
  constructor(time: Time, seq: number, lastTick: number, hooks: AppendHooks) {
    this.#time = time;
    this.#seq = seq;
    this.#lastTick = lastTick;
    this.#hooks = hooks;
  }

  /** Number of the last durable change. */
  get seq(): number {
    return this.#seq;
  }

  /** Tick of the last accepted change. */
  get lastTick(): number {
    return this.#lastTick;
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#writing.length === 0;
  }

  /** Accepted and not durable yet, in order. */
  get pending(): readonly AcceptedChange[] {
    return [...this.#writing, ...this.#waiting];
  }

  /** Whether nobody can tell yet how the car is switched. */
  isInDoubt(car: number): boolean {
    return this.#isInDoubt && this.#writing.some((change) => change.car === car);
  }

  /** The tick that a change accepted now gets: no earlier than that of the change before. */
  tickFor(tick: number): number {
    return Math.max(tick, this.#lastTick);
  }

  /**
   * Throws TwinError `rate_limited` where the world has all the changes it takes, and
   * `store_unavailable` while it is not known whether an earlier one was made.
   */
  add(change: AcceptedChange): void {
    if (this.#isInDoubt) throw new TwinError('store_unavailable', undefined, 1);
    if (this.#seq + this.#writing.length + this.#waiting.length >= JOURNAL_MAX) {
      throw new TwinError(
        'rate_limited',
        `A world takes ${JOURNAL_MAX} changes; make a new world with POST /api/v1/worlds.`,
        3600,
      );
    }
    this.#lastTick = change.tick;
    this.#waiting.push(change);
    if (this.#isWriting) return;
    this.#isWriting = true;
    // Whatever else comes in this turn of the event loop is written with it.
    this.#time.immediate(() => void this.#write());
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#writing = batch;
      const changes = batch.map(({ tick, car, touched, values }, i) => ({
        seq: this.#seq + 1 + i,
        tick,
        car,
        touched,
        values,
      }));
      const failure = await this.#hooks.append(changes).then(
        () => undefined,
        (reason: unknown) => reason ?? new Error('append failed'),
      );
      const isDurable =
        failure instanceof UncertainWrite
          ? await this.#findOut(batch, changes, failure)
          : failure === undefined;
      if (isDurable) this.#seq += changes.length;
      this.#writing = [];
      this.#hooks.settled(batch, isDurable ? changes : []);
      this.#isInDoubt = false;
      if (!(failure instanceof UncertainWrite)) for (const change of batch) change.settle(failure);
    }
    this.#isWriting = false;
  }

  /** Tells who asked, refuses what waits behind, and finds out whether the batch was written. */
  async #findOut(
    batch: readonly AcceptedChange[],
    changes: readonly NumberedChange[],
    error: UncertainWrite,
  ): Promise<boolean> {
    this.#isInDoubt = true;
    for (const change of batch) change.settle(error);
    const refused = this.#waiting;
    this.#waiting = [];
    this.#hooks.settled(refused, []);
    for (const change of refused) change.settle(new TwinError('store_unavailable', undefined, 1));
    return this.#hooks.wasAppended(changes);
  }
}
