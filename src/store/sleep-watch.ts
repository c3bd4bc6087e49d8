import type { Time } from '../time.ts';
import { RELIED_ON } from './contract.ts';

/** If another clock runs ahead of the monotonic clock by this much, the machine may have slept. */
const SLEPT_MS = 500;
/**
 * A shorter sleep goes unnoticed, and lets a lease run out earlier than its holder counts on. So it must be
 * well below the part of a lease that is not relied on.
 */
const SLEPT_SHARE = (1 - RELIED_ON) / 2;
/** How often the time since the machine started is read, by the wall clock: it takes 3 µs. */
const UPTIME_MS = 50;

type Clocks = Pick<Time, 'now' | 'wallMs' | 'machineUpMs'>;

/**
 * Notices that the machine has slept. Its monotonic clock, by which leases are measured, stood still
 * meanwhile. The time since it started did not, and can be read. The wall clock shows a sleep as well of
 * which the machine knows nothing, as where a virtual machine was halted, but somebody may have set it.
 */
export class SleepWatch {
  readonly #time: Clocks;
  readonly #sleptMs: number;
  #wallAheadMs: number;
  #upAheadMs: number;
  #uptimeReadMs = 0;

  /** `leaseMs`: of the leases that are held; undefined: there are none. */
  constructor(time: Clocks, leaseMs = Number.POSITIVE_INFINITY) {
    this.#time = time;
    this.#sleptMs = Math.min(SLEPT_MS, SLEPT_SHARE * leaseMs);
    this.#wallAheadMs = time.wallMs() - time.now();
    this.#upAheadMs = time.machineUpMs() - time.now();
  }

  /** Returns whether it may have slept since the last call. */
  hasSlept(nowMs: number): boolean {
    const wallMs = this.#time.wallMs();
    const wallAheadMs = wallMs - nowMs;
    const isWallAhead = wallAheadMs - this.#wallAheadMs > this.#sleptMs;
    if (wallAheadMs < this.#wallAheadMs || isWallAhead) this.#wallAheadMs = wallAheadMs;
    const sinceMs = wallMs - this.#uptimeReadMs;
    // A clock that was set back may hide how long ago that was.
    const isUpAhead = (sinceMs < 0 || sinceMs >= UPTIME_MS) && this.#isUpAhead(wallMs, nowMs);
    return isWallAhead || isUpAhead;
  }

  #isUpAhead(wallMs: number, nowMs: number): boolean {
    this.#uptimeReadMs = wallMs;
    const upAheadMs = this.#time.machineUpMs() - nowMs;
    const isAhead = upAheadMs - this.#upAheadMs > this.#sleptMs;
    if (upAheadMs < this.#upAheadMs || isAhead) this.#upAheadMs = upAheadMs;
    return isAhead;
  }
}
