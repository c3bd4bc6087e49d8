import type { MoveReason } from '../cluster-operator.ts';
import type { Time } from '../time.ts';
import type { Members } from './members.ts';
import type { NodeRecord } from './node-record.ts';
import type { Ranges } from './ranges.ts';

/** Moves that are kept. */
const KEPT = 100;
/** What its holder no longer has was handed over if another node has it so soon. */
const HANDED_MS = 1000;

/** A partition that went from one node to another. */
export interface SeenMove {
  /** By the wall clock. */
  atMs: number;
  partition: number;
  /** Processes; undefined: not known, or none yet. */
  from: string | undefined;
  to: string | undefined;
  why: MoveReason;
}

export interface MoveLogDependencies {
  members: Pick<Members, 'process' | 'get' | 'holderOf'>;
  ranges: Pick<Ranges, 'partitionCount' | 'holds' | 'grantOf' | 'lostEpochOf'>;
  time: Time;
}

interface Holder {
  process: string;
  /** As it was told last. */
  record: NodeRecord | undefined;
  epoch: number;
}

/** What was seen of a partition last. */
interface Seen {
  /** Who holds it, or held it last. */
  holder: Holder | undefined;
  /** Since when nobody holds it, by both clocks; undefined: somebody does, or nobody ever did. */
  free: { wallMs: number; atMs: number } | undefined;
  /** The log tells that it is free. */
  isFreeNoted: boolean;
}

/**
 * The last moves of partitions, as this node has seen them. It knows why it gave up or lost its own. Of
 * the others it sees their holders before and after, and whether these live.
 */
export class MoveLog {
  readonly #dependencies: MoveLogDependencies;
  readonly #seen: readonly Seen[];
  readonly #moves: SeenMove[] = [];
  /** What is seen first has not moved. */
  #isFirst = true;

  constructor(dependencies: MoveLogDependencies) {
    this.#dependencies = dependencies;
    const { partitionCount } = dependencies.ranges;
    const unseen = { holder: undefined, free: undefined, isFreeNoted: false };
    this.#seen = Array.from({ length: partitionCount }, () => ({ ...unseen }));
  }

  /** Oldest first. */
  get all(): readonly SeenMove[] {
    return this.#moves;
  }

  /** Notes what has moved since the last look. */
  look(): void {
    const { members, ranges } = this.#dependencies;
    for (let partition = 0; partition < this.#seen.length; partition++) {
      const seen = this.#seen[partition] as Seen;
      const epoch = ranges.holds(partition) ? ranges.grantOf(partition)?.epoch : undefined;
      const other = members.holderOf(partition)?.process;
      if (epoch !== undefined) this.#held(partition, seen, members.process, epoch);
      else if (other === undefined || other === members.process) this.#free(partition, seen);
      else this.#held(partition, seen, other, 0);
    }
    this.#isFirst = false;
  }

  #held(partition: number, seen: Seen, process: string, epoch: number): void {
    const { holder, isFreeNoted } = seen;
    const isSame = holder?.process === process;
    if ((!isSame || isFreeNoted) && !this.#isFirst) {
      const why = isFreeNoted || !holder ? 'takeover' : this.#reason(partition, holder, process);
      this.#note({ partition, from: holder?.process, to: process, why });
    }
    const record = this.#dependencies.members.get(process)?.record;
    if (isSame) {
      holder.epoch = epoch;
      holder.record = record ?? holder.record;
    } else seen.holder = { process, epoch, record };
    seen.free = undefined;
    seen.isFreeNoted = false;
  }

  #free(partition: number, seen: Seen): void {
    const { time } = this.#dependencies;
    const { holder } = seen;
    if (holder === undefined || seen.isFreeNoted) return;
    seen.free ??= { wallMs: time.wallMs(), atMs: time.now() };
    const isGone = this.#isGone(holder);
    const isLost = this.#isLost(partition, holder) || (isGone && !holder.record?.isDraining);
    // Until then it may be on its way to another node.
    if (!isGone && !isLost && time.now() - seen.free.atMs < HANDED_MS) return;
    const move = { partition, from: holder.process, to: undefined };
    this.#note({ ...move, why: isLost ? 'lost' : 'released' }, seen.free.wallMs);
    seen.isFreeNoted = true;
  }

  /** Why a partition has another holder now. */
  #reason(partition: number, from: Holder, to: string): MoveReason {
    if (this.#isLost(partition, from)) return 'lost';
    // It stopped, or fell silent.
    if (this.#isGone(from)) return from.record?.isDraining ? 'released' : 'takeover';
    const { members } = this.#dependencies;
    // Worlds go with their partition only to a node with the same kernel.
    return members.get(to)?.record.kernel === from.record?.kernel ? 'handover' : 'released';
  }

  /** Whether this node has held it, and has lost it. */
  #isLost(partition: number, { process, epoch }: Holder): boolean {
    const { members, ranges } = this.#dependencies;
    return process === members.process && ranges.lostEpochOf(partition) === epoch;
  }

  #isGone({ process }: Holder): boolean {
    const { members } = this.#dependencies;
    return process !== members.process && members.get(process) === undefined;
  }

  #note(move: Omit<SeenMove, 'atMs'>, atMs = this.#dependencies.time.wallMs()): void {
    this.#moves.push({ atMs, ...move });
    if (this.#moves.length > KEPT) this.#moves.shift();
  }
}
