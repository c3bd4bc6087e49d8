import type {
  ClusterOperator,
  ClusterStatus,
  MoveStatus,
  NodeDrain,
  NodeStatus,
  PartitionLoad,
  PartitionMove,
  PartitionStatus,
  WorldPlace,
} from '../cluster-operator.ts';
import { TwinError } from '../errors.ts';
import { type Link, type LinkAnswer, LinkBroken } from '../link/contract.ts';
import type { Log } from '../log.ts';
import type { Time } from '../time.ts';
import { partitionOf, worldIdOf } from '../twin/ids.ts';
import type { Balancer } from './balancer.ts';
import type { Drain } from './drain.ts';
import { type Handover, TAKES_NONE } from './handover.ts';
import type { Member, Members } from './members.ts';
import type { MoveLog, SeenMove } from './move-log.ts';
import { messageOfDetails, type NodeDetails, readDetails } from './node-details.ts';
import type { Places } from './places.ts';
import type { Ranges } from './ranges.ts';
import { errorOf, faultOf, type TwinFault } from './twin-fault.ts';

/** What a node asks another one for. */
const DETAILS = 'details';
const DRAIN = 'drain';

/** Whoever looks at the cluster waits so long for the details of the other nodes. */
const DETAILS_MS = 250;
const DRAIN_ANSWER_MS = 2000;
/** A node that takes another partition is asked again, so often and for so long. */
const ASK_AGAIN_MS = 200;
const ASK_MS_MAX = 1000;
/** A node that was given a partition tells so soon that it has it. */
const TOLD_MS_MAX = 1000;
const LOOK_AGAIN_MS = 20;

export interface OperatorDependencies {
  members: Pick<Members, 'all' | 'get' | 'holderOf' | 'holdingOf' | 'process'>;
  ranges: Pick<Ranges, 'partitionCount' | 'grantOf' | 'isShown'>;
  link: Pick<Link, 'call' | 'isUp'>;
  places: Pick<Places, 'of'>;
  balancer: Pick<Balancer, 'exclusively'>;
  handover: Pick<Handover, 'tryToGive'>;
  drain: Drain;
  moveLog: Pick<MoveLog, 'all'>;
  /** What only this node knows of itself. */
  details: () => NodeDetails;
  time: Time;
  log: Log;
}

/** What another node has told of itself, and how long its answer took. */
interface Told extends NodeDetails {
  roundTripMs: number | undefined;
}

type LoadsByProcess = ReadonlyMap<string, ReadonlyMap<number, PartitionLoad>>;

/** Shows an operator the cluster as this node knows it, and does there what it is told to. */
export class Operator implements ClusterOperator {
  readonly #dependencies: OperatorDependencies;
  #asking: Promise<ReadonlyMap<string, Told>> | undefined;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  // ── looking ─────────────────────────────────────────────────────────────────────────────────

  async status(): Promise<ClusterStatus> {
    // Whoever asks meanwhile gets the same.
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
    });
    const told = await this.#asking;
    const { members, moveLog, time } = this.#dependencies;
    const loads = new Map([...told].map(([process, { loads: of }]) => [process, loadsBy(of)]));
    const partitions = this.#partitionsOf(loads);
    return {
      store: 'redis',
      at: isoOf(time.wallMs()),
      process: members.process,
      nodes: members
        .all()
        .map((member) => this.#nodeOf(member, told.get(member.process), partitions)),
      partitions,
      moves: moveLog.all.map(shownMove).toReversed(),
    };
  }

  async #askAll(): Promise<ReadonlyMap<string, Told>> {
    const { members, details } = this.#dependencies;
    const all = await Promise.all(
      members.all().map(async ({ process }) => {
        const isOwn = process === members.process;
        const told = isOwn ? { ...details(), roundTripMs: undefined } : await this.#ask(process);
        return told === undefined ? [] : [[process, told] as const];
      }),
    );
    return new Map(all.flat());
  }

  /** Undefined: it does not answer in time, or is of a release that tells nothing. */
  async #ask(process: string): Promise<Told | undefined> {
    const { link, time } = this.#dependencies;
    const startMs = time.now();
    try {
      const { value } = await link.call(process, DETAILS, null, DETAILS_MS);
      const details = readDetails(value);
      return details && { ...details, roundTripMs: time.now() - startMs };
    } catch (error) {
      if (!(error instanceof LinkBroken)) throw error;
      return undefined;
    }
  }

  #nodeOf(
    { process, record }: Member,
    told: Told | undefined,
    partitions: readonly PartitionStatus[],
  ): NodeStatus {
    const { members, link, drain } = this.#dependencies;
    const isOwn = process === members.process;
    return {
      name: record.name,
      process,
      is_this: isOwn,
      build: record.build,
      kernel: record.kernel,
      twin_url: record.twinUrl || null,
      link_url: record.linkUrl || null,
      partitions: partitions.filter(({ holder }) => holder === process).length,
      worlds: record.worldCount,
      hot_worlds: told ? told.loads.reduce((sum, { hotCount }) => sum + hotCount, 0) : null,
      admits: record.admits,
      draining: isOwn ? drain.isOn : record.isDraining,
      unreachable: [...record.unreachable],
      link: isOwn ? null : link.isUp(process) ? 'up' : 'down',
      round_trip_ms: rounded(told?.roundTripMs),
      clock_offset_ms: rounded(told?.clockOffsetMs),
    };
  }

  #partitionsOf(loads: LoadsByProcess): PartitionStatus[] {
    const { partitionCount } = this.#dependencies.ranges;
    return Array.from({ length: partitionCount }, (_, partition) => {
      const holding = this.#holdingOf(partition);
      const load = holding && loads.get(holding.process)?.get(partition);
      return {
        partition,
        holder: holding?.process ?? null,
        epoch: holding?.epoch ?? null,
        worlds: load?.worldCount ?? null,
        hot_worlds: load?.hotCount ?? null,
      };
    });
  }

  /** Of this node, or of another that lives. */
  #holdingOf(partition: number): { process: string; epoch: number } | undefined {
    const { members, ranges } = this.#dependencies;
    const grant = ranges.grantOf(partition);
    if (grant !== undefined) return { process: members.process, epoch: grant.epoch };
    const holding = members.holdingOf(partition);
    return holding?.process === members.process ? undefined : holding;
  }

  placeOf(worldNumber: number): WorldPlace {
    const { members, places } = this.#dependencies;
    const partition = partitionOf(worldNumber);
    const { process = null } = this.#holdingOf(partition) ?? {};
    return {
      world: worldIdOf(worldNumber),
      partition,
      node: process === null ? null : (members.get(process)?.record.name ?? null),
      process,
      is_this: process === members.process,
      served: places.of(worldNumber).at !== 'nowhere',
    };
  }

  // ── doing ───────────────────────────────────────────────────────────────────────────────────

  drain(node: string | undefined): Promise<NodeDrain> {
    return this.#setDraining(node, true);
  }

  undrain(node: string | undefined): Promise<NodeDrain> {
    return this.#setDraining(node, false);
  }

  async #setDraining(node: string | undefined, isOn: boolean): Promise<NodeDrain> {
    const { members } = this.#dependencies;
    const member = node === undefined ? members.get(members.process) : this.#find(node);
    const process = member?.process ?? members.process;
    if (process === members.process) this.#drainHere(isOn);
    else await this.#drainThere(process, isOn);
    const { partitionCount } = this.#dependencies.ranges;
    const all = Array.from({ length: partitionCount }, (_, partition) => partition);
    return {
      node: member?.record.name ?? process,
      process,
      draining: isOn,
      partitions: all.filter((each) => this.#holdingOf(each)?.process === process).length,
    };
  }

  #drainHere(isOn: boolean): void {
    const { drain, log } = this.#dependencies;
    drain.ask(isOn);
    log.info(isOn ? 'an operator drains this node' : 'an operator ends the drain of this node');
  }

  async #drainThere(process: string, isOn: boolean): Promise<void> {
    const { link } = this.#dependencies;
    let answer: LinkAnswer;
    try {
      answer = await link.call(process, DRAIN, isOn, DRAIN_ANSWER_MS);
    } catch (error) {
      if (!(error instanceof LinkBroken)) throw error;
      const hint = 'The node does not answer. See by GET /cluster whether it drains.';
      throw new TwinError('store_unavailable', hint);
    }
    if (answer.value) throw errorOf(answer.value as TwinFault);
  }

  async move(partition: number, to: string): Promise<PartitionMove> {
    const { process } = this.#find(to);
    const { members, balancer, log } = this.#dependencies;
    this.#checkMove(partition, process);
    const move = { partition, from: members.process, to: process };
    log.info(move, 'an operator moves a partition');
    const reason = await balancer.exclusively(() => this.#give(partition, process));
    if (reason !== undefined) {
      throw new TwinError('conflict', `Partition ${partition} stays at this node: ${reason}.`);
    }
    await this.#untilTold(partition, process);
    return move;
  }

  /** Resolves to why this node still has it; undefined: it has not. */
  async #give(partition: number, to: string): Promise<string | undefined> {
    const { handover, time } = this.#dependencies;
    const endMs = time.now() + ASK_MS_MAX;
    for (;;) {
      // Something may have moved while this waited.
      this.#checkMove(partition, to);
      const reason = await handover.tryToGive(partition, to);
      if (reason !== TAKES_NONE || time.now() >= endMs) return reason;
      await time.sleep(ASK_AGAIN_MS);
    }
  }

  /** The store has given it already. */
  async #untilTold(partition: number, to: string): Promise<void> {
    const { members, time } = this.#dependencies;
    const endMs = time.now() + TOLD_MS_MAX;
    while (members.holderOf(partition)?.process !== to && time.now() < endMs) {
      await time.sleep(LOOK_AGAIN_MS);
    }
  }

  /** Throws TwinError `conflict` if a partition cannot be handed over to a node. */
  #checkMove(partition: number, to: string): void {
    const reason = this.#obstacle(partition, to);
    if (reason !== undefined) throw new TwinError('conflict', `${reason} Nothing was changed.`);
  }

  #obstacle(partition: number, to: string): string | undefined {
    const { members, ranges, link, drain, time } = this.#dependencies;
    const holder = this.#holdingOf(partition)?.process;
    if (holder !== members.process) {
      const name = holder && members.get(holder)?.record.name;
      const where = name ? `node ${name} holds it: ask there` : 'nobody holds it now';
      return `This node does not hold partition ${partition}; ${where}.`;
    }
    if (!ranges.isShown(partition, time.now())) return 'The partition is not served right now.';
    if (drain.isStopping) return 'This node stops, and gives everything to the others anyway.';
    if (to === members.process) return 'This node holds the partition already.';
    const target = members.get(to)?.record;
    if (target === undefined || !link.isUp(to)) return 'The link to that node is down.';
    if (target.isDraining) return 'That node takes no partitions now: it drains, or starts.';
    // Without its worlds a partition could only be released, for any node to take.
    const kernel = members.get(members.process)?.record.kernel;
    return target.kernel === kernel ? undefined : 'That node has another kernel.';
  }

  /** Throws TwinError. */
  #find(node: string): Member {
    const { members } = this.#dependencies;
    const byProcess = members.get(node);
    if (byProcess !== undefined) return byProcess;
    const [found, ...more] = members.all().filter(({ record }) => record.name === node);
    if (found === undefined) throw new TwinError('unknown_node');
    if (more.length === 0) return found;
    throw new TwinError('conflict', 'Several nodes have this name: use the process of one.');
  }

  // ── for other nodes ─────────────────────────────────────────────────────────────────────────

  /** Answers what the operator of another node asks of this one; undefined: it is about something else. */
  called(kind: string, value: unknown): LinkAnswer | undefined {
    if (kind === DETAILS) return { value: messageOfDetails(this.#dependencies.details()) };
    return kind === DRAIN ? this.#drainFor(value === true) : undefined;
  }

  /** Answers with the error, if there is one. */
  #drainFor(isOn: boolean): LinkAnswer {
    try {
      this.#drainHere(isOn);
      return { value: null };
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      return { value: fault };
    }
  }
}

function loadsBy(loads: readonly PartitionLoad[]): ReadonlyMap<number, PartitionLoad> {
  return new Map(loads.map((load) => [load.partition, load]));
}

function shownMove({ atMs, partition, from, to, why }: SeenMove): MoveStatus {
  return { at: isoOf(atMs), partition, from: from ?? null, to: to ?? null, why };
}

function isoOf(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

/** To a tenth. */
function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(10 * ms) / 10;
}
