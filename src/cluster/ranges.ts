import { PARTITION_COUNT, START_WAIT_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import {
  type Claims,
  type Grant,
  type Held,
  type Lost,
  StoreUnavailable,
} from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';
import type { HeldPartitions, PartitionedWorlds } from '../worlds/held-partitions.ts';

/** Pause between two attempts to take partitions while the node starts. */
const RETRY_MS_MAX = 100;
const NEVER = Number.NEGATIVE_INFINITY;

interface Range {
  grant: Grant | undefined;
  /** The grant was not renewed in time: the worlds are kept, and not shown. */
  isSuspended: boolean;
  /** Another process held it when it was last to be taken. */
  isElsewhere: boolean;
}

/**
 * The partitions that this node holds: it takes what is free, renews what it has, and stops showing
 * worlds whose partition was not renewed in time. If it can be renewed later, its worlds go on in
 * memory. Once it is lost, they are read from the store again under a new grant.
 */
export class Ranges implements HeldPartitions {
  readonly #claims: Claims;
  readonly #log: Log;
  readonly #time: Time;
  readonly #ranges: readonly Range[];
  /** By partition: until when its worlds may be shown, by `Time.now`. */
  readonly #untilMs = new Float64Array(PARTITION_COUNT).fill(NEVER);
  #limitMs = NEVER;
  #worlds: PartitionedWorlds = { suspend() {}, leave() {} };
  #renewing: Promise<void> | undefined;
  #stopRenewal: StopTimer = () => {};
  #stopExpiry: StopTimer = () => {};
  #isStopped = false;

  constructor(claims: Claims, { log, time }: { log: Log; time: Time }) {
    this.#claims = claims;
    this.#log = log;
    this.#time = time;
    this.#ranges = Array.from({ length: PARTITION_COUNT }, () => ({
      grant: undefined,
      isSuspended: false,
      isElsewhere: false,
    }));
  }

  use(worlds: PartitionedWorlds): void {
    this.#worlds = worlds;
  }

  /**
   * Takes all partitions, and keeps them from then on. Waits for those of a process that is gone.
   * Throws if another process keeps some, or the store does not answer.
   */
  async start(): Promise<void> {
    const endMs = this.#time.now() + START_WAIT_MS;
    for (;;) {
      const { held, error } = await this.#takeFree();
      this.#update();
      if (held.length === 0 && error === undefined) break;
      if (this.#time.now() > endMs) throw error ?? new Error(`${held[0]?.holder} holds partitions`);
      await this.#time.sleep(pauseMs(held));
    }
    const { renewalMs } = this.#claims;
    if (renewalMs === undefined) return;
    this.#stopRenewal = this.#time.every(renewalMs, () => void this.renew());
    this.#claims.onTrouble(() => void this.renew());
    await this.renew();
  }

  /** Keeps what it holds as it is. What is not renewed expires. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopRenewal();
    this.#stopExpiry();
    await this.#renewing;
  }

  /** Also of a partition that is suspended. */
  grantOf(partition: number): Grant | undefined {
    return this.#ranges[partition]?.grant;
  }

  isShown(partition: number, nowMs: number): boolean {
    return nowMs < (this.#untilMs[partition] ?? NEVER);
  }

  /** Until when all worlds that are in memory may be stepped, by `Time.now`. */
  get limitMs(): number {
    return this.#limitMs;
  }

  /** Number of nodes that serve worlds: 1 if this node or another one does, else 0. */
  get nodes(): number {
    const nowMs = this.#time.now();
    const isServing = this.#ranges.some((_, partition) => this.isShown(partition, nowMs));
    return isServing || this.#ranges.some(({ isElsewhere }) => isElsewhere) ? 1 : 0;
  }

  /** Renews what is held and takes what is free. Never rejects. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    if (this.#isStopped) return;
    const grants = this.#ranges.flatMap(({ grant }) => grant ?? []);
    const lost = await this.#claims.renew(grants);
    if (lost.length > 0) this.#leave(lost);
    this.#update();
    await this.#takeFree();
    this.#update();
  }

  #leave(lost: readonly Lost[]): void {
    const reason = [...new Set(lost.map((each) => each.reason))].join('; ');
    this.#log.error({ reason, partitions: lost.length }, 'this node has lost partitions');
    const partitions = new Set(lost.map(({ grant }) => grant.partition));
    for (const partition of partitions) {
      const range = this.#ranges[partition];
      if (range !== undefined) Object.assign(range, { grant: undefined, isSuspended: false });
      this.#untilMs[partition] = NEVER;
    }
    this.#worlds.leave(partitions);
  }

  /** Returns those that other processes hold, and why others could not be taken. */
  async #takeFree(): Promise<{ held: Held[]; error: unknown }> {
    const held: Held[] = [];
    let error: unknown;
    const take = async (range: Range, partition: number) => {
      if (range.grant !== undefined || this.#isStopped) return;
      try {
        const answer = await this.#claims.take(partition);
        range.isElsewhere = 'holder' in answer;
        if ('holder' in answer) held.push(answer);
        else range.grant = answer;
      } catch (thrown) {
        if (!(thrown instanceof StoreUnavailable)) throw thrown;
        error = thrown;
      }
    };
    const freeCount = this.#ranges.filter(({ grant }) => grant === undefined).length;
    await Promise.all(this.#ranges.map(take));
    const leftCount = this.#ranges.filter(({ grant }) => grant === undefined).length;
    if (leftCount < freeCount) {
      this.#log.info({ partitions: freeCount - leftCount }, 'this node has taken partitions');
    }
    return { held, error };
  }

  /** Reads the deadlines, stops showing what is past its own, and waits for the next one. */
  #update(): void {
    this.#stopExpiry();
    const nowMs = this.#time.now();
    const grants = this.#ranges.flatMap(({ grant }) => grant ?? []);
    for (const grant of grants) this.#untilMs[grant.partition] = grant.untilMs();
    const expired = grants.filter((grant) => grant.untilMs() <= nowMs);
    // It alone was not renewed: kept in memory, its worlds would hold the clock of all others back.
    const renewedMs = this.#untilMs.reduce((a, b) => Math.max(a, b), NEVER);
    const isAlone = (grant: Grant) =>
      renewedMs - grant.untilMs() >= (this.#claims.renewalMs ?? 0) / 2;
    const abandoned = expired.filter(isAlone);
    if (abandoned.length > 0) {
      this.#leave(abandoned.map((grant) => ({ grant, reason: 'it cannot be renewed' })));
      void this.#claims.release(abandoned);
    }
    this.#suspend(expired.filter((grant) => !isAlone(grant)));
    this.#limitMs = this.#firstDeadlineMs(NEVER);
    const nextMs = this.#firstDeadlineMs(nowMs);
    if (nextMs < Number.POSITIVE_INFINITY && !this.#isStopped) {
      this.#stopExpiry = this.#time.after(Math.ceil(nextMs - nowMs), () => this.#update());
    }
  }

  /** The earliest deadline after `afterMs`. */
  #firstDeadlineMs(afterMs: number): number {
    const deadlines = this.#untilMs.filter((untilMs) => untilMs > afterMs);
    return deadlines.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
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

function pauseMs(held: readonly Held[]): number {
  return Math.max(1, Math.min(RETRY_MS_MAX, ...held.map(({ leftMs }) => leftMs + 1)));
}
