import type { Random } from '../../random.ts';
import type { StopTimer, Time } from '../../time.ts';
import type { LeaseListener } from '../contract.ts';
import { type Argument, LinkError, messageOf, RedisLink } from './redis-link.ts';
import { COMMON_SLOT, SLOTS, type Slot } from './slots.ts';

/** Renewals in the life of a lease. */
const RENEWALS = 4;
/** Share of its life for which the holder relies on a renewal. */
const RELIED_ON = 0.75;
/** Share of its life that an answer may take, as a divisor; and the least. */
const COMMAND_SHARE = 12;
const COMMAND_MS_MIN = 200;
/** How often the lease of another process is read. */
const POLL_MS = 100;
/** A lease that lives longer than at the last reading was renewed: by more than clocks differ. */
const RENEWED_MS = 50;
const BOOT_BYTES = 8;

export interface LeaseDependencies {
  time: Time;
  random: Random;
  listener: LeaseListener;
  /** The highest version that this process has seen of a slot. */
  seenVersion: (slot: Slot) => number;
}

export interface LeaseSettings {
  url: string;
  nodeName: string;
  /** How long the lease of a process that has died blocks others. */
  leaseMs: number;
}

interface Taken {
  isMine: boolean;
  holder: string;
  leftMs: number;
  version: number;
}

/**
 * The right of one process to write to the store, in every slot, over a connection of its own.
 * Redis lets it expire unless it is renewed. The process measures its life by its own clock, and
 * stops relying on it before Redis can have ended it.
 */
export class RedisLease {
  readonly #settings: LeaseSettings;
  readonly #dependencies: LeaseDependencies;
  readonly #time: Time;
  readonly #link: RedisLink;
  #boot = '';
  #untilMs = Number.NEGATIVE_INFINITY;
  /** What the listener was told last. */
  #isHeld = false;
  /** Another process has it, or had it: it must be taken anew. */
  #isLost = true;
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
      up: () => void this.#renew(),
    });
    this.#newBoot();
  }

  /** Names this grant of the lease in Redis. */
  get boot(): string {
    return this.#boot;
  }

  /** Until when it may be relied on, by `Time.now`. */
  get untilMs(): number {
    return this.#untilMs;
  }

  get isHeld(): boolean {
    return this.#time.now() < this.#untilMs;
  }

  /**
   * Takes the lease, waiting for one that is not renewed any more to expire. Rejects where another
   * process renews it, or Redis does not answer within `limitMs`.
   */
  async take(limitMs: number): Promise<void> {
    this.#link.open();
    await this.#link.waitFor(() => this.#tryToTake(), limitMs);
    const everyMs = this.#settings.leaseMs / RENEWALS;
    this.#stopRenewal = this.#time.every(everyMs, () => void this.#renew());
  }

  /** False where Redis does not answer. */
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
    // The common slot comes first: of two processes that start at once only one goes on.
    await this.#takeOnceFree(COMMON_SLOT);
    await Promise.all(SLOTS.map((slot) => this.#takeOnceFree(slot)));
    this.#isLost = false;
    await this.#renew();
    if (!this.isHeld) throw new Error(`no lease: ${messageOf(this.#link.lastError)}`);
  }

  /** Waits for another process's lease of a slot to expire. Rejects where it is renewed. */
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
   * Moves the lease to the connection numbered `session`: Redis refuses what earlier ones still
   * carry from now on. Rejects where the lease is not held.
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

  /** Renews the lease, or takes it anew where it was lost. Never rejects. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow()
      .catch(() => {
        // Redis does not answer. The next renewal tries again; the lease expires meanwhile.
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isClosed || !this.#link.isUp) return;
    const how = this.#isLost ? 'new' : 'same';
    if (this.#isLost && !(await this.#takeSlot(COMMON_SLOT, how)).isMine) return;
    const sentMs = this.#time.now();
    const seen = SLOTS.map((slot) => this.#dependencies.seenVersion(slot));
    const taken = await Promise.all(SLOTS.map((slot) => this.#takeSlot(slot, how)));
    if (this.#isClosed) return;
    const other = taken.find(({ isMine }) => !isMine);
    const isBack = taken.some(({ version }, i) => version < (seen[i] ?? 0));
    if (other === undefined && !isBack) this.#hold(sentMs + this.#settings.leaseMs * RELIED_ON);
    else if (!this.#isLost) this.#lose(other?.holder);
  }

  #hold(untilMs: number): void {
    const wasHeld = this.#isHeld;
    this.#untilMs = untilMs;
    this.#isLost = false;
    this.#isHeld = this.isHeld;
    this.#expire();
    if (!wasHeld && this.#isHeld) this.#dependencies.listener.held();
  }

  /** Reports the end, or waits for it. */
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

  #lose(holder: string | undefined): void {
    this.#stopExpiry();
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#isHeld = false;
    this.#isLost = true;
    this.#newBoot();
    this.#dependencies.listener.lost(
      holder === undefined ? 'the store lost its last writes' : `${nameOf(holder)} has the store`,
    );
  }

  #newBoot(): void {
    const id = Buffer.from(this.#dependencies.random.bytes(BOOT_BYTES)).toString('hex');
    this.#boot = `${this.#settings.nodeName}:${id}`;
  }

  /** Gives the lease up, where Redis answers. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopRenewal();
    this.#stopExpiry();
    await this.#renewing;
    const release = (slot: Slot) => this.#link.run('release', [slot.lease], [this.#boot]);
    // What cannot be given up expires by itself.
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
