import type { Grant, Reservation } from '../contract.ts';
import { tokenOf } from './slot-lease.ts';
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
  isPutOff = false;
  /** From when on another process may have had the partition. */
  #goneMs = Number.POSITIVE_INFINITY;

  constructor(partition: number, slot: PartitionSlot, name: string) {
    this.partition = partition;
    this.slot = slot;
    this.name = name;
  }

  untilMs(): number {
    return this.isLost ? NEVER : this.renewal.deadlineMs;
  }

  /**
   * Until when nobody else can have had the partition, also of a grant that is lost.
   * @param sleptMs when the machine may have slept last: meanwhile its clock stood still
   */
  heldUntilMs(sleptMs: number): number {
    const { askedMs, deadlineMs } = this.renewal;
    return askedMs <= sleptMs ? NEVER : Math.min(this.#goneMs, deadlineMs);
  }

  askedMs(): number {
    return this.isLost ? NEVER : this.renewal.askedMs;
  }

  latestReadingMs(): number {
    return this.latestMs;
  }

  /** What Redis has answered: answers may come later than those to later renewals. */
  renewed(renewal: Renewal): void {
    if (this.isLost) return;
    this.isPutOff = false;
    if (renewal.askedMs > this.renewal.askedMs) this.renewal = renewal;
    this.latestMs = Math.max(renewal.latestMs, this.latestMs);
  }

  /** @param goneMs from when on another process may have had the partition; Infinity: it did not */
  lose(reason: string, goneMs: number): void {
    this.isLost = true;
    this.reason = reason;
    this.#goneMs = Math.min(goneMs, this.#goneMs);
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
