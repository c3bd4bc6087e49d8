import type { Grant, Reservation } from '../contract.ts';
import { LAST_WRITES_LOST, tokenOf } from './slot-lease.ts';
import type { PartitionSlot } from './slots.ts';

const NEVER = Number.NEGATIVE_INFINITY;
const NO_RENEWAL: Renewal = { askedMs: NEVER, deadlineMs: NEVER, latestMs: NEVER };

/** What a renewal that is sent now is good for. */
export interface Renewal {
  /** By `Time.now`, as is the deadline. */
  askedMs: number;
  deadlineMs: number;
  /** The latest reading of the clock by then. */
  latestMs: number;
}

/** A grant that the lease of a partition in Redis stands for. */
export class RedisGrant implements Grant {
  readonly partition: number;
  readonly slot: PartitionSlot;
  /** Names this grant in Redis. It is never used again. */
  readonly name: string;
  epoch = 0;
  floorMs = 0;
  /** The connection over which it may write: see `lease.lua`. */
  session = 0;
  renewal: Renewal = NO_RENEWAL;
  latestMs = NEVER;
  isLost = false;
  /** Why it is lost. */
  reason = '';
  /** When it was given up, or another was heard to have the partition. A loss of writes does not count. */
  #goneMs = Number.POSITIVE_INFINITY;
  /** By which the process could rely on it the longest, unless it is gone. */
  #longest = NO_RENEWAL;

  constructor(partition: number, slot: PartitionSlot, name: string) {
    this.partition = partition;
    this.slot = slot;
    this.name = name;
  }

  untilMs(): number {
    return this.renewal.deadlineMs;
  }

  /**
   * Until when nobody else can have had the partition, also of a grant that is lost.
   * @param sleptMs when the machine may have slept last: meanwhile its clock stood still
   */
  heldUntilMs(sleptMs: number): number {
    const { askedMs, deadlineMs } = this.#longest;
    return askedMs <= sleptMs ? NEVER : Math.min(this.#goneMs, deadlineMs);
  }

  askedMs(): number {
    return this.renewal.askedMs;
  }

  latestReadingMs(): number {
    return this.latestMs;
  }

  /** What Redis has answered: answers may come later than those to later renewals. */
  renewed(renewal: Renewal): void {
    if (this.isLost) return;
    if (renewal.askedMs > this.renewal.askedMs) this.renewal = renewal;
    this.latestMs = Math.max(renewal.latestMs, this.latestMs);
    if (renewal.deadlineMs > this.#longest.deadlineMs) this.#longest = renewal;
  }

  lose(reason: string, nowMs: number): void {
    this.isLost = true;
    this.reason = reason;
    this.renewal = NO_RENEWAL;
    if (reason !== LAST_WRITES_LOST) this.#goneMs = Math.min(nowMs, this.#goneMs);
  }
}

export class RedisReservation implements Reservation {
  readonly grant: RedisGrant;
  readonly token: string;

  constructor(grant: RedisGrant, session: number) {
    this.grant = grant;
    this.token = tokenOf(grant.name, session);
  }

  get partition(): number {
    return this.grant.partition;
  }
}
