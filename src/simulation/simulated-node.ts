import { pino } from 'pino';
import { NodeClock } from '../clock.ts';
import { ClockKeeper } from '../clock-keeper.ts';
import { Cluster } from '../cluster/cluster.ts';
import type { MovingWorlds } from '../cluster/handover.ts';
import { Ranges } from '../cluster/ranges.ts';
import type { DealerPlatform } from '../dealer/dealer-platform.ts';
import { TwinError } from '../errors.ts';
import { Fanout } from '../http/twin/fanout.ts';
import { NodeLink } from '../link/node-link.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import { Shard } from '../shard/shard.ts';
import type { MakeThread } from '../shard/shard-thread.ts';
import { Supervisor } from '../shard/supervisor.ts';
import type { Claims, Heartbeats, Store } from '../store/contract.ts';
import { GuardedStore } from '../store/guarded-store.ts';
import { openRedis } from '../store/redis/redis-store.ts';
import { explanationBudgets } from '../worlds/explanation-budgets.ts';
import { Worlds } from '../worlds/worlds.ts';
import type { Chance } from './chance.ts';
import type { HandoverSteps } from './handover-steps.ts';
import type { Machine, Thread } from './machine.ts';
import type { Mutant } from './mutants.ts';
import type { Observer, Publisher } from './observer.ts';
import { LeaseWatch, type RedisRoute } from './redis-route.ts';
import type { RunSettings } from './settings.ts';
import { openSimulatedPlatform } from './simulated-dealer.ts';
import { SimulatedFront } from './simulated-front.ts';
import type { SimulatedNet } from './simulated-net.ts';
import { SimulatedThread } from './simulated-thread.ts';
import { TOY_CITIES, toyKernelHash, toyWasm } from './toy-kernel.ts';
import type { Trace } from './trace.ts';
import type { WatchedRedis } from './watched-redis.ts';

/** A node that stops passes requests on for so long. */
const DRAIN_MS = 500;
const ADMITTED_PER_MILLE = 600;
const IMAGES_AT_ONCE = 100;
/** One for all: it takes long to make. */
const SILENT = pino({ level: 'silent' });

export interface NodeEnvironment {
  settings: RunSettings;
  machine: Machine;
  redis: WatchedRedis;
  net: SimulatedNet;
  route: RedisRoute;
  observer: Observer;
  chance: Chance;
  trace: Trace;
  steps: HandoverSteps;
  /** Newer ones are higher. */
  build: number;
  /** Version of its kernel. */
  kernel: number;
  /** A build that is broken on purpose. */
  mutant: Mutant | undefined;
}

/** One process of a node: the parts of the product, put together as `node.ts` does it. */
export class SimulatedNode implements Publisher {
  readonly name: string;
  readonly main: Thread;
  /** Undefined while it does not serve. */
  front: SimulatedFront | undefined;
  readonly threads: SimulatedThread[] = [];
  readonly #environment: NodeEnvironment;
  readonly #watch: LeaseWatch;
  readonly #log: Log;
  readonly #gone = new Set<() => void>();
  /** In the order in which they were started. */
  readonly #stopSteps: (() => unknown)[] = [];
  #process = '';
  #cluster: Cluster | undefined;
  #worlds: Worlds | undefined;
  ranges: Ranges | undefined;

  constructor(name: string, environment: NodeEnvironment) {
    const { settings, machine } = environment;
    this.name = name;
    this.main = machine.makeThread();
    this.#environment = environment;
    this.#watch = new LeaseWatch(this.main, settings.leaseMs);
    this.#log = this.#makeLog();
  }

  epochOf(partition: number): number | undefined {
    return this.ranges?.grantOf(partition)?.epoch;
  }

  overdueMs(partition: number): number {
    return this.#watch.overdueMs(partition);
  }

  #makeLog(): Log {
    const { trace } = this.#environment;
    if (!trace.isWritten) return SILENT;
    const write = (line: string) => {
      const { msg, level, time: _, ...rest } = JSON.parse(line) as Record<string, unknown>;
      trace.say(`log ${this.name}`, String(level), String(msg), JSON.stringify(rest));
    };
    return pino({ level: 'debug', base: null }, { write });
  }

  get #base() {
    const random: Random = this.#environment.chance;
    return { log: this.#log, time: this.main.time, random };
  }

  get #kernelHash(): string {
    return toyKernelHash(this.#environment.kernel);
  }

  /** Resolves once it serves. Rejects if it cannot. */
  async start(): Promise<void> {
    const { settings, observer, mutant } = this.#environment;
    const store = await this.#openStore();
    const ranges = new Ranges(this.#claimsOf(store), {
      partitionCount: settings.partitionCount,
      ...this.#base,
    });
    mutant?.ranges?.(ranges);
    this.ranges = ranges;
    this.#stopSteps.push(() => ranges.stop());
    const cluster = await this.#join(store, ranges);
    const aheadMs = mutant?.clockAheadMs?.(this.name) ?? 0;
    const clock = new NodeClock(this.main.time, cluster.clockMs() + aheadMs, ranges);
    store.claims.readClock((atMs) => clock.latestReadingMs(atMs));
    const worlds = this.#makeWorlds(store, ranges, clock);
    const [platform] = await Promise.all([
      this.#openPlatform(store, clock, worlds),
      worlds.start(),
    ]);
    store.serve?.();
    this.front = new SimulatedFront({
      ...{ ...this.#base, service: worlds, cluster, platform, kernelHash: this.#kernelHash },
      ...{ publisher: this, observer, Fanout: mutant?.Fanout ?? Fanout },
    });
    observer.serves(this.#process, this.#environment.build);
    this.#stopSteps.push(() => {
      const { front } = this;
      this.front = undefined;
      return front?.drain();
    });
    this.#stopSteps.push(() => cluster.drain(DRAIN_MS));
    await cluster.start({
      ...{ clock, service: worlds, moving: this.#movingOf(worlds) },
      worldCount: () => worlds.idle.count(),
      loads: () => worlds.loads(),
      admits: () => worlds.shards.some(({ admits }) => admits),
    });
    worlds.idle.start();
  }

  async #openStore(): Promise<Store> {
    const { settings, redis, route, mutant } = this.#environment;
    const watched = this.#watch.watched(redis, route);
    const makeClient = mutant?.client?.(watched) ?? watched;
    const { leaseMs } = settings;
    const where = { url: 'redis://simulated', nodeName: this.name, leaseMs };
    const opened = await openRedis(where, { ...this.#base, makeClient });
    const store = this.#mutated(new GuardedStore(opened, this.#base));
    this.#stopSteps.push(() => store.close());
    return store;
  }

  async #openPlatform(store: Store, clock: NodeClock, worlds: Worlds): Promise<DealerPlatform> {
    const { chance, mutant } = this.#environment;
    const own = mutant?.dealerStore?.(store) ?? store;
    const parts = { ...this.#base, store: own, clock, worlds, chance };
    const platform = await openSimulatedPlatform(parts);
    this.#stopSteps.push(() => platform.close());
    return platform;
  }

  #claimsOf({ claims }: Store): Claims {
    const { mutant, steps } = this.#environment;
    return steps.claimsOf(this.name, mutant?.claims?.(claims, this.main.time) ?? claims);
  }

  #movingOf({ handover }: Worlds): MovingWorlds {
    const { mutant, steps } = this.#environment;
    return steps.movingOf(this.name, mutant?.moving?.(handover, this.main.time) ?? handover);
  }

  #mutated(store: Store): Store {
    const { mutant, settings, redis } = this.#environment;
    const silentMs = (process: string) => redis.silentMs(process);
    const parts = { time: this.main.time, leaseMs: settings.leaseMs, silentMs };
    return mutant?.store?.(store, parts) ?? store;
  }

  async #join(store: Store, ranges: Ranges): Promise<Cluster> {
    const { settings, net, build, mutant, steps } = this.#environment;
    const { leaseMs } = settings;
    const { log, time, random } = this.#base;
    const cluster = await Cluster.join({
      store: store as Store & { heartbeats: Heartbeats },
      ...{ ranges, leaseMs, log, time, random },
      identity: {
        build: mutant?.hidesBuilds ? 1 : build,
        kernel: mutant?.hidesKernels ? toyKernelHash(1) : this.#kernelHash,
        name: this.name,
        twinUrl: '',
      },
      openLink: (process, key, handlers) => {
        this.#process = process;
        const makeNet = () => net.of(this.name, process, this.main);
        const watched = steps.handlersOf(this.name, mutant?.handlers?.(handlers) ?? handlers);
        return new NodeLink({
          ...{ process, key, handlers: watched, log, time, random, makeNet },
          ...{ host: this.name, port: 0 },
        });
      },
    });
    this.#stopSteps.push(() => cluster.stop());
    this.#cluster = cluster;
    return cluster;
  }

  #makeWorlds(store: Store, ranges: Ranges, clock: NodeClock): Worlds {
    const { settings, mutant } = this.#environment;
    const base = this.#base;
    const publisher = new ClockKeeper(clock, store, base);
    const shards = Array.from({ length: settings.shardCount }, (_, i) => this.#makeShard(i, clock));
    const supervisor = new Supervisor(shards, base);
    const held = mutant?.held?.(ranges) ?? ranges;
    const worlds = new (mutant?.Worlds ?? Worlds)({
      ...{ ...base, clock, store, ranges: held, shards, supervisor, publisher },
      ...{ kernel: this.#kernelHash, cities: TOY_CITIES.cities, idleMs: settings.idleMs },
      explanationBudget: explanationBudgets(undefined, base.time),
      isDraining: () => this.#cluster?.isDraining ?? false,
    });
    this.#worlds = worlds;
    ranges.use(mutant?.leaving?.(worlds) ?? worlds, clock);
    this.#stopSteps.push(async () => {
      worlds.catchUps.stop();
      await worlds.idle.stop();
      await worlds.saveImages();
      supervisor.stop();
      await Promise.all(shards.map((shard) => shard.stop()));
      await publisher.stop();
      await worlds.stored();
      await worlds.leaveAll();
    });
    return worlds;
  }

  #makeShard(index: number, clock: NodeClock): Shard {
    const { settings, machine, chance, kernel, mutant } = this.#environment;
    const makeThread: MakeThread = (start, listener) => {
      const parts = { main: this.main, own: machine.makeThread(), chance };
      const thread = new SimulatedThread(start, listener, parts);
      this.threads[index] = thread;
      return thread;
    };
    return new Shard(index, {
      ...{ wasm: toyWasm(kernel), cities: TOY_CITIES, slabCount: settings.slabCount },
      ...{ admittedPerMille: ADMITTED_PER_MILLE, clock, time: this.main.time },
      ...{ log: this.#log, faults: true },
      makeThread: mutant?.thread?.(makeThread) ?? makeThread,
    });
  }

  /** Stops as on SIGTERM. */
  async stop(): Promise<void> {
    this.#environment.observer.leaves(this.#process);
    for (const step of this.#stopSteps.splice(0).toReversed()) await step();
  }

  /** Ends as on SIGKILL: what it has sent may still arrive. */
  crash(): void {
    const { machine, net, observer } = this.#environment;
    this.count();
    this.front = undefined;
    observer.leaves(this.#process);
    machine.crash();
    if (this.#process !== '') net.crash(this.#process);
    for (const tell of this.#gone) tell();
  }

  /** Has its shards store all worlds, as they do now and then. */
  saveImages(): void {
    for (const shard of this.#worlds?.shards ?? []) {
      shard.saveMoved(IMAGES_AT_ONCE).catch(() => {
        // A shard that is restarting has nothing to save.
      });
    }
  }

  /** Forgets a world that is not in use, as where too many are at hand. */
  evict(number: number): void {
    const world = this.#worlds?.atHand(number);
    if (world !== undefined && !world.isBusy) void this.#worlds?.forget(world);
  }

  /** One of its partitions goes to another node, if it can, as when an operator moves it. */
  move(chance: Chance, to: string): void {
    const held = this.ranges?.held() ?? [];
    const cluster = this.#cluster;
    if (cluster === undefined || held.length === 0) return;
    const { partition } = chance.pick(held);
    this.main.add(0, () => void cluster.operator.move(partition, to).catch(ignoreRefusal));
  }

  /** Adds what it has forwarded to the counts of the run. */
  count(): void {
    const { counts } = this.#environment.observer;
    counts.forwarded += this.#cluster?.forwarder.counts.answered ?? 0;
    counts.moved += this.#cluster?.forwarder.counts.moved ?? 0;
    this.#cluster = undefined;
  }

  /** Calls `tell` when it has ended. Returns what forgets that. */
  onGone(tell: () => void): () => void {
    this.#gone.add(tell);
    return () => void this.#gone.delete(tell);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof TwinError)) throw error;
}
