import type { Time } from '../../time.ts';
import { type Claims, type Grant, type Held, type Lost, StoreUnavailable } from '../contract.ts';
import type { RedisLease } from './redis-lease.ts';
import type { RedisLink } from './redis-link.ts';
import { LAST_WRITES_LOST, leaseSlot, nodeOf, RELIED_ON, releaseSlot } from './slot-lease.ts';
import { PARTITION_SLOTS, type Slot } from './slots.ts';

const RENEWALS = 4;

class RedisGrant implements Grant {
  readonly partition: number;
  readonly slot: Slot;
  /** Names this grant in Redis. It is never used again. */
  readonly boot: string;
  epoch = 0;
  /** The connection over which it may write: see `lease.lua`. */
  session = 0;
  deadlineMs = Number.NEGATIVE_INFINITY;
  isLost = false;

  constructor(partition: number, slot: Slot, boot: string) {
    this.partition = partition;
    this.slot = slot;
    this.boot = boot;
  }

  untilMs(): number {
    return this.deadlineMs;
  }

  lose(): void {
    this.isLost = true;
    this.deadlineMs = Number.NEGATIVE_INFINITY;
  }
}

export interface ClaimsDependencies {
  time: Time;
  /** That of the node; claims use its connection. */
  lease: RedisLease;
  leaseMs: number;
  /** The highest version that this process has seen in a slot. */
  seen: Map<Slot, number>;
}

/**
 * The leases of the partitions. The process measures what is left of each by its own clock, from when
 * it asked, and stops relying on it before it can expire in Redis.
 */
export class RedisClaims implements Claims {
  readonly renewalMs: number;
  readonly #dependencies: ClaimsDependencies;
  readonly #grants = new Map<number, RedisGrant>();
  #session = 0;
  #grantCount = 0;
  #tell: () => void = () => {};

  constructor(dependencies: ClaimsDependencies) {
    this.#dependencies = dependencies;
    this.renewalMs = dependencies.leaseMs / RENEWALS;
  }

  onTrouble(listener: () => void): void {
    this.#tell = listener;
  }

  /** Has the grants renewed soon. */
  trouble(): void {
    this.#tell();
  }

  async take(partition: number): Promise<Grant | Held> {
    const { lease } = this.#dependencies;
    const slot = PARTITION_SLOTS[partition];
    if (slot === undefined) throw new TypeError(`there is no partition ${partition}`);
    // What would be written to an emptied store could pass for its data.
    if (!lease.isHeld) throw new StoreUnavailable('failed', new Error('the node has no lease'));
    const grant = new RedisGrant(partition, slot, `${lease.boot}.${++this.#grantCount}`);
    try {
      return await this.#take(grant);
    } catch (error) {
      throw new StoreUnavailable('failed', error);
    }
  }

  async #take(grant: RedisGrant): Promise<Grant | Held> {
    const { lease, time } = this.#dependencies;
    for (;;) {
      const session = this.#session;
      const sentMs = time.now();
      const taken = await this.#lease(lease.link, grant, 'new');
      if (!taken.isMine) return { holder: nodeOf(taken.holder), leftMs: taken.leftMs };
      // The connection was made again meanwhile: what the last one still carries must be shut out.
      if (session !== this.#session) continue;
      grant.session = session;
      grant.epoch = taken.epoch;
      grant.deadlineMs = sentMs + this.#dependencies.leaseMs * RELIED_ON;
      this.#grants.set(grant.partition, grant);
      return grant;
    }
  }

  #lease(link: Pick<RedisLink, 'run'>, { slot, boot }: RedisGrant, how: 'new' | 'same') {
    const { leaseMs } = this.#dependencies;
    const run = link.run.bind(link);
    return leaseSlot(run, slot, how, { boot, session: this.#session, leaseMs });
  }

  async renew(grants: readonly Grant[]): Promise<readonly Lost[]> {
    const sentMs = this.#dependencies.time.now();
    const renewed = await Promise.all(
      grants.map((grant) => this.#renew(grant as RedisGrant, sentMs)),
    );
    return renewed.filter((lost) => lost !== undefined);
  }

  async #renew(grant: RedisGrant, sentMs: number): Promise<Lost | undefined> {
    const { lease, leaseMs, seen } = this.#dependencies;
    if (grant.isLost) return { grant, reason: 'it was given up' };
    const seenBefore = seen.get(grant.slot) ?? 0;
    const run = lease.link.run.bind(lease.link);
    const claimant = { boot: grant.boot, session: 0, leaseMs };
    // Without an answer it stays as it is, until it expires.
    const taken = await leaseSlot(run, grant.slot, 'same', claimant).catch(() => undefined);
    if (taken === undefined) return undefined;
    const isBack = taken.version < seenBefore;
    if (taken.isMine && !isBack) {
      if (!grant.isLost) grant.deadlineMs = sentMs + leaseMs * RELIED_ON;
      return undefined;
    }
    this.#lose(grant);
    // It finds out whether the store lost everything.
    await lease.renew();
    const isOther = !taken.isMine && taken.holder !== '';
    return { grant, reason: isOther ? `${nodeOf(taken.holder)} holds it` : LAST_WRITES_LOST };
  }

  #lose(grant: RedisGrant): void {
    grant.lose();
    if (this.#grants.get(grant.partition) !== grant) return;
    this.#grants.delete(grant.partition);
    this.#dependencies.seen.delete(grant.slot);
  }

  /**
   * Moves all grants to the connection with the number `session`: from now on Redis refuses commands
   * that earlier connections still deliver. Those that another process holds are left to `renew`.
   */
  async enter(link: RedisLink, session: number): Promise<void> {
    this.#session = session;
    const run = link.runEarly.bind(link);
    const { leaseMs } = this.#dependencies;
    await Promise.all(
      [...this.#grants.values()].map(async (grant) => {
        const claimant = { boot: grant.boot, session, leaseMs };
        const { isMine } = await leaseSlot(run, grant.slot, 'same', claimant);
        if (isMine) grant.session = session;
        else this.trouble();
      }),
    );
  }

  /** What fences a commit. Throws StoreUnavailable if the grant is over. */
  tokenOf(grant: Grant): string {
    const { boot, session } = grant as RedisGrant;
    const isOver = this.#dependencies.time.now() >= grant.untilMs() || session !== this.#session;
    if (!isOver) return `${boot}#${session}`;
    throw new StoreUnavailable('failed', new Error('this node does not hold the partition'));
  }

  async release(grants: readonly Grant[]): Promise<void> {
    const { lease } = this.#dependencies;
    const released = (grants as readonly RedisGrant[]).map((grant) => {
      this.#lose(grant);
      return releaseSlot(lease.link, grant.slot, grant.boot);
    });
    // A lease that is not released expires by itself.
    await Promise.allSettled(released);
  }

  releaseAll(): Promise<void> {
    return this.release([...this.#grants.values()]);
  }
}
