import type { Random } from '../../random.ts';
import type { StopTimer, Time } from '../../time.ts';
import type { LeaseListener } from '../contract.ts';
import { type Argument, LinkError, RedisLink } from './redis-link.ts';
import { COMMON_SLOT, SLOTS, type Slot } from './slots.ts';

/** Number of renewals in the lifetime of a lease. */
const RENEWALS = 4;
/** The holder relies on a renewal for this share of the lifetime. */
const RELIED_ON = 0.75;
/** An answer may take the lifetime divided by this, but at least COMMAND_MS_MIN. */
const COMMAND_SHARE = 12;
const COMMAND_MS_MIN = 200;
/** Pause between two reads of another process's lease. */
const POLL_MS = 100;
/** If the remaining time of a lease has grown by more than this, the lease was renewed. */
const RENEWED_MS = 50;
const BOOT_BYTES = 8;
const LAST_WRITES_LOST = 'the store lost its last writes';
/** A message for the operator. */
export const EMPTIED =
  'the store has lost all its data: restore it from a backup, or restart the node to begin anew';

export interface LeaseDependencies {
  time: Time;
  random: Random;
  listener: LeaseListener;
  /** The highest version that this process has seen in a slot. */
  seenVersion: (slot: Slot) => number;
}

export interface LeaseSettings {
  url: string;
  nodeName: string;
  /** Lifetime of a lease: after a crash, other processes wait for this time. */
  leaseMs: number;
}

interface Taken {
  isMine: boolean;
  holder: string;
  leftMs: number;
  version: number;
}

/**
 * The right of one process to write to the store, in every slot. It uses a connection of its own.
 * The lease expires in Redis unless the process renews it. The process measures the remaining time
 * by its own clock, and stops relying on the lease before it can expire in Redis.
 */
export class RedisLease {
  readonly #settings: LeaseSettings;
  readonly #dependencies: LeaseDependencies;
  readonly #time: Time;
  readonly #link: RedisLink;
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
    this.#link = new RedisLink(settings.url, {
      name: `${settings.nodeName}-lease`,
      commandTimeoutMs: Math.max(COMMAND_MS_MIN, settings.leaseMs / COMMAND_SHARE),
      time: dependencies.time,
      random: dependencies.random,
      up: () => void this.renew(),
    });
    this.#newBoot();
  }

  /** Identifies this grant of the lease in Redis. */
  get boot(): string {
    return this.#boot;
  }

  /** Until when the lease is valid, by `Time.now`. */
  get untilMs(): number {
    return this.#untilMs;
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
    this.#link.open();
    await this.#link.waitFor(() => this.#tryToTake(), limitMs);
    const everyMs = this.#settings.leaseMs / RENEWALS;
    this.#stopRenewal = this.#time.every(everyMs, () => void this.renew());
  }

  /** Resolves to false if Redis does not answer. */
  async #tryToTake(): Promise<boolean> {
    if (!this.#link.isUp) return false;
    try {
      await this.#takeFree();
      return true;
    } catch (error) {
      if (error instanceof LinkError) return false;
      throw error;
    }
  }

  async #takeFree(): Promise<void> {
    // The common slot first: if two processes start at the same time, only one gets it.
    await this.#takeOnceFree(COMMON_SLOT);
    await Promise.all(SLOTS.map((slot) => this.#takeOnceFree(slot)));
    this.#isLost = false;
    await this.renew();
    // Its answer took too long.
    if (!this.isHeld) throw new LinkError('refused', this.#link.lastError);
  }

  /** Takes a slot as soon as its lease expires. Rejects if another process renews it. */
  async #takeOnceFree(slot: Slot): Promise<void> {
    let last: Taken | undefined;
    for (;;) {
      const taken = await this.#takeSlot(slot, 'new');
      if (taken.isMine) return;
      if (last !== undefined && isRenewed(last, taken)) throw inUse(taken.holder);
      last = taken;
      await this.#time.sleep(Math.max(1, Math.min(POLL_MS, taken.leftMs + 1)));
    }
  }

  /** Takes or renews one slot. Rejects with LinkError. */
  async #takeSlot(slot: Slot, how: 'new' | 'same'): Promise<Taken> {
    return takenOf(await this.#link.run('lease', keysOf(slot), this.#argumentsOf(0, how)));
  }

  /**
   * Moves the lease to the connection with the number `session`: from now on Redis refuses commands
   * that earlier connections still deliver. Rejects if this process does not hold the lease.
   */
  async enter(link: RedisLink, session: number): Promise<void> {
    const answers = await Promise.all(
      SLOTS.map((slot) => link.runEarly('lease', keysOf(slot), this.#argumentsOf(session, 'same'))),
    );
    const other = answers.map(takenOf).find(({ isMine }) => !isMine);
    if (other !== undefined) throw inUse(other.holder);
  }

  #argumentsOf(session: number, how: 'new' | 'same'): Argument[] {
    return [this.#boot, session, this.#settings.leaseMs, how];
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
    if (this.#isClosed || !this.#link.isUp) return;
    const how = this.#isLost ? 'new' : 'same';
    // It is not taken: what would be written to an empty store could pass for its data.
    if (this.#isEmptied && !(await this.#isFilled())) return;
    if (this.#isLost && !(await this.#takeSlot(COMMON_SLOT, how)).isMine) return;
    const sentMs = this.#time.now();
    const seen = SLOTS.map((slot) => this.#dependencies.seenVersion(slot));
    const taken = await Promise.all(SLOTS.map((slot) => this.#takeSlot(slot, how)));
    if (this.#isClosed) return;
    const other = taken.find(({ isMine }) => !isMine);
    const isBack = taken.some(({ version }, i) => version < (seen[i] ?? 0));
    // The first slot is the common one.
    const isFilled = (taken[0]?.version ?? 0) > 0;
    this.#wasFilled ||= isFilled || (seen[0] ?? 0) > 0;
    this.#isEmptied = this.#wasFilled && !isFilled;
    if (this.#isEmptied) this.#lose(EMPTIED);
    else if (other === undefined && !isBack) {
      this.#hold(sentMs + this.#settings.leaseMs * RELIED_ON);
    } else if (!this.#isLost) {
      this.#lose(other ? `${nameOf(other.holder)} holds the lease` : LAST_WRITES_LOST);
    }
  }

  /** Whether a store that was empty has data again. */
  async #isFilled(): Promise<boolean> {
    const { version } = await this.#takeSlot(COMMON_SLOT, 'same');
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
    const release = (slot: Slot) => this.#link.run('release', [slot.lease], [this.#boot]);
    // A lease that is not released expires by itself.
    if (this.#link.isUp) await Promise.allSettled(SLOTS.toReversed().map(release));
    await this.#link.close();
  }
}

function keysOf({ lease, owner, version }: Slot): string[] {
  return [lease, owner, version];
}

function takenOf(answer: unknown): Taken {
  const [isMine, holder, leftMs, version] = answer as [number, Buffer, number, Buffer];
  return { isMine: isMine === 1, holder: String(holder), leftMs, version: Number(version) };
}

function isRenewed(last: Taken, now: Taken): boolean {
  return now.holder !== last.holder || now.leftMs > last.leftMs + RENEWED_MS;
}

function nameOf(holder: string): string {
  return `node "${holder.slice(0, holder.lastIndexOf(':'))}"`;
}

function inUse(holder: string): Error {
  return new Error(`it is in use: ${nameOf(holder)} holds the lease and renews it`);
}
