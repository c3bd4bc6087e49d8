import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { at } from './city/geometry.ts';
import { NodeClock } from './clock.ts';
import { ClockKeeper, readClockStart } from './clock-keeper.ts';
import type { Cluster } from './cluster/cluster.ts';
import { Ranges } from './cluster/ranges.ts';
import type { BucketSize, Config } from './config.ts';
import { CostKeeper, machineName, readCosts } from './cost-keeper.ts';
import type { DealerPlatform } from './dealer/dealer-platform.ts';
import { PRICES_US } from './http/server/prices.ts';
import { kernelIdentity } from './kernel/identity.ts';
import { PARTITION_COUNT } from './limits.ts';
import { loadCities } from './load-cities.ts';
import type { Log } from './log.ts';
import type { NodeBase } from './node-front-end.ts';
import { type Random, systemRandom } from './random.ts';
import { admittedPerMille, Shard } from './shard/shard.ts';
import { Supervisor } from './shard/supervisor.ts';
import type { Heartbeats, Store } from './store/contract.ts';
import { openEmbedded } from './store/embedded-store.ts';
import { GuardedStore } from './store/guarded-store.ts';
import { systemTime, type Time } from './time.ts';
import { CAR_TYPES } from './twin/fleet.ts';
import { explanationBudgets } from './worlds/explanation-budgets.ts';
import { Worlds } from './worlds/worlds.ts';

const STARTS = 'the node starts: it has no share of the worlds yet';
const STOPS = 'the node stops: the other nodes serve its worlds';
/** What differs between releases. */
export interface Release {
  /** See `build` in NodeRecord. */
  build: number;
  kernelFile: string;
}

const THIS_RELEASE: Release = {
  build: 1,
  kernelFile: fileURLToPath(new URL('../build/kernel.wasm', import.meta.url)),
};

/** Parts that tests may replace. */
export interface NodeParts {
  openStore?: (dir: string) => Promise<Store>;
  /** Shards take `fault` commands. */
  faults?: boolean;
  /** Time of the main thread; shard threads follow the clock that it publishes. */
  time?: Time;
  random?: Random;
  release?: Release;
}

const STANDARD_PARTS = {
  ...{ faults: false, time: systemTime, random: systemRandom, release: THIS_RELEASE },
};

export interface RunningNode {
  twinUrl: string;
  dealerUrl: string;
  opsUrl: string;
  readonly worlds: Worlds;
  readonly ranges: Ranges;
  readonly shards: readonly Shard[];
  /** Undefined with the embedded store, which one process has for itself. */
  readonly cluster: Cluster | undefined;
  /**
   * Gives its worlds to the other nodes, passes requests on for a while, then saves and closes everything.
   * Idempotent. `isHurried`: closes everything at once.
   */
  stop(how?: { isHurried: boolean }): Promise<void>;
}

/** Steps that stop the parts of a node, in the order in which these were started. */
type StopSteps = (() => Promise<void> | undefined)[];

/** Starts a node and resolves once it serves. Throws if a port or the store is not available. */
export async function startNode(
  config: Config,
  log: Log,
  given: NodeParts = {},
): Promise<RunningNode> {
  const { time, random, openStore, faults, release } = { ...STANDARD_PARTS, ...given };
  const base = { config, log, time, random };
  const stopSteps: StopSteps = [];
  let stopping: Promise<void> | undefined;
  const state: NodeState = { isServing: false, isHurried: false };
  const stop = ({ isHurried }: Pick<NodeState, 'isHurried'> = state) => {
    state.isHurried ||= isHurried;
    stopping ??= runInReverse(stopSteps);
    return stopping;
  };
  try {
    const { store, trouble } = await openNodeStore(base, openStore);
    stopSteps.push(() => store.close());
    const ranges = new Ranges(store.claims, { partitionCount: PARTITION_COUNT, ...base });
    stopSteps.push(() => ranges.stop());
    const kernel = loadKernel(release.kernelFile);
    const identity = { kernel: kernel.identity, cityKernels: kernel.cityKernels, ...release };
    const cluster = await joinCluster(base, { store, ranges, ...identity }, stopSteps);
    const startMs = cluster?.clockMs() ?? (await readClockStart(store, time));
    const clock = new NodeClock(time, startMs, ranges);
    store.claims.readClock((atMs) => clock.latestReadingMs(atMs));
    if (cluster === undefined) await ranges.takeAll();
    const parts = { store, ranges, clock, kernel, cluster, faults };
    const worlds = await makeWorlds(base, parts, stopSteps);
    // Threads do most of the work of a start: those of the shards, then those that hash passwords for
    // the platform. What they do not need is loaded meanwhile, the front end last.
    const shardsStarting = worlds.start();
    const platformStarting = openPlatform(base, { store, clock, worlds, cluster });
    const loading = loadPlatform().then(() => import('./node-front-end.ts'));
    const [shardsStart, platformStart] = await Promise.allSettled([
      shardsStarting,
      platformStarting,
      loading,
    ]);
    if (platformStart.status === 'rejected') throw platformStart.reason;
    const { value: platform } = platformStart;
    stopSteps.push(() => platform.close());
    if (shardsStart.status === 'rejected') throw shardsStart.reason;

    store.serve();
    const { openFrontEnd } = await loading;
    const served = { store, worlds, platform, cluster, ranges, ...identity };
    const anyTrouble = () => phaseOf(cluster, state) ?? trouble();
    const frontEnd = openFrontEnd(base, { ...served, trouble: anyTrouble });
    stopSteps.push(() => frontEnd.close());
    await serveCluster(cluster, { clock, worlds, state });
    stopSteps.push(() => (state.isHurried ? undefined : cluster?.drain(config.drainMs)));
    worlds.idle.start();
    const { twinUrl, dealerUrl, opsUrl } = frontEnd;
    return { twinUrl, dealerUrl, opsUrl, worlds, ranges, shards: worlds.shards, cluster, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface NodeState {
  /** Its worlds are served: by this node, or by those of its cluster. */
  isServing: boolean;
  /** It stops without passing requests on. */
  isHurried: boolean;
}

/** Why a node is not ready because of where it is in its life; undefined: it serves. */
function phaseOf(cluster: Cluster | undefined, { isServing }: NodeState): string | undefined {
  if (cluster?.isStopping) return STOPS;
  return isServing ? undefined : STARTS;
}

async function runInReverse(steps: StopSteps): Promise<void> {
  for (const step of steps.toReversed()) await step();
}

async function openNodeStore(
  { config, log, time, random }: NodeBase,
  openStore?: (dir: string) => Promise<Store>,
): Promise<{ store: GuardedStore; trouble(): string | undefined }> {
  const { dataDir, leaseMs, nodeName, redisUrl: url } = config;
  const guarded = (store: Store) => new GuardedStore(store, { log, time });
  if (openStore !== undefined) {
    return { store: guarded(await openStore(dataDir)), trouble: () => undefined };
  }
  if (url === undefined) {
    const store = await openEmbedded(dataDir, time);
    for (const warning of store.warnings()) log.warn(`store: ${warning}`);
    return { store: guarded(store), trouble: () => undefined };
  }
  // Loaded only if needed: a node with the embedded store starts faster without the Redis client.
  const { openRedis } = await import('./store/redis/redis-store.ts');
  const store = await openRedis({ url, nodeName, leaseMs }, { time, random, log });
  for (const warning of await store.warnings()) log.warn(`redis: ${warning}`);
  return { store: guarded(store), trouble: () => store.trouble };
}

/** The compiled kernel, the cities that it drives in, and what identifies both. */
function loadKernel(file: string) {
  const cities = loadCities();
  const wasm = new Uint8Array(readFileSync(file));
  const ofCity = (table: ArrayBuffer) => kernelIdentity(wasm, [table], CAR_TYPES);
  const cityKernels = new Map(
    cities.cities.map(({ name }, i) => [name, ofCity(at(cities.tables, i))]),
  );
  return { cities, wasm, identity: kernelIdentity(wasm, cities.tables, CAR_TYPES), cityKernels };
}

interface Joining {
  store: GuardedStore;
  ranges: Ranges;
  /** Its identity. */
  kernel: string;
  build: number;
}

/** Undefined for a store that one process has for itself. */
async function joinCluster(
  { config, log, time, random }: NodeBase,
  { store, ranges, kernel, build }: Joining,
  stopSteps: StopSteps,
): Promise<Cluster | undefined> {
  const { heartbeats } = store;
  const { leaseMs } = store.claims;
  if (heartbeats === undefined || leaseMs === undefined) return undefined;
  const [{ Cluster }, { NodeLink }] = await Promise.all([
    import('./cluster/cluster.ts'),
    import('./link/node-link.ts'),
  ]);
  const { link, nodeName, nodeTwinUrl, tls } = config;
  const cluster = await Cluster.join({
    store: store as GuardedStore & { readonly heartbeats: Heartbeats },
    ...{ ranges, leaseMs, time, random, log },
    identity: { build, kernel, name: nodeName, twinUrl: nodeTwinUrl ?? '' },
    openLink: (process, key, handlers) =>
      new NodeLink({
        ...link,
        publicUrl: link.url,
        tls,
        process,
        key,
        handlers,
        time,
        random,
        log,
      }),
  });
  stopSteps.push(() => cluster.stop());
  return cluster;
}

async function serveCluster(
  cluster: Cluster | undefined,
  { clock, worlds, state }: { clock: NodeClock; worlds: Worlds; state: NodeState },
): Promise<void> {
  await cluster?.start({
    ...{ clock, service: worlds, moving: worlds.handover },
    worldCount: () => worlds.idle.count(),
    loads: () => worlds.loads(),
    admits: () => worlds.shards.some(({ admits }) => admits),
  });
  state.isServing = true;
}

interface WorldParts {
  store: Store;
  ranges: Ranges;
  clock: NodeClock;
  kernel: ReturnType<typeof loadKernel>;
  cluster: Cluster | undefined;
  faults: boolean;
}

/** The worlds of a node on its shards, which are not started yet. */
async function makeWorlds(
  { config, log, time, random }: NodeBase,
  { store, ranges, clock, kernel, cluster, faults }: WorldParts,
  stopSteps: StopSteps,
): Promise<Worlds> {
  const { cities, wasm, identity } = kernel;
  const of = { kernel: identity, machine: machineName() };
  const costs = await readCosts(store, of);
  const publisher = new ClockKeeper(clock, store, { log, time });
  const slabCount = config.shardWorlds;
  const shardParts = {
    ...{ wasm, cities, slabCount, clock, time, log, faults },
    admittedPerMille: admittedPerMille(config.shards, availableParallelism()),
    costs,
  };
  const shards = Array.from(
    { length: config.shards },
    (_, i) => new Shard(i, { ...shardParts, wakeOffset: i / config.shards }),
  );
  const supervisor = new Supervisor(shards, { log, time });
  const costKeeper = new CostKeeper(shards, { store, of, saved: costs, time });
  const worlds = new Worlds({
    ...{ clock, time, random, log, store, ranges, shards, supervisor, publisher },
    kernel: identity,
    cities: cities.cities,
    idleMs: config.worldIdleMs,
    explanationBudget: explanationBudgets(explanationTicks(config), time),
    isDraining: () => cluster?.isDraining ?? false,
  });
  ranges.use(worlds, clock);
  stopSteps.push(async () => {
    worlds.catchUps.stop();
    await worlds.idle.stop();
    await worlds.saveImages();
    supervisor.stop();
    await costKeeper.stop();
    await Promise.all(shards.map((shard) => shard.stop()));
    await publisher.stop();
    await worlds.stored();
    // Ends the attempts to read back outcomes of writes.
    await worlds.leaveAll();
  });
  return worlds;
}

/** What the explanations of a world may have stepped; undefined: no bound. */
function explanationTicks({ rateLimits }: Config): BucketSize | undefined {
  if (rateLimits === 'off') return undefined;
  const { burst, perS } = rateLimits.explanationsMs;
  const ticksPerMs = 1000 / PRICES_US.tick;
  return { burst: burst * ticksPerMs, perS: perS * ticksPerMs };
}

const loadPlatform = () => import('./dealer/dealer-platform.ts');

async function openPlatform(
  { config, log, time, random }: NodeBase,
  {
    cluster,
    ...served
  }: {
    store: Store;
    clock: NodeClock;
    worlds: Worlds;
    cluster: Cluster | undefined;
  },
): Promise<DealerPlatform> {
  const { openDealerPlatform, Passwords, joseSigner: signer } = await loadPlatform();
  const makePasswords = () => new Passwords(random);
  const { worlds } = served;
  const node = {
    worlds: () => cluster?.worldCount() ?? worlds.idle.count(),
    nodes: () => cluster?.nodeCount ?? 1,
  };
  const parts = { time, random, log, node, makePasswords, signer };
  return openDealerPlatform({ ...served, ...parts }, config);
}
