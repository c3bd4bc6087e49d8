import { PARTITION_COUNT, START_WAIT_MS } from '../limits.ts';
import { type ClusterView, type Heartbeats, StoreUnavailable } from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';
import { type Holdings, type NodeRecord, readNodeRecord } from './node-record.ts';

/** How often a node tells the others that it lives, at least. */
export const HEARTBEAT_MS = 1000;
/** A node that has news tells them earlier, but not more often than this. */
const NEWS_MS = 100;
/** Pause before a node that starts sends its first heartbeat again. */
const JOIN_AGAIN_MS = 500;
/** Heartbeats that are missing before the store counts as silent. */
const MISSED_MAX = 2;
const NEVER = Number.NEGATIVE_INFINITY;

/** Another node or this one, as the store tells. */
export interface Member {
  readonly process: string;
  readonly record: NodeRecord;
  /** Order in which the nodes have joined. */
  readonly joined: number;
}

/** Which process holds a partition, as far as known. */
export interface Holding {
  readonly process: string;
  readonly epoch: number;
}

/** A node that is no longer in the views of the store. */
interface Gone {
  /** When the last view with it was asked for, and the first one without. */
  inMs: number;
  outMs: number;
  /** It was not heard of for long before. */
  wasSilent: boolean;
}

export interface MembersDependencies {
  heartbeats: Heartbeats;
  /** How long a lease lives in the store, and how often it is renewed. */
  leaseMs: number;
  renewalMs: number;
  time: Time;
  /** What this node tells. */
  own: () => NodeRecord;
  /** This node's reading of the clock; undefined before it has one. */
  readingMs: () => number | undefined;
  /** Called after every answered heartbeat. */
  heard: (view: ClusterView) => void;
  /** A process holds a partition under this epoch. */
  holds: (partition: number, holding: Holding) => void;
}

/**
 * The nodes on one store: each tells with its heartbeats that it lives and what it holds. What is known of
 * a node is a hint. Only the lease in the store decides who holds a partition.
 */
export class Members {
  readonly #dependencies: MembersDependencies;
  readonly #time: Time;
  #members = new Map<string, Member>();
  /** By process: the last heartbeat, and when it was heard of, by this node's clock. */
  readonly #heard = new Map<string, { count: number; atMs: number }>();
  /** By process: the version of its holdings that is known. */
  readonly #versions = new Map<string, number>();
  /** By process: when it has said over the link what it holds, or later. */
  readonly #saidMs = new Map<string, number>();
  /** When the last view of the store was asked for. */
  #askedMs = NEVER;
  #gone: readonly Gone[] = [];
  /** By partition: when a new heartbeat of its holder listed it. */
  readonly #listedMs = new Float64Array(PARTITION_COUNT).fill(NEVER);
  /** By partition: the holding with the highest epoch. */
  readonly #holdings: (Holding | undefined)[] = Array.from({ length: PARTITION_COUNT });
  /** Since when the store has answered every heartbeat; undefined while it does not. */
  #answeringSinceMs: number | undefined;
  #answeredMs = NEVER;
  #sentMs = NEVER;
  /** Grows with every change of which nodes live. */
  #stableCount = 0;
  #sending: Promise<void> | undefined;
  #stopTimer: StopTimer = () => {};
  #stopNews: StopTimer | undefined;
  #isStopped = false;

  constructor(dependencies: MembersDependencies) {
    this.#dependencies = dependencies;
    this.#time = dependencies.time;
  }

  get #everyMs(): number {
    return Math.min(HEARTBEAT_MS, this.#dependencies.renewalMs);
  }

  get process(): string {
    return this.#dependencies.heartbeats.process;
  }

  /** Joins. Rejects with StoreUnavailable if the store answers no heartbeat within START_WAIT_MS. */
  async start(): Promise<void> {
    await this.#join();
    this.#stopTimer = this.#time.every(this.#everyMs, () => void this.#sendNow());
  }

  async #join(): Promise<void> {
    const endMs = this.#time.now() + START_WAIT_MS;
    for (;;) {
      try {
        await this.#send();
        return;
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || this.#time.now() >= endMs) throw error;
      }
      await this.#time.sleep(JOIN_AGAIN_MS);
    }
  }

  /** Has the others hear soon what has changed. */
  soon(): void {
    if (this.#stopNews !== undefined || this.#isStopped) return;
    const waitMs = Math.max(0, this.#sentMs + NEWS_MS - this.#time.now());
    this.#stopNews = this.#time.after(waitMs, () => {
      this.#stopNews = undefined;
      void this.#sendNow();
    });
  }

  /** Never rejects. */
  #sendNow(): Promise<void> {
    this.#sending ??= this.#send()
      .catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
        this.#answeringSinceMs = undefined;
      })
      .finally(() => {
        this.#sending = undefined;
      });
    return this.#sending;
  }

  async #send(): Promise<void> {
    if (this.#isStopped) return;
    const { heartbeats, own, readingMs, heard } = this.#dependencies;
    this.#sentMs = this.#time.now();
    const view = await heartbeats.send(own(), readingMs());
    if (this.#isStopped) return;
    this.#read(view);
    heard(view);
  }

  #read({ nodes, sentMs }: ClusterView): void {
    const nowMs = this.#time.now();
    const beforeMs = this.#askedMs;
    this.#askedMs = sentMs;
    // What happened while the store did not answer is not known.
    const isGap = nowMs - this.#answeredMs > MISSED_MAX * this.#everyMs;
    if (isGap || this.#answeringSinceMs === undefined) this.#answeringSinceMs = sentMs;
    this.#answeredMs = nowMs;
    const members = new Map<string, Member>();
    for (const [process, { value, count, joined }] of nodes) {
      const last = this.#heard.get(process);
      const isNew = last === undefined || count !== last.count;
      if (isNew) this.#heard.set(process, { count, atMs: nowMs });
      const record = readNodeRecord(value);
      if (record === undefined) continue;
      // The store judges by its own clock, which may jump: its silent nodes are left out here.
      if (!isNew && nowMs - last.atMs > this.#dependencies.leaseMs) continue;
      members.set(process, { process, record, joined });
      if (isNew) this.#listed(process, record.held);
    }
    const { leaseMs } = this.#dependencies;
    this.#gone = this.#gone.filter(({ outMs }) => nowMs - outMs <= leaseMs);
    for (const [process, { atMs }] of this.#heard) {
      if (nodes.has(process)) continue;
      const wasSilent = nowMs - atMs > leaseMs / 2;
      this.#gone = [...this.#gone, { inMs: beforeMs, outMs: sentMs, wasSilent }];
      this.#heard.delete(process);
      this.#versions.delete(process);
      this.#saidMs.delete(process);
    }
    const isSame =
      members.size === this.#members.size &&
      [...members.keys()].every((process) => this.#members.has(process));
    this.#stableCount = isSame ? this.#stableCount + 1 : 0;
    this.#members = new Map([...members].toSorted(([, a], [, b]) => a.joined - b.joined));
  }

  #listed(process: string, held: Holdings): void {
    const nowMs = this.#time.now();
    for (const [partition] of held.partitions) this.#listedMs[partition] = nowMs;
    this.learn(process, held);
  }

  /** Takes what a node tells of the partitions that it holds, by whatever way. */
  learn(process: string, { version, partitions }: Holdings): void {
    if (version < (this.#versions.get(process) ?? 0)) return;
    this.#versions.set(process, version);
    const listed = new Set<number>();
    for (const [partition, epoch] of partitions) {
      listed.add(partition);
      const known = this.#holdings[partition];
      // The store may have lost that a node took it which is gone.
      const isOutdated =
        known !== undefined && known.epoch > epoch && this.#heard.has(known.process);
      if (isOutdated) continue;
      const holding = { process, epoch };
      this.#holdings[partition] = holding;
      this.#dependencies.holds(partition, holding);
    }
    // It has given up what it no longer lists.
    for (let each = 0; each < this.#holdings.length; each++) {
      if (this.#holdings[each]?.process === process && !listed.has(each)) {
        this.#holdings[each] = undefined;
      }
    }
  }

  /** A node has said over the link what it holds, at `atMs` or later. */
  said(process: string, atMs: number): void {
    this.#saidMs.set(process, Math.max(atMs, this.#saidMs.get(process) ?? NEVER));
  }

  /**
   * Whether all other nodes have said over the link what they hold, at `sinceMs` or later. Not where the store
   * may have lost by then that a node is there: its last view is older, a node is missing from the views since,
   * or has run out in these. One that stops after it was there has given up what it held.
   */
  haveSaidSince(sinceMs: number): boolean {
    const isMissing = ({ inMs, outMs, wasSilent }: Gone) =>
      outMs >= sinceMs && (inMs < sinceMs || wasSilent);
    if (this.#askedMs < sinceMs || this.#gone.some(isMissing)) return false;
    return [...this.#heard.keys()].every(
      (process) => process === this.process || (this.#saidMs.get(process) ?? NEVER) >= sinceMs,
    );
  }

  /** A node has answered that it does not hold a partition. */
  disown(partition: number, process: string): void {
    if (this.#holdings[partition]?.process === process) this.#holdings[partition] = undefined;
  }

  /** The living nodes, this one included, in the order in which they joined. */
  all(): readonly Member[] {
    return [...this.#members.values()];
  }

  get(process: string): Member | undefined {
    return this.#members.get(process);
  }

  /** The living process that holds a partition, as far as known. */
  holderOf(partition: number): Member | undefined {
    const holding = this.#holdings[partition];
    return holding && this.#members.get(holding.process);
  }

  /** The same, with the epoch of its grant. */
  holdingOf(partition: number): Holding | undefined {
    return this.holderOf(partition) && this.#holdings[partition];
  }

  /** Whether the store answers: what is known is as of the last seconds. */
  get isCurrent(): boolean {
    return (
      this.#answeringSinceMs !== undefined &&
      this.#time.now() - this.#answeredMs <= MISSED_MAX * this.#everyMs
    );
  }

  /** Heartbeats since a node has come or gone. */
  get stableCount(): number {
    return this.#stableCount;
  }

  /**
   * When the last holder of a partition will have been silent for a lease, by this node's clock and over
   * a store that has answered all the time; by `Time.now`.
   */
  silentAtMs(partition: number): number {
    const sinceMs = Math.max(
      this.#answeringSinceMs ?? Number.POSITIVE_INFINITY,
      this.#listedMs[partition] ?? NEVER,
    );
    return sinceMs + this.#dependencies.leaseMs;
  }

  /** Tells the others that this node is gone. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    this.#stopNews?.();
    await this.#sending;
    await this.#dependencies.heartbeats.leave();
  }
}
