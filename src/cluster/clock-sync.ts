import { SLEW_MAX } from '../clock.ts';
import type { Log } from '../log.ts';
import type { ClusterView } from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';

/** The last heartbeats, of which one tells the clock of the cluster best. */
const SAMPLES = 16;
/** By so much the clocks of two machines may part: quartz crystals are off by 100 ppm, few by more. */
const DRIFT_MAX = 0.0004;
/** The clock is moved by 1 ms at a time. */
const STEP_EVERY_MS = 1 / SLEW_MAX;
/** A step by less would not bring it nearer. */
const STEP_FROM_MS = 0.6;
/** Readings are told in whole ms. */
const ROUNDED_MS = 1;

/** The clock of this node, as it is kept in step. */
export interface SyncedClock {
  /** How far it is ahead of one that showed `readingMs` at a time of `Time.now`. */
  aheadMs(readingMs: number, atMs: number): number;
  /** Moves it by whole ms. */
  move(ms: number): void;
  /** Moves it by as much as the machine is known to have slept. */
  catchUpAfterSuspend(): number;
}

export interface ClockSyncDependencies {
  time: Time;
  leaseMs: number;
  log: Log;
  /** Called when the clock was set forward by these ms, which is more than marks in the store allow for. */
  wasSet: (ms: number) => void;
}

/** The reading of the cluster's clock at a time of `Time.now`, and how uncertain it is. */
interface Sample {
  readingMs: number;
  atMs: number;
  roundTripMs: number;
}

function sampleOf({ clockMs, sentMs, answeredMs }: ClusterView): Sample {
  const roundTripMs = answeredMs - sentMs;
  return { readingMs: clockMs, atMs: sentMs + roundTripMs / 2, roundTripMs };
}

/** Whether clocks that were in step all the time between cannot have shown both. */
function contradict(one: Sample, other: Sample): boolean {
  const betweenMs = Math.abs(one.atMs - other.atMs);
  const apartMs = Math.abs(one.readingMs - one.atMs - (other.readingMs - other.atMs));
  const uncertainMs = (one.roundTripMs + other.roundTripMs) / 2 + ROUNDED_MS;
  return apartMs > uncertainMs + betweenMs * DRIFT_MAX;
}

/** The reading of the cluster's clock at a time of `Time.now`, by one heartbeat. */
export function clusterReadingMs(view: ClusterView, atMs: number): number {
  const sample = sampleOf(view);
  return sample.readingMs + atMs - sample.atMs;
}

/**
 * Moves the clock of this node slowly towards that of the cluster: at most by SLEW_MAX, so that worlds go
 * on in nearly real time. Of the last heartbeats the least uncertain one counts: a slow answer says little, and
 * an old one less and less.
 *
 * A clock that is behind by more than a lease is moved at once. The cluster went on without this node, which
 * was taken for dead meanwhile: slowly it would take days to catch up, and whatever it takes over
 * would wait for it.
 */
export class ClockSync {
  readonly #clock: SyncedClock;
  readonly #time: Time;
  readonly #leaseMs: number;
  readonly #log: Log;
  readonly #wasSet: ClockSyncDependencies['wasSet'];
  readonly #stopTimer: StopTimer;
  #samples: Sample[] = [];

  constructor(clock: SyncedClock, { time, leaseMs, log, wasSet }: ClockSyncDependencies) {
    this.#clock = clock;
    this.#time = time;
    this.#leaseMs = leaseMs;
    this.#log = log;
    this.#wasSet = wasSet;
    this.#stopTimer = time.every(STEP_EVERY_MS, () => this.#step());
  }

  /** Takes what the store answered to a heartbeat. */
  heard(view: ClusterView): void {
    const sample = sampleOf(view);
    const { readingMs, atMs, roundTripMs } = sample;
    // Else it would be caught up with a second time.
    this.#clock.catchUpAfterSuspend();
    const behindMs = Math.floor(-this.#clock.aheadMs(readingMs, atMs) - roundTripMs / 2);
    // After a sleep of the machine, what was heard before it tells of another time.
    const valid = this.#samples.filter((each) => !contradict(each, sample));
    this.#samples = [...valid.slice(1 - SAMPLES), sample];
    if (behindMs <= this.#leaseMs) return;
    this.#clock.move(behindMs);
    this.#wasSet(behindMs);
    this.#log.warn(
      { behindMs },
      'the clock of the cluster went on without this node, which follows',
    );
  }

  /** How far this node's clock is ahead of the cluster's, ms; 0 before the first heartbeat. */
  get offsetMs(): number {
    const nowMs = this.#time.now();
    const uncertainMs = ({ roundTripMs, atMs }: Sample) =>
      roundTripMs / 2 + (nowMs - atMs) * DRIFT_MAX;
    const best = this.#samples.reduce<Sample | undefined>(
      (least, each) => (least && uncertainMs(least) <= uncertainMs(each) ? least : each),
      undefined,
    );
    return best ? this.#clock.aheadMs(best.readingMs, best.atMs) : 0;
  }

  #step(): void {
    const { offsetMs } = this;
    if (Math.abs(offsetMs) >= STEP_FROM_MS) this.#clock.move(offsetMs > 0 ? -1 : 1);
  }

  stop(): void {
    this.#stopTimer();
  }
}
