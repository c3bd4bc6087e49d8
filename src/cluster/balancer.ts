import { Histogram } from '../histogram.ts';
import type { Log } from '../log.ts';
import type { Grant, Held } from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';
import type { Member, Members } from './members.ts';
import type { MoveLog } from './move-log.ts';
import { type Candidate, keptPlan, type Move } from './plan.ts';
import type { Ranges } from './ranges.ts';

/** How often the balancer looks. It asks the store only where something is to be had. */
const LOOK_MS = 100;
/** Pause before another attempt to take a partition. */
const RETRY_MS = 100;
/** Heartbeats without a node that came or went before partitions are moved. */
const STABLE_HEARTBEATS = 2;
/** A partition that was moved stays where it is for so long. */
const REST_MS = 60_000;
/** A node that was given a partition has this long to take it. */
const GIVEN_MS = 3000;
/** Pause after a partition could not be given. */
const GIVE_AGAIN_MS = 500;
/** Free for so many leases, a partition may be taken by any node. */
const ORPHANED_LEASES = 2;

export interface BalancerDependencies {
  members: Members;
  ranges: Pick<Ranges, 'partitionCount' | 'take' | 'holds' | 'grantOf' | 'lostEpochOf'>;
  moveLog: Pick<MoveLog, 'look'>;
  leaseMs: number;
  time: Time;
  log: Log;
  /** Whether this node takes nothing more: what it told last may be older. */
  isDraining: () => boolean;
  /** This node holds other partitions than before. */
  changed: () => void;
  /** Gives a partition to another node. Resolves to whether this node no longer has it. Never rejects. */
  give: (partition: number, to: string) => Promise<boolean>;
}

/**
 * Takes what is free and gives what this node has too much of. Only the holder gives; others take
 * only what is free, or what a silent node has left behind.
 */
export class Balancer {
  /**
   * How long nobody served the partitions that this node has taken, from the last sign of life of their
   * holder, as far as this node has heard of it: what was given up or never had, and what a silent node
   * has left behind.
   */
  readonly takeovers = { free: new Histogram(), silent: new Histogram() };
  readonly #dependencies: BalancerDependencies;
  readonly #time: Time;
  readonly #plan = keptPlan();
  /** By partition: since when it is free, and when to try next; by `Time.now`. */
  readonly #freeMs = new Map<number, number>();
  readonly #retryMs = new Map<number, number>();
  /** By partition: its holder, and when it changed while both lived. */
  readonly #holders: (string | undefined)[];
  readonly #movedMs: Float64Array;
  /** What this node has given last, until the other one has it. */
  #given: { partition: number; atMs: number } | undefined;
  /** After one that failed. */
  #nextGiveMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #stopTimer: StopTimer = () => {};
  #isStopped = false;

  constructor(dependencies: BalancerDependencies) {
    this.#dependencies = dependencies;
    this.#time = dependencies.time;
    const { partitionCount } = dependencies.ranges;
    this.#holders = Array.from({ length: partitionCount });
    this.#movedMs = new Float64Array(partitionCount).fill(Number.NEGATIVE_INFINITY);
  }

  start(): void {
    this.#stopTimer = this.#time.every(LOOK_MS, () => void this.look());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#looking;
  }

  /** Takes and gives what is due. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Does something with partitions of this node while nothing else is taken or given. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#looking !== undefined) await this.#looking;
    const working = work();
    const ignore = () => {};
    this.#looking = working.then(ignore, ignore).finally(() => {
      this.#looking = undefined;
    });
    return working;
  }

  /** A node has offered a partition. */
  offered(partition: number): void {
    this.#retryMs.delete(partition);
    void this.look();
  }

  async #look(): Promise<void> {
    const { members, moveLog } = this.#dependencies;
    if (this.#isStopped) return;
    moveLog.look();
    if (!members.isCurrent) return;
    const holders = this.#followHolders();
    const { isDraining } = this.#dependencies;
    const candidates = candidatesOf(members.all()).map((each) =>
      each.process === members.process ? { ...each, isDraining: isDraining() } : each,
    );
    const moves = this.#plan({ candidates, holders });
    await this.#take(moves, holders);
    if (members.stableCount >= STABLE_HEARTBEATS) await this.#give(moves);
  }

  /** Returns the holder of each partition; notes which are free and which have moved. */
  #followHolders(): readonly (string | undefined)[] {
    const { members, ranges } = this.#dependencies;
    const nowMs = this.#time.now();
    for (let partition = 0; partition < this.#holders.length; partition++) {
      const before = this.#holders[partition];
      const other = members.holderOf(partition)?.process;
      const elsewhere = other === members.process ? undefined : other;
      const holder = ranges.holds(partition) ? members.process : elsewhere;
      if (holder !== undefined && before !== undefined && holder !== before) {
        if (members.get(before) !== undefined) this.#movedMs[partition] = nowMs;
      }
      if (holder !== undefined) this.#holders[partition] = holder;
      if (holder !== undefined) this.#freeMs.delete(partition);
      else if (!this.#freeMs.has(partition)) this.#freeMs.set(partition, nowMs);
    }
    return this.#holders.map((holder, partition) =>
      this.#freeMs.has(partition) ? undefined : holder,
    );
  }

  async #take(moves: readonly Move[], holders: readonly (string | undefined)[]): Promise<void> {
    const { leaseMs, members } = this.#dependencies;
    if (!holders.includes(undefined)) return;
    const nowMs = this.#time.now();
    const own = new Set(
      moves.filter(({ to }) => to === members.process).map(({ partition }) => partition),
    );
    const isOrphaned = (partition: number) =>
      nowMs - (this.#freeMs.get(partition) ?? nowMs) > ORPHANED_LEASES * leaseMs;
    const wanted = [...holders.keys()].filter(
      (partition) =>
        holders[partition] === undefined &&
        (own.has(partition) || this.#hasLost(partition) || isOrphaned(partition)) &&
        nowMs >= (this.#retryMs.get(partition) ?? 0),
    );
    const taken = await Promise.all(wanted.map((partition) => this.#tryToTake(partition)));
    const count = taken.filter((isTaken) => isTaken).length;
    if (count === 0) return;
    this.#dependencies.log.info({ partitions: count }, 'this node has taken partitions');
    this.#dependencies.changed();
  }

  /**
   * Whether this node was the last to have a partition, and has not given it up. After the store has lost writes,
   * the others can take it only when a lease is over.
   */
  #hasLost(partition: number): boolean {
    const { members, ranges, isDraining } = this.#dependencies;
    const isLast = this.#holders[partition] === members.process;
    return isLast && ranges.lostEpochOf(partition) !== undefined && !isDraining();
  }

  async #tryToTake(partition: number): Promise<boolean> {
    const { leaseMs, members, ranges } = this.#dependencies;
    const isSilent = this.#time.now() >= members.silentAtMs(partition);
    const answer = await ranges.take(partition, isSilent ? 'expired' : 'free');
    if (answer !== undefined && isGrant(answer)) {
      this.#taken(partition, isSilent ? 'silent' : 'free');
      this.#retryMs.delete(partition);
      return true;
    }
    const nowMs = this.#time.now();
    const freeMs = nowMs + Math.min(RETRY_MS, Math.max(1, answer?.leftMs ?? RETRY_MS));
    // It has ended, but its holder may live: whoever was silent for so long does not. How long that is
    // nobody can say while the store refuses heartbeats.
    const hasEnded = answer?.leftMs === 0 && !isSilent;
    const silentMs = Math.min(members.silentAtMs(partition), nowMs + leaseMs);
    this.#retryMs.set(partition, hasEnded ? silentMs : freeMs);
    return false;
  }

  #taken(partition: number, what: keyof Balancer['takeovers']): void {
    const { members, leaseMs } = this.#dependencies;
    const sinceMs = members.silentAtMs(partition) - leaseMs;
    this.takeovers[what].observe(Math.max(0, this.#time.now() - sinceMs) / 1000);
  }

  /** Gives one partition at a time, to a node that gets one at a time. */
  async #give(moves: readonly Move[]): Promise<void> {
    const { members, ranges, log, give } = this.#dependencies;
    const nowMs = this.#time.now();
    if (this.#given !== undefined) {
      const { partition, atMs } = this.#given;
      if (this.#freeMs.has(partition) && nowMs - atMs < GIVEN_MS) return;
      this.#given = undefined;
    }
    const firsts = new Map<string, Move>();
    for (const move of moves) {
      if (move.from === undefined || firsts.has(move.to)) continue;
      const isRested = nowMs - (this.#movedMs[move.partition] ?? 0) >= REST_MS;
      const isLeft = members.get(move.from)?.record.isDraining;
      if (isRested || isLeft) firsts.set(move.to, move);
    }
    const next = [...firsts.values()].find(({ from }) => from === members.process);
    if (next === undefined || ranges.grantOf(next.partition) === undefined) return;
    if (nowMs < this.#nextGiveMs) return;
    log.info({ partition: next.partition, to: next.to }, 'this node gives a partition');
    if (await give(next.partition, next.to)) {
      this.#given = { partition: next.partition, atMs: nowMs };
    } else this.#nextGiveMs = this.#time.now() + GIVE_AGAIN_MS;
  }
}

function isGrant(answer: Grant | Held): answer is Grant {
  return 'epoch' in answer;
}

/** Nodes that half of the others or more cannot reach are cut off. */
function candidatesOf(members: readonly Member[]): Candidate[] {
  return members.map(({ process, record }) => {
    const others = members.filter((other) => other.process !== process);
    const missing = others.filter((other) => other.record.unreachable.includes(process)).length;
    return {
      process,
      build: record.build,
      isDraining: record.isDraining,
      isCutOff: others.length > 0 && 2 * missing >= others.length,
    };
  });
}
