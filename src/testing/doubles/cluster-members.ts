import { pino } from 'pino';
import { afterEach, beforeEach, expect } from 'vitest';
import { NodeClock } from '../../clock.ts';
import { Cluster, type NodeIdentity } from '../../cluster/cluster.ts';
import { Ranges } from '../../cluster/ranges.ts';
import type { PartitionLoad } from '../../cluster-operator.ts';
import { PARTITION_COUNT } from '../../limits.ts';
import { systemRandom } from '../../random.ts';
import type { Heartbeats } from '../../store/contract.ts';
import { openRedis, type RedisStore } from '../../store/redis/redis-store.ts';
import { partitionOf } from '../../twin/ids.ts';
import { FakeTwin, type FakeWorld } from './fake-twin.ts';
import { LinkDouble, Net } from './link-double.ts';
import { ProcessTime } from './process-time.ts';
import { RedisDouble } from './redis-double.ts';
import { TestTime } from './test-time.ts';

const START_MS = 1_700_000_000_000;
/** Of each node. */
export const WORLDS_COUNTED = 7;
const log = pino({ level: 'silent' });

/** A node of a cluster whose worlds do nothing. */
export interface ClusterMember {
  cluster: Cluster;
  ranges: Ranges;
  clock: NodeClock;
  twin: FakeTwin;
  store: RedisStore;
  /** Partitions that it has given up or lost, in order. */
  left: number[];
  /** How often it has counted its worlds. */
  countings: number;
  /** What its partitions weigh. */
  loads: PartitionLoad[];
  /** Ends as on SIGKILL. */
  kill(): void;
}

/** No world is in memory. */
const moving = {
  async *copies() {},
  freeze: async () => {},
  handOut: async () => [],
  thaw: async () => {},
  prepare: async () => [],
  discard() {},
  takeIn() {},
};

/** Nodes on a Redis and a net in memory, in standing time. */
export class ClusterMembers {
  time = TestTime.standing(START_MS);
  redis = new RedisDouble({ time: this.time });
  net = new Net({ time: this.time });
  /** All worlds that there are: each node has them once it holds their partition. */
  worlds: FakeWorld[] = [];
  #members: ClusterMember[] = [];
  readonly #leaseMs: number;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Begins anew, without a node. */
  reset(): void {
    this.time = TestTime.standing(START_MS);
    this.redis = new RedisDouble({ time: this.time });
    this.net = new Net({ time: this.time });
    this.worlds = [];
    this.#members = [];
  }

  async stop(): Promise<void> {
    for (const { cluster, store, kill } of [...this.#members]) {
      await this.time.advanceUntil(Promise.all([cluster.stop(), store.close()]));
      kill();
    }
  }

  /** Starts a node, and resolves once it serves. */
  async join(name: string, identity: Partial<NodeIdentity> = {}): Promise<ClusterMember> {
    const { time, worlds } = this;
    const own = new ProcessTime(time);
    const store = await this.#openStore(name, own);
    const parts = { time: own, random: systemRandom, log };
    const ranges = new Ranges(store.claims, { partitionCount: PARTITION_COUNT, ...parts });
    const cluster = await time.advanceUntil(
      Cluster.join({
        store: store as RedisStore & { heartbeats: Heartbeats },
        ...{ ranges, leaseMs: this.#leaseMs, ...parts },
        identity: { build: 1, kernel: 'kernel', name, twinUrl: '', ...identity },
        openLink: (process, key, handlers) =>
          new LinkDouble(this.net, { process, key, handlers, ...parts }),
      }),
    );
    const clock = new NodeClock(own, cluster.clockMs(), ranges);
    store.claims.readClock((atMs) => clock.latestReadingMs(atMs));
    const left: number[] = [];
    const twin = new FakeTwin();
    for (const world of worlds) twin.worlds.set(world.number, world);
    const leave = async (partitions: ReadonlySet<number>) => {
      left.push(...partitions);
      for (const { number } of worlds) {
        if (partitions.has(partitionOf(number))) cluster.relays.end(number, 'moved');
      }
    };
    ranges.use({ suspend() {}, leave }, clock);
    store.serve();
    const kill = () => this.#kill(member, own);
    const counted = { countings: 0, loads: [] };
    const member: ClusterMember = { cluster, ranges, clock, twin, store, left, ...counted, kill };
    this.#members.push(member);
    await time.advanceUntil(this.#start(member));
    return member;
  }

  #openStore(name: string, time: ProcessTime): Promise<RedisStore> {
    const settings = { url: 'redis://double', nodeName: name, leaseMs: this.#leaseMs };
    const { makeClient } = this.redis;
    return this.time.advanceUntil(
      openRedis(settings, { time, random: systemRandom, log, makeClient }),
    );
  }

  #start(member: ClusterMember): Promise<void> {
    const { cluster, clock, twin } = member;
    const worldCount = async () => {
      member.countings++;
      return WORLDS_COUNTED;
    };
    const loads = () => member.loads;
    return cluster.start({
      ...{ clock, service: twin, moving, worldCount, loads, admits: () => true },
    });
  }

  #kill(member: ClusterMember, time: ProcessTime): void {
    time.isAlive = false;
    this.#members = this.#members.filter((each) => each !== member);
    const { process } = member.cluster.members;
    for (const { cluster } of this.#members) {
      this.net.cut(process, cluster.members.process);
      this.net.break(process, cluster.members.process);
    }
  }

  /** Looks at who shows what, every 100 ms for so long: no partition has two nodes. */
  async watchFor(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      await this.time.advance(100);
      const shown = this.#members.flatMap(({ ranges }) => [...ranges.shown()]);
      expect(new Set(shown).size).toBe(shown.length);
    }
  }
}

/** To be called once in a test file: each test has nodes of its own. */
export function useClusterMembers(leaseMs: number): ClusterMembers {
  const members = new ClusterMembers(leaseMs);
  beforeEach(() => members.reset());
  afterEach(() => members.stop());
  return members;
}
