import type { Random } from '../../random.ts';
import type { StopTimer, Time } from '../../time.ts';
import { LinkError, type MakeClient } from './redis-client.ts';
import { RedisLink } from './redis-link.ts';
import {
  LAST_WRITES_LOST,
  leaseSlot,
  nodeOf,
  RELIED_ON,
  releaseSlot,
  type Taken,
  type Taking,
} from './slot-lease.ts';
import { COMMON_SLOT, type Slot } from './slots.ts';

/** Number of renewals in the lifetime of a lease. */
const RENEWALS = 4;
/** An answer may take the lifetime divided by this, but at least COMMAND_MS_MIN. */
const COMMAND_SHARE = 12;
const COMMAND_MS_MIN = 200;
/** Pause between two reads of another process's lease. */
const POLL_MS = 100;
/** If the remaining time of a lease has grown by more than this, the lease was renewed. */
const RENEWED_MS = 50;
const BOOT_BYTES = 8;
/** A message for the operator. */
export const EMPTIED =
  'the store has lost all its data: restore it from a backup, or restart the node to begin anew';

export interface LeaseListener {
  /** The process holds the lease, or holds it again. */
  held(): void;
  /** The lease was not renewed in time. */
  expired(): void;
  /** Another process may have written, or writes were lost. */
  lost(reason: string): void;
}

export interface LeaseDependencies {
  time: Time;
  random: Random;
  makeClient: MakeClient | undefined;
  listener: LeaseListener;
  /** The highest version that this process has seen in a slot. */
  seen: Map<Slot, number>;
}

export interface LeaseSettings {
  url: string;
  nodeName: string;
  /** Lifetime of a lease: after a crash, other processes wait for this time. */
  leaseMs: number;
}

/**
 * The right of one process to use the store and to write its common entries. It uses a connection of
 * its own, which the leases of the partitions share. The lease expires in Redis unless the process
 * renews it. The process measures the remaining time by its own clock, and stops relying on the lease
 * before it can expire in Redis.
 */
export class RedisLease {
  readonly link: RedisLink;
  readonly #settings: LeaseSettings;
  readonly #dependencies: LeaseDependencies;
  readonly #time: Time;
  #boot = '';
  #untilMs = Number.NEGATIVE_INFINITY;
  /** Whether the last event for the listener was `held`. */
  #isHeld = false;
  /** Another process holds or held the lease: it must be taken again. */
  #isLost = true;
  /** The store held data while this process had the lease. */
  #wasFilled = false;
  #isEmptied = false;
  #renewing: Promise<void> | undefined;
  #stopRenewal: StopTimer = () => {};
  #stopExpiry: StopTimer = () => {};
  #isClosed = false;

  constructor(settings: LeaseSettings, dependencies: LeaseDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#time = dependencies.time;
    this.link = new RedisLink(settings.url, {
      name: `${settings.nodeName}-lease`,
      commandTimeoutMs: Math.max(COMMAND_MS_MIN, settings.leaseMs / COMMAND_SHARE),
      time: dependencies.time,
      random: dependencies.random,
      makeClient: dependencies.makeClient,
      up: () => void this.renew(),
    });
    this.#newBoot();
  }

  /** Identifies this grant of the lease in Redis. */
  get boot(): string {
    return this.#boot;
  }

  /** The store has lost all its data; this process waits until it has data again. */
  get isEmptied(): boolean {
    return this.#isEmptied;
  }

  get isHeld(): boolean {
    return this.#time.now() < this.#untilMs;
  }

  /**
   * Takes the lease. Waits until the lease of a dead process expires. Rejects if another process
   * renews it, or if Redis does not answer within `limitMs`.
   */
  async take(limitMs: number): Promise<void> {
    this.link.open();
    await this.link.waitFor(() => this.#tryToTake(), limitMs);
    const everyMs = this.#settings.leaseMs / RENEWALS;
    this.#stopRenewal = this.#time.every(everyMs, () => void this.renew());
  }

  /** Resolves to false if Redis does not answer. */
  async #tryToTake(): Promise<boolean> {
    if (!this.link.isUp) return false;
    try {
      await this.#takeOnceFree();
      this.#isLost = false;
      await this.renew();
      // Its answer took too long.
      if (!this.isHeld) throw new LinkError('refused', this.link.lastError);
      return true;
    } catch (error) {
      if (error instanceof LinkError) return false;
      throw error;
    }
  }

  /** Takes the lease as soon as it expires. Rejects if another process renews it. */
  async #takeOnceFree(): Promise<void> {
    let last: Taken | undefined;
    for (;;) {
      const taken = await this.#take('new');
      if (taken.isMine) return;
      if (last !== undefined && isRenewed(last, taken)) throw inUse(taken.holder);
      last = taken;
      await this.#time.sleep(Math.max(1, Math.min(POLL_MS, taken.leftMs + 1)));
    }
  }

  /** Takes or renews the lease. Rejects with LinkError. */
  #take(how: Taking, session = 0, run = this.link.run.bind(this.link)): Promise<Taken> {
    const { leaseMs } = this.#settings;
    return leaseSlot(run, COMMON_SLOT, how, { boot: this.#boot, session, leaseMs });
  }

  /**
   * Moves the lease to the connection with the number `session`: from now on Redis refuses commands
   * that earlier connections still deliver. Rejects if this process does not hold the lease.
   */
  async enter(link: RedisLink, session: number): Promise<void> {
    const taken = await this.#take('same', session, link.runEarly.bind(link));
    if (!taken.isMine) throw inUse(taken.holder);
  }

  /** Renews the lease, or takes it again after a loss. Never rejects. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewNow()
      .catch(() => {
        // Redis does not answer. The next renewal tries again; meanwhile the lease may expire.
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isClosed || !this.link.isUp) return;
    // It is not taken: what would be written to an empty store could pass for its data.
    if (this.#isEmptied && !(await this.#isFilled())) return;
    const sentMs = this.#time.now();
    const seen = this.#dependencies.seen.get(COMMON_SLOT) ?? 0;
    const taken = await this.#take(this.#isLost ? 'new' : 'same');
    if (this.#isClosed) return;
    const isFilled = taken.version > 0;
    this.#wasFilled ||= isFilled || seen > 0;
    this.#isEmptied = this.#wasFilled && !isFilled;
    if (this.#isEmptied) this.#lose(EMPTIED);
    else if (taken.isMine && taken.version >= seen) {
      this.#hold(sentMs + this.#settings.leaseMs * RELIED_ON);
    } else if (!this.#isLost) {
      this.#lose(taken.isMine ? LAST_WRITES_LOST : `${nodeOf(taken.holder)} holds the lease`);
    }
  }

  /** Whether a store that was empty has data again. */
  async #isFilled(): Promise<boolean> {
    const { version } = await this.#take('same');
    this.#isEmptied = version === 0;
    return !this.#isEmptied;
  }

  #hold(untilMs: number): void {
    const wasHeld = this.#isHeld;
    this.#untilMs = untilMs;
    this.#isLost = false;
    this.#isHeld = this.isHeld;
    this.#expire();
    if (!wasHeld && this.#isHeld) this.#dependencies.listener.held();
  }

  /** Reports that the lease has expired, or sets a timer for that time. */
  #expire(): void {
    this.#stopExpiry();
    const leftMs = this.#untilMs - this.#time.now();
    if (leftMs > 0) {
      this.#stopExpiry = this.#time.after(Math.ceil(leftMs), () => this.#expire());
    } else if (this.#isHeld) {
      this.#isHeld = false;
      this.#dependencies.listener.expired();
    }
  }

  #lose(reason: string): void {
    this.#stopExpiry();
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#isHeld = false;
    this.#isLost = true;
    this.#newBoot();
    this.#dependencies.seen.delete(COMMON_SLOT);
    this.#dependencies.listener.lost(reason);
  }

  #newBoot(): void {
    const id = Buffer.from(this.#dependencies.random.bytes(BOOT_BYTES)).toString('hex');
    this.#boot = `${this.#settings.nodeName}:${id}`;
  }

  /** Releases the lease, if Redis answers. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopRenewal();
    this.#stopExpiry();
    await this.#renewing;
    // A lease that is not released expires by itself.
    if (this.link.isUp) await releaseSlot(this.link, COMMON_SLOT, this.#boot).catch(() => {});
    await this.link.close();
  }
}

function isRenewed(last: Taken, now: Taken): boolean {
  return now.holder !== last.holder || now.leftMs > last.leftMs + RENEWED_MS;
}

function inUse(holder: string): Error {
  return new Error(`it is in use: ${nodeOf(holder)} holds the lease and renews it`);
}
