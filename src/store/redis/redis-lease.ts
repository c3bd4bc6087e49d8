import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '../../time.ts';
import { type Argument, LinkError, RedisLink } from './redis-link.ts';
import { COMMON_SLOT, SLOTS, type Slot } from './slots.ts';

/** Shares of the lease's life: how often it is renewed, how long it is relied on, how long an
 * answer may take. */
const RENEWALS = 4;
const RELIED_ON = 0.75;
const COMMAND_SHARE = 12;
const COMMAND_MS_MIN = 200;
/** How often a lease that somebody else has is looked at. */
const LOOK_MS = 100;
/** A lease that lives longer than at the last look was renewed: by more than clocks may differ. */
const RENEWED_MS = 50;

export interface LeaseOptions {
  url: string;
  nodeName: string;
  ttlMs: number;
  /** The highest version that this process has seen of a slot. */
  seenVersion: (slot: Slot) => number;
  /** The lease is held again after it had run out, or been lost. */
  held: () => void;
  /** It has not been renewed in time: nothing may be shown or promised until it is held again. */
  expired: () => void;
  /** Somebody else had it, or the store lost what it had: what is known of it may be wrong. */
  lost: (reason: string) => void;
}

interface Taken {
  isMine: boolean;
  holder: string;
  leftMs: number;
  version: number;
}

/**
 * The right of one process to write to the store, in every slot, over a connection of its own. It
 * lives for a while in Redis and is renewed; by a clock of its own the process stops relying on it
 * before it can have run out there.
 */
export class RedisLease {
  readonly #options: LeaseOptions;
  readonly #link: RedisLink;
  #boot = '';
  #untilMs = Number.NEGATIVE_INFINITY;
  #isHeld = false;
  /** Somebody else has it: it must be taken anew. */
  #isLost = true;
  #renewing: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#link = new RedisLink(options.url, {
      name: `${options.nodeName}-lease`,
      commandTimeoutMs: Math.max(COMMAND_MS_MIN, options.ttlMs / COMMAND_SHARE),
      up: () => void this.#renew(),
    });
    this.#newBoot();
  }

  /** What names this grant of the lease in Redis. */
  get boot(): string {
    return this.#boot;
  }

  /** Until when it may be relied on, by `Time.now`. */
  get untilMs(): number {
    return this.#untilMs;
  }

  get isHeld(): boolean {
    return systemTime.now() < this.#untilMs;
  }

  get lastError(): unknown {
    return this.#link.lastError;
  }

  /**
   * Takes the lease, waiting for one that is not renewed any more to run out. Rejects where
   * somebody renews it, or Redis does not answer within `limitMs`.
   */
  async take(limitMs: number): Promise<void> {
    this.#link.open();
    const endMs = systemTime.now() + limitMs;
    while (!(await this.#tryToTake())) {
      if (systemTime.now() > endMs)
        throw new Error(`no answer: ${messageOf(this.#link.lastError)}`);
      await sleep(LOOK_MS / 2);
    }
    this.#renewal = setInterval(() => void this.#renew(), this.#options.ttlMs / RENEWALS);
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
    // The common slot comes first: of two that start at once only one goes on.
    await this.#takeOnceFree(COMMON_SLOT);
    await Promise.all(SLOTS.map((slot) => this.#takeOnceFree(slot)));
    this.#isLost = false;
    await this.#renew();
    if (!this.isHeld) throw new Error(`no lease: ${messageOf(this.#link.lastError)}`);
  }

  /** Waits for somebody else's lease of a slot to run out. Rejects where it is renewed. */
  async #takeOnceFree(slot: Slot): Promise<void> {
    let last: Taken | undefined;
    for (;;) {
      const taken = await this.#takeSlot(slot, 'new');
      if (taken.isMine) return;
      if (last !== undefined && isRenewed(last, taken)) throw inUse(taken.holder);
      last = taken;
      await sleep(Math.max(1, Math.min(LOOK_MS, taken.leftMs + 1)));
    }
  }

  /** Takes or renews one slot. Rejects with LinkError. */
  async #takeSlot(slot: Slot, how: 'new' | 'same'): Promise<Taken> {
    return takenOf(await this.#link.run('lease', keysOf(slot), this.#argumentsOf(0, how)));
  }

  /**
   * Moves the lease to the connection numbered `session`: what earlier ones still carry is refused
   * from now on. Rejects where the lease is not held.
   */
  async enter(link: RedisLink, session: number): Promise<void> {
    const answers = await Promise.all(
      SLOTS.map((slot) => link.early('lease', keysOf(slot), this.#argumentsOf(session, 'same'))),
    );
    const other = answers.map(takenOf).find(({ isMine }) => !isMine);
    if (other !== undefined) throw inUse(other.holder);
  }

  #argumentsOf(session: number, how: 'new' | 'same'): Argument[] {
    return [this.#boot, session, this.#options.ttlMs, how];
  }

  /** Renews the lease, or takes it anew where it was lost. Never rejects. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow()
      .catch(() => {
        // Redis does not answer; it is tried again, and the lease runs out meanwhile.
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
    const sentMs = systemTime.now();
    const seen = SLOTS.map((slot) => this.#options.seenVersion(slot));
    const taken = await Promise.all(SLOTS.map((slot) => this.#takeSlot(slot, how)));
    if (this.#isClosed) return;
    const other = taken.find(({ isMine }) => !isMine);
    const isBack = taken.some(({ version }, i) => version < (seen[i] ?? 0));
    if (other === undefined && !isBack) this.#hold(sentMs + this.#options.ttlMs * RELIED_ON);
    else if (!this.#isLost) this.#lose(other?.holder);
  }

  #hold(untilMs: number): void {
    const wasHeld = this.#isHeld;
    this.#untilMs = untilMs;
    this.#isLost = false;
    this.#isHeld = this.isHeld;
    clearTimeout(this.#expiry);
    this.#expire();
    if (!wasHeld && this.#isHeld) this.#options.held();
  }

  /** Tells of the end, or waits for it. */
  #expire(): void {
    const leftMs = this.#untilMs - systemTime.now();
    if (leftMs > 0) {
      this.#expiry = setTimeout(() => this.#expire(), Math.ceil(leftMs));
    } else if (this.#isHeld) {
      this.#isHeld = false;
      this.#options.expired();
    }
  }

  #lose(holder: string | undefined): void {
    clearTimeout(this.#expiry);
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#isHeld = false;
    this.#isLost = true;
    this.#newBoot();
    this.#options.lost(
      holder === undefined ? 'the store lost its last writes' : `${nameOf(holder)} has the store`,
    );
  }

  #newBoot(): void {
    this.#boot = `${this.#options.nodeName}:${randomBytes(8).toString('hex')}`;
  }

  /** Gives the lease up, where Redis answers. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
    await this.#renewing;
    const give = (slot: Slot) => this.#link.run('release', [slot.lease], [this.#boot]);
    // What cannot be given up runs out by itself.
    if (this.#link.isUp) await Promise.allSettled(SLOTS.toReversed().map(give));
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

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof LinkError || error instanceof Error ? error.message : String(error);
}
