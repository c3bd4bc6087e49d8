import type { NodeClock } from '../clock.ts';
import { Histogram } from '../histogram.ts';
import type { Log } from '../log.ts';
import {
  type Claims,
  type Grant,
  type Held,
  type Lost,
  type Reservation,
  StoreUnavailable,
  type Taking,
} from '../store/contract.ts';
import { SleepWatch } from '../store/sleep-watch.ts';
import type { StopTimer, Time } from '../time.ts';
import type { HeldPartitions, PartitionedWorlds } from '../worlds/held-partitions.ts';

const NEVER = Number.NEGATIVE_INFINITY;

interface Range {
  grant: Grant | undefined;
  /** The grant was not renewed in time: the worlds are kept, and not shown. */
  isSuspended: boolean;
  /** Its worlds leave, and then the grant is released. */
  isLeaving: boolean;
  /** It is being given to another node, which goes on with its worlds. */
  isHidden: boolean;
  /** Another node is giving it to this one. */
  isReserved: boolean;
}

type RangesClock = Pick<NodeClock, 'now' | 'catchUpAfterSuspend'>;

export interface RangesDependencies {
  /** The partitions of the store are numbered from 0. */
  partitionCount: number;
  log: Log;
  time: Time;
}

/**
 * The partitions that this node holds: it renews what it has, and stops showing worlds whose partition
 * was not renewed in time. If it can be renewed later, its worlds go on in memory. Once it is lost,
 * they are read from the store again under a new grant. What to take and to give is not decided here.
 */
export class Ranges implements HeldPartitions {
  /** Partitions that were lost, whatever the reason: not those that were given up. */
  lostCount = 0;
  /** How long it took to renew all that was held. */
  readonly renewals = new Histogram();
  readonly partitionCount: number;
  readonly #claims: Claims;
  readonly #log: Log;
  readonly #time: Time;
  readonly #ranges: readonly Range[];
  /** By partition: see `lostEpochOf`. */
  readonly #lostEpochs: (number | undefined)[] = [];
  /** By partition: from when and until when its worlds may be shown, by `Time.now`. */
  readonly #fromMs: Float64Array;
  readonly #untilMs: Float64Array;
  #limitMs = NEVER;
  #latestReadingMs = NEVER;
  readonly #sleepWatch: SleepWatch;
  /** Those that were not renewed when others were. */
  readonly #passedOver = new WeakSet<Grant>();
  /** When grants were doubted last: the machine may have slept, or the clock was set; undefined: never. */
  #doubtedMs: number | undefined;
  #worlds: PartitionedWorlds = { suspend() {}, leave: async () => {} };
  #clock: RangesClock | undefined;
  #renewing: Promise<void> | undefined;
  /** Another renewal follows the one that is under way. */
  #isRenewalWanted = false;
  #stopRenewal: StopTimer = () => {};
  #stopExpiry: StopTimer = () => {};
  #isStopped = false;

  constructor(claims: Claims, { partitionCount, log, time }: RangesDependencies) {
    this.partitionCount = partitionCount;
    this.#fromMs = new Float64Array(partitionCount).fill(NEVER);
    this.#untilMs = new Float64Array(partitionCount).fill(NEVER);
    this.#claims = claims;
    this.#log = log;
    this.#time = time;
    this.#sleepWatch = new SleepWatch(time, claims.leaseMs);
    this.#ranges = Array.from({ length: partitionCount }, () => ({
      ...{ grant: undefined, isSuspended: false, isLeaving: false, isHidden: false },
      isReserved: false,
    }));
  }

  /** `clock`: answers of a taken partition lie above what its last holder may have shown of it. */
  use(worlds: PartitionedWorlds, clock: RangesClock): void {
    this.#worlds = worlds;
    this.#clock = clock;
  }

  /** Renews from now on what it holds. */
  start(): void {
    const { renewalMs } = this.#claims;
    if (renewalMs === undefined) return;
    this.#stopRenewal = this.#time.every(renewalMs, () => void this.renew());
    this.#claims.onTrouble(() => void this.#renewAnew());
  }

  /** Takes all partitions of a store that one process has for itself. */
  async takeAll(): Promise<void> {
    await Promise.all(this.#ranges.map((_, partition) => this.take(partition, 'free')));
  }

  /** Keeps what it holds as it is. What is not renewed expires. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopRenewal();
    this.#stopExpiry();
    await this.#renewing;
  }

  /** Takes a partition that is to be had; undefined: the store does not answer. */
  async take(partition: number, what: Taking): Promise<Grant | Held | undefined> {
    const range = this.#ranges[partition];
    if (range === undefined || this.#isStopped) return undefined;
    if (range.grant !== undefined) return range.grant;
    if (range.isReserved) return undefined;
    const taken = await this.#claims
      .take(partition, what)
      .catch((error: unknown) => ignoreUnavailable(error));
    if (taken === undefined || 'holder' in taken) return taken;
    if (this.#isStopped) {
      await this.#claims.release([taken]);
      return undefined;
    }
    // Clocks of nodes differ a little, and the clock of the last holder may have been ahead.
    const waitMs = Math.max(0, taken.floorMs - (this.#clock?.now() ?? 0));
    this.#hold(taken, Number.isFinite(waitMs) ? waitMs : 0);
    this.#update();
    return taken;
  }

  /** Its worlds are not shown before `waitMs` have passed. */
  #hold(grant: Grant, waitMs: number): void {
    const { partition } = grant;
    const states = { isSuspended: false, isLeaving: false, isHidden: false, isReserved: false };
    Object.assign(this.#ranges[partition] ?? {}, { grant, ...states });
    this.#lostEpochs[partition] = undefined;
    this.#fromMs[partition] = this.#time.now() + waitMs;
  }

  // ── handovers ───────────────────────────────────────────────────────────────────────────────

  /** Prepares for a partition that another node gives to this one. */
  reserve(partition: number): Reservation {
    if (this.#claims.handovers === undefined) throw new TypeError('this store knows no handovers');
    const range = this.#ranges[partition];
    if (range !== undefined) range.isReserved = true;
    return this.#claims.handovers.reserve(partition);
  }

  /** While it is hidden, nothing of a partition is shown; it is still held. */
  setHidden(partition: number, isHidden: boolean): void {
    const range = this.#ranges[partition];
    if (range !== undefined) range.isHidden = isHidden;
    this.#update();
  }

  /**
   * Gives a hidden partition to a reservation of another node. See `Handovers.give`. Never rejects. Where it was
   * given, `leaveGiven` must follow by the next turn of the event loop: the partition may come back.
   */
  async give(partition: number, token: string): Promise<'given' | 'kept'> {
    const grant = this.#ranges[partition]?.grant;
    const { handovers } = this.#claims;
    if (grant === undefined || handovers === undefined) return 'given';
    if ((await handovers.give(grant, token)) === 'kept') return 'kept';
    this.#drop(grant);
    this.#update();
    return 'given';
  }

  /** Has the worlds of a partition leave that was given. */
  leaveGiven(partition: number): void {
    void this.#worlds.leave(new Set([partition]));
  }

  /**
   * Takes a partition if it was given to a reservation of this node. Its last holder has shown nothing
   * since: there is nothing to wait for.
   * @param takeIn called at once: nothing of it was shown here before
   */
  async accept(reservation: Reservation, takeIn: () => void): Promise<boolean> {
    const grant = await this.#claims.handovers
      ?.accept(reservation)
      .catch((error: unknown) => ignoreUnavailable(error));
    if (grant === undefined) return false;
    if (this.#isStopped) {
      await this.#claims.release([grant]);
      return false;
    }
    this.#hold(grant, 0);
    this.#update();
    takeIn();
    return true;
  }

  /** Gives up a reservation, also if the partition still comes. Never rejects. */
  async cancel(reservation: Reservation): Promise<void> {
    const range = this.#ranges[reservation.partition];
    if (range !== undefined) range.isReserved = false;
    await this.#claims.handovers?.cancel(reservation);
  }

  // ── giving up ───────────────────────────────────────────────────────────────────────────────

  /** Has the worlds of partitions leave, then lets others take these. Never rejects. */
  async release(partitions: ReadonlySet<number>): Promise<void> {
    const grants: Grant[] = [];
    for (const partition of partitions) {
      const range = this.#ranges[partition];
      if (range?.grant === undefined || range.isLeaving) continue;
      range.isLeaving = true;
      grants.push(range.grant);
    }
    if (grants.length === 0) return;
    this.#update();
    await this.#worlds.leave(new Set(grants.map(({ partition }) => partition)));
    for (const grant of grants) this.#drop(grant);
    this.#update();
    await this.#claims.release(grants);
  }

  /** Also of a partition that is suspended. */
  grantOf(partition: number): Grant | undefined {
    return this.#ranges[partition]?.grant;
  }

  /** What it holds and does not give up. */
  held(): readonly Grant[] {
    return this.#ranges.flatMap(({ grant, isLeaving }) => (grant && !isLeaving ? grant : []));
  }

  /** Whether `held` lists a partition. */
  holds(partition: number): boolean {
    const range = this.#ranges[partition];
    return range?.grant !== undefined && !range.isLeaving;
  }

  /** The epoch of the last grant, where it was lost and not given up. */
  lostEpochOf(partition: number): number | undefined {
    return this.#lostEpochs[partition];
  }

  isShown(partition: number, nowMs: number): boolean {
    if (this.#claims.leaseMs !== undefined && this.#hasSlept(nowMs)) return false;
    if (nowMs < (this.#fromMs[partition] ?? NEVER)) return false;
    // Its claims may know already that it is lost.
    const untilMs = this.#ranges[partition]?.grant?.untilMs() ?? NEVER;
    return nowMs < Math.min(this.#untilMs[partition] ?? NEVER, untilMs);
  }

  /** The partitions whose worlds may be shown now. */
  shown(): readonly number[] {
    const nowMs = this.#time.now();
    return [...this.#ranges.keys()].filter((partition) => this.isShown(partition, nowMs));
  }

  /** Until when all worlds that are in memory may be stepped, by `Time.now`. */
  get limitMs(): number {
    return this.#limitMs;
  }

  /** The latest reading of the clock to which they may be stepped. */
  get latestReadingMs(): number {
    return this.#latestReadingMs;
  }

  /** How long the shortest grant may still be relied on, ms; negative where it has ended. */
  get marginMs(): number {
    const untilMs = this.held().map((grant) => grant.untilMs());
    return Math.min(...untilMs) - this.#time.now();
  }

  /** Renews what is held. Never rejects. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    if (this.#isStopped) return;
    const grants = this.#ranges.flatMap(({ grant }) => grant ?? []);
    const startMs = this.#time.now();
    const lost = await this.#claims.renew(grants);
    this.#compare(grants, startMs);
    if (grants.length > 0) this.renewals.observe((this.#time.now() - startMs) / 1000);
    this.#leave(lost);
    this.#update();
  }

  /** Notes which of the grants were not renewed by what was asked for since `sinceMs`, while others were. */
  #compare(grants: readonly Grant[], sinceMs: number): void {
    const isRenewed = (grant: Grant) => grant.askedMs() >= sinceMs;
    if (!grants.some(isRenewed)) return;
    for (const grant of grants) {
      if (isRenewed(grant)) this.#passedOver.delete(grant);
      else if (!grant.isPutOff) this.#passedOver.add(grant);
    }
  }

  /**
   * A higher epoch of a partition was heard of: another node has it. Its worlds must not be shown for
   * another moment, whatever the clocks say.
   */
  outdated(partition: number, epoch: number): void {
    const grant = this.#ranges[partition]?.grant;
    if (grant === undefined || grant.epoch >= epoch) return;
    this.#leave([{ grant, reason: 'another node has a later grant' }]);
    void this.#claims.release([grant]);
    this.#update();
  }

  #leave(all: readonly Lost[]): void {
    // What was left or given meanwhile may be held again, under a later grant.
    const lost = all.filter(({ grant }) => this.grantOf(grant.partition) === grant);
    if (lost.length === 0) return;
    const reason = [...new Set(lost.map((each) => each.reason))].join('; ');
    this.#log.error({ reason, partitions: lost.length }, 'this node has lost partitions');
    this.lostCount += lost.length;
    for (const { grant } of lost) {
      this.#lostEpochs[grant.partition] = grant.epoch;
      this.#drop(grant);
    }
    // What its worlds still have to store is refused from now on: there is nothing to wait for.
    void this.#worlds.leave(new Set(lost.map(({ grant }) => grant.partition)));
  }

  #isCurrent(grant: Grant): boolean {
    return this.#ranges[grant.partition]?.grant === grant;
  }

  #drop(grant: Grant): void {
    const { partition } = grant;
    const range = this.#ranges[partition];
    if (range === undefined || !this.#isCurrent(grant)) return;
    Object.assign(range, { grant: undefined, isSuspended: false });
    this.#untilMs[partition] = NEVER;
  }

  /**
   * A machine that sleeps stops the monotonic clock, by which leases are measured. Then nothing is
   * shown until what is held was renewed. An answer to what was asked before says nothing.
   */
  #hasSlept(nowMs: number): boolean {
    if (!this.#sleepWatch.hasSlept(nowMs)) return false;
    this.#log.warn('the machine may have slept: leases are renewed before worlds are shown again');
    // Else what is used from now on would count as used before.
    this.#clock?.catchUpAfterSuspend();
    this.#doubt(nowMs);
    return true;
  }

  /**
   * The clock was set forward: it may show what the store does not know of yet. Nothing is shown until what
   * is held was renewed, and what was taken waits for less.
   */
  clockWasSet(ms: number): void {
    for (const partition of this.#fromMs.keys())
      this.#fromMs[partition] = (this.#fromMs[partition] ?? NEVER) - ms;
    this.#doubt(this.#time.now());
  }

  /** Shows nothing until what is held was renewed by what is asked for from now on. */
  #doubt(nowMs: number): void {
    this.#doubtedMs = nowMs;
    this.#update();
    void this.#renewAnew();
  }

  /** By what is asked for from now on: a renewal that is under way may have no answer. */
  async #renewAnew(): Promise<void> {
    if (this.#isRenewalWanted) return;
    this.#isRenewalWanted = true;
    await this.#renewing;
    // What was asked for at the same reading of the clock may have been asked before the machine slept.
    await this.#time.sleep(1);
    this.#isRenewalWanted = false;
    await this.renew();
  }

  #isDoubted(grant: Grant): boolean {
    return this.#doubtedMs !== undefined && grant.askedMs() <= this.#doubtedMs;
  }

  /** Reads the deadlines, stops showing what is past its own, and waits for the next one. */
  #update(): void {
    this.#stopExpiry();
    const nowMs = this.#time.now();
    const grants = this.#ranges.flatMap(({ grant }) => grant ?? []);
    for (const { grant, isLeaving, isHidden } of this.#ranges) {
      if (grant === undefined) continue;
      const mayShow = !isLeaving && !isHidden && !this.#isDoubted(grant);
      this.#untilMs[grant.partition] = mayShow ? grant.untilMs() : NEVER;
    }
    const expired = grants.filter((grant) => grant.untilMs() <= nowMs);
    // Others were renewed: kept in memory, its worlds would hold the clock of those back.
    const abandoned = expired.filter((grant) => this.#passedOver.has(grant));
    if (abandoned.length > 0) {
      this.#leave(abandoned.map((grant) => ({ grant, reason: 'it cannot be renewed' })));
      void this.#claims.release(abandoned);
    }
    this.#suspend(expired.filter((grant) => !this.#passedOver.has(grant)));
    this.#limit();
    const nextMs = grants
      .map((grant) => grant.untilMs())
      .filter((untilMs) => untilMs > nowMs)
      .reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    if (nextMs < Number.POSITIVE_INFINITY && !this.#isStopped) {
      this.#stopExpiry = this.#time.after(Math.ceil(nextMs - nowMs), () => this.#update());
    }
  }

  /** The earliest end of what is in memory: shards have one clock for all worlds. */
  #limit(): void {
    this.#limitMs = Number.POSITIVE_INFINITY;
    this.#latestReadingMs = Number.POSITIVE_INFINITY;
    for (const { grant } of this.#ranges) {
      if (grant === undefined) continue;
      this.#limitMs = Math.min(this.#limitMs, this.#isDoubted(grant) ? NEVER : grant.untilMs());
      this.#latestReadingMs = Math.min(this.#latestReadingMs, grant.latestReadingMs());
    }
  }

  #suspend(expired: readonly Grant[]): void {
    const suspended = new Set<number>();
    for (const [partition, range] of this.#ranges.entries()) {
      const isExpired = expired.some((grant) => grant.partition === partition);
      if (isExpired && !range.isSuspended) suspended.add(partition);
      range.isSuspended = isExpired;
    }
    if (suspended.size === 0) return;
    this.#log.error(
      { partitions: suspended.size },
      'the store does not answer and leases have expired: their streams are closed',
    );
    this.#worlds.suspend(suspended);
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
}
