import type { NodeClock } from '../clock.ts';
import type { PartitionLoad } from '../cluster-operator.ts';
import type {
  ClusterService,
  ForwardedCall,
  ForwardedReply,
  Peer,
  Place,
} from '../cluster-service.ts';
import { START_WAIT_MS } from '../limits.ts';
import type { Link, LinkAnswer, LinkClient, LinkHandlers } from '../link/contract.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { ClusterView, Grant, Heartbeats, Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import type { TwinService } from '../twin-service.ts';
import { Balancer } from './balancer.ts';
import { ClockSync, clusterReadingMs } from './clock-sync.ts';
import { Drain } from './drain.ts';
import { answerCall, CALL, CREATE, Forwarder } from './forwarder.ts';
import {
  ABORT,
  COPY,
  type Copied,
  GO,
  HAND,
  type Handed,
  Handover,
  type MovingWorlds,
  RESERVE,
} from './handover.ts';
import { readLinkKey } from './link-key.ts';
import { HEARTBEAT_MS, type Member, Members } from './members.ts';
import { MoveLog } from './move-log.ts';
import { type Holdings, type NodeRecord, PROTOCOL, readHoldings } from './node-record.ts';
import { Operator } from './operator.ts';
import { Places } from './places.ts';
import type { Ranges } from './ranges.ts';
import { UNWATCH, WATCH, type Watching } from './relay-server.ts';
import { Relays } from './relays.ts';
import { WorldCount } from './world-count.ts';

const OFFER = 'offer';
const HOLDINGS = 'holdings';
const LOOK_AGAIN_MS = 20;
/** Beyond a lease, a node that joins waits so long for the clock of the others to be told anew. */
const ADOPT_MS = 4 * HEARTBEAT_MS;

/** What a node is, as it tells the others. */
export type NodeIdentity = Pick<NodeRecord, 'build' | 'kernel' | 'name' | 'twinUrl'>;

export interface ClusterDependencies {
  store: Store & { readonly heartbeats: Heartbeats };
  ranges: Ranges;
  leaseMs: number;
  identity: NodeIdentity;
  /** Opens the link to other nodes. Throws if it cannot listen. */
  openLink: (process: string, key: Uint8Array, handlers: LinkHandlers) => Link;
  time: Time;
  random: Random;
  log: Log;
}

/** What a node lets its cluster use once it has worlds. */
export interface ClusterNode {
  clock: NodeClock;
  service: TwinService;
  /** Its worlds, as they move between nodes. */
  moving: MovingWorlds;
  /** Worlds in the store in the partitions that this node holds. */
  worldCount: () => Promise<number>;
  /** What each of these partitions weighs. */
  loads: () => readonly PartitionLoad[];
  /** Whether it lets in another watched world. */
  admits: () => boolean;
}

/**
 * This node among the others on its store: which partitions it holds, where all other worlds are, and
 * the way to them. `join` comes first, then `start`, once the node has a clock and worlds.
 */
export class Cluster implements ClusterService {
  readonly members: Members;
  readonly balancer: Balancer;
  readonly handover: Handover;
  readonly forwarder: Forwarder;
  readonly relays: Relays;
  readonly link: Link;
  readonly operator: Operator;
  readonly #dependencies: ClusterDependencies;
  readonly #places: Places;
  #node: ClusterNode | undefined;
  #sync: ClockSync | undefined;
  #view: ClusterView | undefined;
  #holdings: Holdings = { version: 0, partitions: [] };
  readonly #worldCount: WorldCount;
  readonly #drain: Drain;
  #answer: (call: ForwardedCall) => Promise<ForwardedReply> = () => Promise.reject(notStarted());

  /** Use `join`. */
  private constructor(dependencies: ClusterDependencies, key: Uint8Array) {
    const { store, ranges, leaseMs, time, random, log } = dependencies;
    this.#dependencies = dependencies;
    this.#worldCount = new WorldCount(() => this.#node?.worldCount(), time);
    this.members = new Members({
      ...{ heartbeats: store.heartbeats, leaseMs, time },
      renewalMs: store.claims.renewalMs ?? HEARTBEAT_MS,
      own: () => this.#record(),
      readingMs: () => this.#node?.clock.now(),
      heard: (view) => this.#heard(view),
      holds: (partition, { epoch }) => ranges.outdated(partition, epoch),
    });
    const { members } = this;
    store.claims.readOthers((sinceMs) => members.haveSaidSince(sinceMs));
    this.link = dependencies.openLink(members.process, key, this.#handlers());
    const { link } = this;
    this.#places = new Places({ ranges, members, link, leaseMs, time });
    const places = this.#places;
    this.forwarder = new Forwarder({ link, places });
    const service: Pick<TwinService, 'load' | 'peek'> = {
      load: (number) => this.#node?.service.load(number) ?? Promise.reject(notStarted()),
      peek: (number) => this.#node?.service.peek(number),
    };
    this.relays = new Relays({ link, places, service, time, random, log });
    this.handover = new Handover({
      ...{ link, ranges, time, log },
      worlds: () => {
        if (this.#node === undefined) throw notStarted();
        return this.#node.moving;
      },
      relays: {
        of: (partition) => this.relays.server.relaysOf(partition),
        handed: (partition) => this.relays.worlds.handed(partition),
        expect: (relay) => {
          const isHere = relay.process === members.process;
          const to = isHere ? 'here' : link.clientOf(relay.process);
          if (to !== undefined) this.relays.expect(relay, to);
        },
      },
      process: members.process,
      mayReceive: () => !this.#isUnable,
      changed: () => this.#tellHoldings(),
    });
    const moveLog = new MoveLog({ members, ranges, time });
    this.balancer = new Balancer({
      ...{ members, ranges, moveLog, leaseMs, time, log },
      isDraining: () => this.#isUnable,
      changed: () => this.#tellHoldings(),
      give: (partition, to) => this.#give(partition, to),
    });
    const { balancer, handover } = this;
    this.#drain = new Drain({ members, ranges, time, look: () => balancer.look() });
    this.operator = new Operator({
      ...{ members, ranges, link, places, balancer, handover, moveLog, time, log },
      drain: this.#drain,
      details: () => ({ clockOffsetMs: this.clockOffsetMs, loads: this.#node?.loads() ?? [] }),
    });
  }

  /** Joins the nodes on a store. Rejects if the store does not answer, or the link cannot listen. */
  static async join(dependencies: ClusterDependencies): Promise<Cluster> {
    const key = await readLinkKey(dependencies.store, dependencies.random);
    const cluster = new Cluster(dependencies, key);
    try {
      await cluster.members.start();
      await cluster.#adoptClock();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /**
   * Waits until the clock of the cluster is known. Where others live, one of them must have told its
   * reading since this node has joined: only then the store knows how far its own clock is off. Of those that
   * are dead, whose reading stands, it learns after a lease.
   */
  async #adoptClock(): Promise<void> {
    const { time, leaseMs } = this.#dependencies;
    const endMs = time.now() + Math.min(leaseMs + ADOPT_MS, START_WAIT_MS);
    const first = [...(this.#view?.nodes ?? [])]
      .filter(([process]) => process !== this.members.process)
      .toSorted(([, a], [, b]) => a.joined - b.joined);
    const hasTold = () => {
      const nodes = this.#view?.nodes;
      const [longest, entry] = first.find(([process]) => nodes?.has(process)) ?? [];
      // A store that has lost its last writes may know an earlier one.
      return longest === undefined || (nodes?.get(longest)?.count ?? 0) > (entry?.count ?? 0);
    };
    while (!hasTold() && time.now() < endMs) await time.sleep(LOOK_AGAIN_MS);
  }

  /** The reading of the cluster's clock now: a node starts its own clock with it. */
  clockMs(): number {
    if (this.#view === undefined) throw notStarted();
    return clusterReadingMs(this.#view, this.#dependencies.time.now());
  }

  /**
   * Serves from now on: keeps the clock in step, takes and gives partitions. Resolves once every partition
   * is held by a living node, or after START_WAIT_MS.
   */
  async start(node: ClusterNode): Promise<void> {
    const { ranges, time, log, leaseMs } = this.#dependencies;
    this.#node = node;
    const wasSet = (ms: number) => ranges.clockWasSet(ms);
    this.#sync = new ClockSync(node.clock, { time, leaseMs, log, wasSet });
    ranges.start();
    this.balancer.start();
    this.members.soon();
    const endMs = time.now() + START_WAIT_MS;
    for (;;) {
      await this.balancer.look();
      const missing = this.#unheld();
      if (missing === 0) return;
      if (time.now() > endMs) {
        log.warn({ partitions: missing }, 'partitions are not served by any node yet');
        return;
      }
      await time.sleep(LOOK_AGAIN_MS);
    }
  }

  #unheld(): number {
    const { ranges, time } = this.#dependencies;
    const isHeld = (partition: number) =>
      ranges.isShown(partition, time.now()) || this.#isHeldByOther(partition);
    const { partitionCount } = ranges;
    return Array.from({ length: partitionCount }, (_, i) => i).filter((i) => !isHeld(i)).length;
  }

  #isHeldByOther(partition: number): boolean {
    const holder = this.members.holderOf(partition);
    return holder !== undefined && holder.process !== this.members.process;
  }

  /** Gives a partition to another node: with its worlds where that steps them alike, else free to take. */
  async #give(partition: number, to: string): Promise<boolean> {
    const { ranges, identity } = this.#dependencies;
    const record = this.members.get(to)?.record;
    if (record?.kernel === identity.kernel && this.link.isUp(to)) {
      return this.handover.give(partition, to);
    }
    // It may be gone, and the last heartbeat not know of it yet.
    const { unreachable = [] } = this.members.get(this.members.process)?.record ?? {};
    if (!this.link.isUp(to) && !unreachable.includes(to)) {
      this.members.soon();
      return false;
    }
    await ranges.release(new Set([partition]));
    this.#tellHoldings();
    this.link.note(to, OFFER, partition);
    return true;
  }

  /** It gives everything away. */
  get isDraining(): boolean {
    return this.#drain.isOn;
  }

  /** The same, and will end. */
  get isStopping(): boolean {
    return this.#drain.isStopping;
  }

  /**
   * Takes nothing more, and gives what it has to the others. Then it passes requests on for `relayMs`.
   * Resolves at once where there is nobody to give to.
   */
  async drain(relayMs: number): Promise<void> {
    if (this.isStopping) return;
    await this.#drain.run(relayMs);
    await this.balancer.stop();
  }

  /** Gives everything up. Never rejects. */
  async stop(): Promise<void> {
    this.#drain.stop();
    await this.balancer.stop();
    const { ranges } = this.#dependencies;
    this.relays.worlds.stop();
    await ranges.release(new Set(ranges.held().map(({ partition }) => partition)));
    await this.members.stop();
    this.#sync?.stop();
    await this.link.close();
  }

  // ── what nodes tell each other ──────────────────────────────────────────────────────────────

  #record(): NodeRecord {
    const { identity } = this.#dependencies;
    const node = this.#node;
    this.#worldCount.refresh();
    return {
      ...identity,
      protocol: PROTOCOL,
      linkUrl: this.link.url,
      held: this.#held(),
      worldCount: this.#worldCount.latest,
      admits: node?.admits() ?? false,
      isDraining: this.#isUnable,
      unreachable: this.#others()
        .filter(({ process }) => !this.link.isUp(process))
        .map(({ process }) => process),
    };
  }

  /** Whether it takes no partitions. */
  get #isUnable(): boolean {
    return this.#drain.isOn || this.#node === undefined;
  }

  #held(): Holdings {
    const held = this.#dependencies.ranges.held();
    const { version, partitions: known } = this.#holdings;
    const isKnown = ({ partition, epoch }: Grant, i: number) =>
      known[i]?.[0] === partition && known[i]?.[1] === epoch;
    if (held.length !== known.length || !held.every(isKnown)) {
      const partitions = held.map(({ partition, epoch }) => [partition, epoch] as const);
      this.#holdings = { version: version + 1, partitions };
    }
    return this.#holdings;
  }

  /** Others hear of it by the link first: requests and streams are waiting. */
  #tellHoldings(): void {
    this.members.soon();
    for (const { process } of this.#others()) this.link.note(process, HOLDINGS, this.#held());
  }

  #heard(view: ClusterView): void {
    this.#view = view;
    this.#sync?.heard(view);
    const peers = this.#others().filter(({ record }) => record.linkUrl !== '');
    this.link.connect(peers.map(({ process, record }) => ({ process, url: record.linkUrl })));
  }

  #others(): readonly Member[] {
    return this.members.all().filter(({ process }) => process !== this.members.process);
  }

  #handlers(): LinkHandlers {
    return {
      called: (from, kind, value) => this.#called(from, kind, value),
      noted: (from, kind, value) => this.#noted(from, kind, value),
      received: (...received) => this.relays.received(...received),
      drained: (to) => this.relays.server.drained(to),
      clientGone: (client) => this.relays.server.clientGone(client),
      pingValue: () => this.#held(),
      pinged: (process, value, saidMs) => this.#learn(process, value, saidMs),
      up: () => {},
      down: (process) => this.relays.worlds.down(process),
    };
  }

  #called(from: LinkClient, kind: string, value: unknown): Promise<LinkAnswer> {
    if (kind === CALL) {
      return answerCall(value, (world = 0) => this.#places.isSettledHere(world), this.#answer);
    }
    if (kind === CREATE) {
      return answerCall(value, () => this.placeOfCreation() === undefined, this.#answer);
    }
    if (kind === RESERVE) return Promise.resolve(this.handover.reserve(Number(value)));
    if (kind === COPY) return this.handover.copy(value as Copied);
    if (kind === HAND) return Promise.resolve(this.handover.hand(value as Handed));
    if (kind === WATCH) {
      const watching = value as Watching;
      return this.relays.server.watch(from, watching, () =>
        this.#places.isSettledHere(watching.world),
      );
    }
    const answer = this.operator.called(kind, value);
    if (answer !== undefined) return Promise.resolve(answer);
    return Promise.reject(new Error(`another node asked for ${kind}`));
  }

  #noted(from: LinkClient, kind: string, value: unknown): void {
    if (kind === UNWATCH) this.relays.server.unwatch(from, value as Watching);
    else if (kind === GO) void this.handover.go(String(value));
    else if (kind === ABORT) this.handover.abort(String(value));
    else if (kind === OFFER) this.balancer.offered(Number(value));
    else if (kind === HOLDINGS) this.#learn(from.process, value);
  }

  #learn(process: string, value: unknown, saidMs?: number): void {
    const held = readHoldings(value);
    if (held === undefined) return;
    this.members.learn(process, held);
    if (saidMs !== undefined) this.members.said(process, saidMs);
  }

  // ── for the front end ───────────────────────────────────────────────────────────────────────

  placeOf(worldNumber: number): Place {
    return this.#places.of(worldNumber);
  }

  settledPlaceOf(worldNumber: number): Promise<Place> {
    return this.#places.settled(worldNumber);
  }

  forward(call: ForwardedCall, worldNumber: number): Promise<ForwardedReply> {
    return this.forwarder.forward(call, worldNumber, this.#answer);
  }

  /** Here, unless this node has no partitions or drains; then where the fewest worlds are. */
  placeOfCreation(): Peer | undefined {
    const isHere = !this.#drain.isOn && this.#dependencies.ranges.shown().length > 0;
    return isHere ? undefined : this.#places.ofCreation();
  }

  forwardCreation(call: ForwardedCall, peer: Peer): Promise<ForwardedReply> {
    return this.forwarder.create(call, peer);
  }

  onCall(answer: (call: ForwardedCall) => Promise<ForwardedReply>): void {
    this.#answer = answer;
  }

  get nodeCount(): number {
    return Math.max(1, this.members.all().length);
  }

  /** Worlds in the store, in all partitions. Throws TwinError if this node cannot count its own. */
  async worldCount(): Promise<number> {
    const own = (await this.#node?.worldCount()) ?? 0;
    return this.#others().reduce((sum, { record }) => sum + record.worldCount, own);
  }

  /** How far this node's clock is ahead of the cluster's, ms. */
  get clockOffsetMs(): number {
    return this.#sync?.offsetMs ?? 0;
  }
}

function notStarted(): Error {
  return new Error('the node has not joined its cluster yet');
}
