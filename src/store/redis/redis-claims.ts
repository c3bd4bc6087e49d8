import { PARTITION_COUNT } from '../../limits.ts';
import type { Time } from '../../time.ts';
import {
  type Claims,
  type Grant,
  type Handovers,
  type Held,
  type Lost,
  RELIED_ON,
  type Reservation,
  StoreUnavailable,
  type Taking,
} from '../contract.ts';
import { SleepWatch } from '../sleep-watch.ts';
import { LinkError } from './redis-client.ts';
import { RedisGrant, RedisReservation, type Renewal } from './redis-grant.ts';
import type { RedisLink } from './redis-link.ts';
import {
  giveSlot,
  LAST_WRITES_LOST,
  leaseSlot,
  nameOf,
  nodeOf,
  processOf,
  RENEWALS,
  type RunLease,
  releaseSlot,
  type Taken,
  tokenOf,
} from './slot-lease.ts';
import { PARTITION_SLOTS, type Slot } from './slots.ts';
import type { WriterKey } from './writer-key.ts';

/** A mark lies so far above the latest reading: a tick of worlds, which are shown in whole ticks. */
const MARGIN_MS = 20;
/** Pause before a grant is renewed again that cannot be relied on yet. */
const ASK_AGAIN_MS = 100;
const GIVEN_UP = 'it was given up';
const NEVER = Number.NEGATIVE_INFINITY;

export interface ClaimsDependencies {
  time: Time;
  /** That of the process; claims use its connection. */
  writer: WriterKey;
  leaseMs: number;
  /** The highest version that this process has seen in a slot. */
  seen: Map<Slot, number>;
}

/**
 * The leases of the partitions. The process measures what is left of each by its own clock, from when
 * it asked, and stops relying on it before it can expire in Redis.
 */
export class RedisClaims implements Claims, Handovers {
  readonly handovers: Handovers = this;
  readonly renewalMs: number;
  readonly leaseMs: number;
  readonly #dependencies: ClaimsDependencies;
  readonly #grants = new Map<number, RedisGrant>();
  /** By partition: the last grant of this process, unless the store has named a later holder. */
  readonly #former = new Map<number, RedisGrant>();
  /** By partition: the highest epoch that this process has seen. */
  readonly #epochs = new Float64Array(PARTITION_COUNT);
  /** Gives with an unknown outcome, until it shows; and when they were sent. */
  readonly #unsettled = new Map<
    RedisGrant,
    { sentMs: number; settle: (given: 'given' | 'kept') => void }
  >();
  #session = 0;
  /** That of commits. */
  #link: RedisLink | undefined;
  #grantCount = 0;
  #latestReadingMs: (atMs: number) => number = () => 0;
  #haveOthersSaidSince: (sinceMs: number) => boolean = () => true;
  #tell: () => void = () => {};
  readonly #sleepWatch: SleepWatch;
  /** When it was noticed last that the machine may have slept. */
  #sleptMs = NEVER;
  /** Grants are asked for again soon. */
  #isAskingAgain = false;

  constructor(dependencies: ClaimsDependencies) {
    this.#dependencies = dependencies;
    this.leaseMs = dependencies.leaseMs;
    this.renewalMs = dependencies.leaseMs / RENEWALS;
    this.#sleepWatch = new SleepWatch(dependencies.time, dependencies.leaseMs);
  }

  readClock(latestReadingMs: (atMs: number) => number): void {
    this.#latestReadingMs = latestReadingMs;
  }

  readOthers(haveSaidSince: (sinceMs: number) => boolean): void {
    this.#haveOthersSaidSince = haveSaidSince;
  }

  onTrouble(listener: () => void): void {
    this.#tell = listener;
  }

  /** Has the grants renewed soon. */
  trouble(): void {
    this.#tell();
  }

  async take(partition: number, what: Taking): Promise<Grant | Held> {
    const leftMs = this.#forgottenLeaseMs(partition);
    if (leftMs > 0) return { holder: '', leftMs };
    return this.#taken(this.#newGrant(partition), what);
  }

  /**
   * For how many ms another process may still rely on a lease that the server has forgotten. A server that has
   * lost its last writes is always met over a new connection. What this process relied on then nobody else has.
   */
  #forgottenLeaseMs(partition: number): number {
    const { time, writer } = this.#dependencies;
    const { upMs } = writer.link;
    this.#noteSleep();
    const heldUntilMs = this.#former.get(partition)?.heldUntilMs(this.#sleptMs) ?? NEVER;
    if (heldUntilMs >= upMs || this.#haveOthersSaidSince(upMs)) return 0;
    return Math.max(0, upMs + this.leaseMs - time.now());
  }

  #noteSleep(): void {
    const nowMs = this.#dependencies.time.now();
    if (this.#sleepWatch.hasSlept(nowMs)) this.#sleptMs = nowMs;
  }

  /** Has the grants renewed once others may have spoken. */
  #askAgain(): void {
    if (this.#isAskingAgain) return;
    this.#isAskingAgain = true;
    this.#dependencies.time.after(ASK_AGAIN_MS, () => {
      this.#isAskingAgain = false;
      this.trouble();
    });
  }

  #newGrant(partition: number): RedisGrant {
    const slot = PARTITION_SLOTS[partition];
    if (slot === undefined) throw new TypeError(`there is no partition ${partition}`);
    const { process } = this.#dependencies.writer;
    return new RedisGrant(partition, slot, `${process}-${++this.#grantCount}`);
  }

  async #taken(grant: RedisGrant, what: Taking | 'same'): Promise<Grant | Held> {
    const { writer } = this.#dependencies;
    // What would be written to an emptied store could pass for its data.
    if (!writer.isHeld) throw new StoreUnavailable('failed', new Error('the node has not entered'));
    try {
      return await this.#take(grant, what);
    } catch (error) {
      throw new StoreUnavailable('failed', error);
    }
  }

  async #take(grant: RedisGrant, what: Taking | 'same'): Promise<Grant | Held> {
    const run = this.#leaseLink();
    let session = this.#session;
    let renewal = this.#renewalNow();
    let taken = await this.#lease(run, grant, what, renewal);
    if (!taken.isMine) {
      this.#former.delete(grant.partition);
      return { holder: processOf(taken.holder), leftMs: taken.leftMs };
    }
    grant.epoch = taken.epoch;
    grant.floorMs = this.#floorOf(grant.partition, taken);
    // The connection was made again meanwhile: what the last one still carries must be shut out.
    while (session !== this.#session) {
      session = this.#session;
      renewal = this.#renewalNow();
      taken = await this.#lease(run, grant, 'same', renewal);
      if (!taken.isMine) return { holder: processOf(taken.holder), leftMs: taken.leftMs };
    }
    grant.session = session;
    grant.renewed(renewal);
    this.#grants.get(grant.partition)?.lose(GIVEN_UP, this.#dependencies.time.now());
    this.#grants.set(grant.partition, grant);
    this.#former.set(grant.partition, grant);
    return grant;
  }

  /** Nothing that this process itself has published lies above its clock. */
  #floorOf(partition: number, { formerHolder, markMs }: Taken): number {
    const former = this.#former.get(partition);
    return former !== undefined && nameOf(formerHolder) === former.name ? former.floorMs : markMs;
  }

  #renewalNow(): Renewal {
    this.#noteSleep();
    const askedMs = this.#dependencies.time.now();
    const deadlineMs = askedMs + this.leaseMs * RELIED_ON;
    return { askedMs, deadlineMs, latestMs: this.#latestReadingMs(deadlineMs) };
  }

  #leaseLink(): RunLease {
    const { link } = this.#dependencies.writer;
    return link.run.bind(link);
  }

  /** Without a renewal the lease only moves to the current connection. Rejects with LinkError. */
  async #lease(
    run: RunLease,
    { partition, slot, name }: RedisGrant,
    how: Taking | 'same',
    renewal?: Renewal,
  ): Promise<Taken> {
    const taken = await leaseSlot(run, slot, how, {
      ...{ name, session: this.#session, leaseMs: this.leaseMs },
      markMs: renewal === undefined ? 0 : markOf(renewal.latestMs),
      knownEpoch: this.#epochs[partition] ?? 0,
    });
    this.#epochs[partition] = Math.max(taken.epoch, this.#epochs[partition] ?? 0);
    return taken;
  }

  async renew(grants: readonly Grant[]): Promise<readonly Lost[]> {
    const renewal = this.#renewalNow();
    const renewed = await Promise.all(
      grants.map((grant) => this.#renew(grant as RedisGrant, renewal)),
    );
    return renewed.filter((lost) => lost !== undefined);
  }

  async #renew(grant: RedisGrant, renewal: Renewal): Promise<Lost | undefined> {
    const { writer } = this.#dependencies;
    if (grant.isLost) return { grant, reason: grant.reason };
    // As of now: a commit that is answered meanwhile may be later than this renewal.
    const seen = this.#seen(grant);
    // Without an answer it stays as it is, until it expires.
    const taken = await this.#lease(this.#leaseLink(), grant, 'same', renewal).catch(
      () => undefined,
    );
    if (taken === undefined) return undefined;
    const reason = this.#whyLost(grant, taken, seen);
    if (reason === undefined) {
      grant.isPutOff = this.#forgottenLeaseMs(grant.partition) > 0;
      if (grant.isPutOff) this.#askAgain();
      else grant.renewed(renewal);
      return undefined;
    }
    this.#lose(grant, reason);
    // It finds out whether the store lost everything.
    await writer.renew();
    return { grant, reason };
  }

  #seen({ slot }: RedisGrant): number {
    return this.#dependencies.seen.get(slot) ?? 0;
  }

  /** By the answer of the server; undefined: it is not lost. */
  #whyLost(grant: RedisGrant, taken: Taken, seen = this.#seen(grant)): string | undefined {
    const { isMine, version, epoch, holder } = taken;
    if (version < seen || epoch < grant.epoch) return LAST_WRITES_LOST;
    return isMine ? undefined : `${nodeOf(processOf(holder))} has taken it`;
  }

  /** From now on nothing is shown under the grant; its owner hears of it with the next renewal. */
  #lose(grant: RedisGrant, reason: string): void {
    // Where the store has lost writes, nobody else has taken it, unless it was given.
    const atMs = reason === LAST_WRITES_LOST ? Infinity : this.#dependencies.time.now();
    grant.lose(reason, this.#unsettled.get(grant)?.sentMs ?? atMs);
    this.#settle(grant, 'given');
    if (this.#grants.get(grant.partition) !== grant) return;
    this.#grants.delete(grant.partition);
    this.#dependencies.seen.delete(grant.slot);
  }

  /**
   * Moves all grants to the connection with the number `session`: from now on Redis refuses commands
   * that earlier connections still deliver. Those that another process holds are lost, and so are those
   * that lost writes: a commit would give them a version above all that were seen.
   */
  async enter(link: RedisLink, session: number): Promise<void> {
    this.#session = session;
    this.#link = link;
    const run = link.runEarly.bind(link);
    await Promise.all(
      [...this.#grants.values()].map(async (grant) => {
        const taken = await this.#lease(run, grant, 'same');
        const reason = this.#whyLost(grant, taken);
        if (reason === undefined) {
          grant.session = session;
          // Commits that earlier connections have delivered without an answer can be read from now on.
          if (!grant.isLost) this.#dependencies.seen.set(grant.slot, taken.version);
          if (this.#unsettled.has(grant)) void this.#settleLater(grant);
        } else {
          this.#lose(grant, reason);
          this.trouble();
        }
      }),
    );
  }

  // ── handovers ───────────────────────────────────────────────────────────────────────────────

  reserve(partition: number): Reservation {
    return new RedisReservation(this.#newGrant(partition), this.#session);
  }

  async give(grant: Grant, token: string): Promise<'given' | 'kept'> {
    const given = grant as RedisGrant;
    const { name, session, slot, partition } = given;
    if (given.isLost) return 'given';
    const sentMs = this.#dependencies.time.now();
    // Another process may have it: see `renew`.
    if (sentMs >= given.untilMs()) return 'kept';
    // Over another connection than commits it could be carried out before them.
    if (this.#link === undefined || session !== this.#session) return 'kept';
    const unsettled = Promise.withResolvers<'given' | 'kept'>();
    this.#unsettled.set(given, { sentMs, settle: unsettled.resolve });
    try {
      const epoch = await giveSlot(this.#link, slot, {
        ...{ from: tokenOf(name, session), to: token, leaseMs: this.leaseMs },
        ...{ markMs: this.#reachedMs(given), knownEpoch: this.#epochs[partition] ?? 0 },
      });
      this.#epochs[partition] = Math.max(epoch, this.#epochs[partition] ?? 0);
      if (epoch > 0) this.#lose(given, GIVEN_UP);
      else this.#settle(given, 'kept');
    } catch (error) {
      const isSent = !(error instanceof LinkError) || error.outcome === 'unknown';
      // The next connection tells: see `enter`.
      if (!isSent) this.#settle(given, 'kept');
    }
    return unsettled.promise;
  }

  /**
   * What the last connection still carries is shut out. But a server that has lost its last writes may have
   * forgotten that it gave the partition: then the receiver relies on its lease until that would be over.
   */
  async #settleLater(grant: RedisGrant): Promise<void> {
    await this.#dependencies.time.sleep(this.leaseMs);
    if (!grant.isLost) this.#settle(grant, 'kept');
  }

  #settle(grant: RedisGrant, outcome: 'given' | 'kept'): void {
    this.#unsettled.get(grant)?.settle(outcome);
    this.#unsettled.delete(grant);
  }

  async accept(reservation: Reservation): Promise<Grant | undefined> {
    const { grant } = reservation as RedisReservation;
    const taken = await this.#taken(grant, 'same');
    return 'holder' in taken ? undefined : taken;
  }

  async cancel(reservation: Reservation): Promise<void> {
    const { time, writer } = this.#dependencies;
    const { slot, name } = (reservation as RedisReservation).grant;
    const release = () =>
      releaseSlot(writer.link, slot, { name, markMs: undefined }).catch(() => {});
    await release();
    // It may still be on its way.
    await time.sleep(this.leaseMs);
    await release();
  }

  /** What fences a commit. Throws StoreUnavailable if the grant is over. */
  tokenOf(grant: Grant): string {
    const { name, session } = grant as RedisGrant;
    const isOver = this.#dependencies.time.now() >= grant.untilMs() || session !== this.#session;
    if (!isOver) return tokenOf(name, session);
    throw new StoreUnavailable('failed', new Error('this node does not hold the partition'));
  }

  async release(grants: readonly Grant[]): Promise<void> {
    const { writer } = this.#dependencies;
    const released = (grants as readonly RedisGrant[]).map((grant) => {
      this.#lose(grant, GIVEN_UP);
      const markMs = this.#reachedMs(grant);
      return releaseSlot(writer.link, grant.slot, { name: grant.name, markMs });
    });
    // A lease that is not released expires by itself.
    await Promise.allSettled(released);
  }

  /** The latest reading of the clock that was published under a grant, or an earlier one. */
  #reachedMs(grant: RedisGrant): number {
    const readingMs = this.#latestReadingMs(this.#dependencies.time.now());
    return Math.max(markOf(Math.min(readingMs, grant.latestMs)), grant.floorMs);
  }

  releaseAll(): Promise<void> {
    return this.release([...this.#grants.values()]);
  }
}

/** Numbers beyond these are no readings of a clock. */
function markOf(latestReadingMs: number): number {
  const markMs = Math.ceil(latestReadingMs) + MARGIN_MS;
  return Math.min(Math.max(markMs, 0), Number.MAX_SAFE_INTEGER);
}
