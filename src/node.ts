import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NodeClock } from './clock.ts';
import type { Config } from './config.ts';
import { DealerPlatform } from './dealer/dealer-platform.ts';
import { DEMO_LOGINS } from './dealer/demo.ts';
import { dealerRoutes } from './http/dealer/dealer-routes.ts';
import { type FrontEnd, startFrontEnd } from './http/front-end.ts';
import { kernelIdentity } from './kernel/kernel.ts';
import { loadCities } from './load-cities.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { type Random, systemRandom } from './random.ts';
import { Shard } from './shard/shard.ts';
import { Supervisor } from './shard/supervisor.ts';
import type { Store } from './store/contract.ts';
import { openEmbedded } from './store/embedded-store.ts';
import { type StopTimer, systemTime, type Time } from './time.ts';
import { CAR_TYPES } from './twin/fleet.ts';
import { Leases } from './worlds/leases.ts';
import { Records } from './worlds/records.ts';
import { NodeStanding } from './worlds/serving-state.ts';
import { Census } from './worlds/world-count.ts';
import { Worlds } from './worlds/worlds.ts';

const KERNEL_FILE = fileURLToPath(new URL('../build/kernel.wasm', import.meta.url));
const WEB_FOLDER = fileURLToPath(new URL('../build/web/', import.meta.url));
/** How often the clock is published while worlds are watched; a shard waits for it at most so. */
const PUBLISH_MS = 10;
/** How often a suspended machine is looked for, and the clock's high-water mark saved. */
const SUSPEND_CHECK_MS = 2000;
const MARK_MS = 10_000;
/** Images that a stopping node saves at a time: 14 MB. */
const IMAGES_AT_ONCE = 1000;
const CLOCK_KEY = ['clock'];

/** What tests may put in the place of the real thing. */
export interface NodeParts {
  openStore?: (dir: string) => Promise<Store>;
  /** Shards take `fault` commands. */
  faults?: boolean;
  /** Time of the main thread; shard threads follow the clock that it publishes. */
  time?: Time;
  random?: Random;
}

export interface RunningNode {
  twinUrl: string;
  dealerUrl: string;
  opsUrl: string;
  readonly worlds: Worlds;
  readonly shards: readonly Shard[];
  /** Saves and closes everything. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a node and resolves once it serves. Throws where a port or the store cannot be had. */
export async function startNode(
  config: Config,
  log: Log,
  parts: NodeParts = {},
): Promise<RunningNode> {
  const { time = systemTime, random = systemRandom } = parts;
  const chosen = { ...parts, time, random };
  const standing = new NodeStanding(config.nodeName, log, time);
  const { store, isReady } = await openStore(config, log, chosen, standing);
  try {
    return await startOn({ store, isReady, standing }, config, log, chosen);
  } catch (error) {
    await store.close();
    throw error;
  }
}

type Chosen = NodeParts & Required<Pick<NodeParts, 'time' | 'random'>>;

/** The store and the right to write to it. */
interface OpenStore {
  store: Store;
  isReady(): boolean;
  standing: NodeStanding;
}

async function openStore(
  config: Config,
  log: Log,
  parts: Chosen,
  standing: NodeStanding,
): Promise<Omit<OpenStore, 'standing'>> {
  const { dataDir, leaseMs, nodeName, redisUrl: url } = config;
  if (url === undefined || parts.openStore !== undefined) {
    const open = parts.openStore ?? ((dir: string) => openEmbedded(dir, parts.time));
    const store = await open(dataDir);
    return { store, isReady: () => true };
  }
  // A node without it starts sooner without its client.
  const { openRedis } = await import('./store/redis/redis-store.ts');
  const store = await openRedis(
    { url, nodeName, leaseMs },
    { time: parts.time, random: parts.random, listener: standing },
  );
  standing.concern(store, () => store.untilMs);
  for (const warning of await store.warnings()) log.warn(`redis: ${warning}`);
  return { store, isReady: () => store.isReady };
}

async function startOn(
  open: OpenStore,
  config: Config,
  log: Log,
  parts: Chosen,
): Promise<RunningNode> {
  const { store, isReady } = open;
  const living = await makeWorlds(open, config, log, parts);
  const { worlds, shards, records, clock, kernel } = living;
  let platform: DealerPlatform | undefined;
  try {
    const begun = Promise.all(shards.map((shard) => shard.start()));
    const { time, random } = parts;
    const stored = { store, standing: open.standing, records, worlds, clock, log, time, random };
    // Both wait for threads of their own most of the time.
    const [shardsUp, opened] = await Promise.allSettled([begun, openPlatform(config, stored)]);
    if (opened.status === 'rejected') throw opened.reason;
    platform = opened.value;
    if (shardsUp.status === 'rejected') throw shardsUp.reason;
    const served = { worlds, platform, shards, time, random, log, kernel, isReady };
    const frontEnd = openFrontEnd(config, served);
    worlds.idle.start();
    const stop = once(async () => {
      await frontEnd.close();
      await served.platform.close();
      await worlds.idle.stop();
      await saveImages(shards, worlds);
      await living.stop();
      await closeStore(store, worlds);
    });
    const { twinUrl, dealerUrl, opsUrl } = frontEnd;
    return { twinUrl, dealerUrl, opsUrl, worlds, shards, stop };
  } catch (error) {
    await platform?.close();
    await living.stop();
    throw error;
  }
}

/** The worlds of a node, and what they live in. */
interface Living {
  worlds: Worlds;
  records: Records;
  shards: readonly Shard[];
  clock: NodeClock;
  kernel: string;
  stop(): Promise<void>;
}

async function makeWorlds(
  { store, standing }: OpenStore,
  config: Config,
  log: Log,
  { time, random, faults = false }: Chosen,
): Promise<Living> {
  const mark = await store.get<number>(CLOCK_KEY);
  const clock = new NodeClock(time, mark?.value ?? 0, () => standing.untilMs);
  const records = new Records(store, await Leases.takeAll(store, config.nodeName));
  const cities = loadCities();
  const wasm = new Uint8Array(readFileSync(KERNEL_FILE));
  const kernel = kernelIdentity(wasm, cities.tables, CAR_TYPES);
  const publisher = new Publisher(clock, time);
  const listener: ShardListener = {
    report: (shard, report) => worlds.report(shard, report),
    died: (shard, world) => {
      worlds.shardLost(shard);
      void supervisor.died(shard, world);
    },
  };
  const shards = makeShards(config, { wasm, cities, clock, time, log, faults }, listener);
  const worlds = new Worlds(
    {
      clock,
      log,
      mayServe: () => standing.mayServe(),
      cities: cities.cities,
      shards,
      kernel,
      anyHot: (any) => publisher.run(any),
      idleMs: config.worldIdleMs,
      time,
      random,
    },
    records,
  );
  standing.serve(worlds);
  const supervisor = new Supervisor(
    shards,
    log,
    time,
    (shard) => void worlds.shardBack(shard),
    (world) => worlds.quarantine(world),
  );
  const stopClock = keepClock(clock, store, log, time);
  const stop = async () => {
    supervisor.stop();
    publisher.run(false);
    await Promise.all(shards.map((shard) => shard.stop()));
    await stopClock();
  };
  return { worlds, records, shards, clock, kernel, stop };
}

async function closeStore(store: Store, worlds: Worlds): Promise<void> {
  await worlds.stored();
  // Nobody need find out any more what became of their writes.
  worlds.startOver();
  await store.close();
}

interface Stored {
  store: Store;
  records: Records;
  worlds: Worlds;
  clock: NodeClock;
  log: Log;
  time: Time;
  random: Random;
  standing: NodeStanding;
}

function openPlatform(
  { demo, tokenLifetimeS, fieldKey, rateLimits }: Config,
  { store, records, worlds, clock, log, time, random, standing }: Stored,
): Promise<DealerPlatform> {
  const worldCount = new Census(records, worlds.idle, clock, time);
  const node = { worlds: () => worldCount.read(), nodes: () => standing.nodes };
  const attempts =
    rateLimits === 'off'
      ? ('off' as const)
      : { free: rateLimits.failedLogins, waitMsMax: rateLimits.failedLoginWaitS * 1000 };
  const settings = { mode: demo, tokenLifetimeS, attempts, fieldKey };
  return DealerPlatform.open({ store, clock, time, random, log, worlds, node }, settings);
}

/** Saves images of all worlds that have moved, in portions that the store takes at a time. */
async function saveImages(shards: readonly Shard[], worlds: Worlds): Promise<void> {
  for (const shard of shards) {
    // A shard that is just being replaced has nothing to save.
    const save = () => shard.saveMoved(IMAGES_AT_ONCE).catch(() => 0);
    for (let left = await save(); left > 0; left = await save()) await worlds.stored();
  }
  await worlds.stored();
}

type ShardListener = ConstructorParameters<typeof Shard>[2];

function makeShards(
  config: Config,
  settings: Omit<ConstructorParameters<typeof Shard>[1], 'slabCount'>,
  listener: ShardListener,
): Shard[] {
  const all = { ...settings, slabCount: config.shardWorlds };
  return Array.from({ length: config.shards }, (_, index) => new Shard(index, all, listener));
}

/** Publishes the clock steadily while anything follows it: shards go no further than that. */
class Publisher {
  readonly #clock: NodeClock;
  readonly #time: Time;
  #stop: StopTimer | undefined;

  constructor(clock: NodeClock, time: Time) {
    this.#clock = clock;
    this.#time = time;
  }

  run(on: boolean): void {
    this.#stop?.();
    this.#stop = on ? this.#time.every(PUBLISH_MS, () => this.#clock.now()) : undefined;
  }
}

/** Saves the clock's high-water mark and notices suspended machines, until the result is called. */
function keepClock(clock: NodeClock, store: Store, log: Log, time: Time): () => Promise<void> {
  const save = () =>
    store.commit([], [{ key: CLOCK_KEY, value: clock.now() }]).catch(() => {
      // Whoever needs the store hears of it; the mark is tried again in a moment.
    });
  const stopMarking = time.every(MARK_MS, save);
  const stopChecking = time.every(SUSPEND_CHECK_MS, () => {
    const sleptMs = clock.catchUpAfterSuspend();
    if (sleptMs > 0) log.warn({ sleptMs }, 'the machine was suspended');
  });
  return async () => {
    stopMarking();
    stopChecking();
    await save();
  };
}

interface Served {
  worlds: Worlds;
  platform: DealerPlatform;
  shards: readonly Shard[];
  time: Time;
  random: Random;
  log: Log;
  kernel: string;
  isReady(): boolean;
}

function metricsOf(
  worlds: Worlds,
  { passwords: { gate } }: DealerPlatform,
  shards: readonly Shard[],
): Metrics {
  const metrics = new Metrics();
  metrics.gauge('worlds_at_hand', 'Worlds whose records are in memory.', () => worlds.atHand);
  metrics.gauge('worlds_hot', 'Worlds that are watched.', () =>
    shards.reduce((sum, shard) => sum + shard.hotCount, 0),
  );
  metrics.gauge('shard_hot_ratio', 'Share of its time that hot worlds take of a shard.', () =>
    Math.max(...shards.map((shard) => shard.hotPerMille / 1000)),
  );
  metrics.gauge('shard_debt_ticks', 'Ticks that worlds asked for are behind.', () =>
    shards.reduce((sum, shard) => sum + shard.debtTicks, 0),
  );
  metrics.gauge('incidents_explaining', 'Incidents that shards have been given to explain.', () =>
    shards.reduce((sum, shard) => sum + shard.explaining, 0),
  );
  metrics.counter(
    'incidents_explained_total',
    'Incidents that were explained.',
    () => worlds.explained,
  );
  metrics.gauge('passwords_hashing', 'Passwords that are being hashed.', () => gate.running);
  metrics.gauge('passwords_waiting', 'Passwords that wait for that.', () => gate.waiting);
  metrics.counter('shard_incarnations_total', 'Threads that shards have had.', () =>
    shards.reduce((sum, shard) => sum + shard.incarnation, 0),
  );
  return metrics;
}

function openFrontEnd(
  config: Config,
  { worlds, platform, shards, time, random, log, kernel, isReady }: Served,
): FrontEnd {
  const metrics = metricsOf(worlds, platform, shards);
  return startFrontEnd(
    {
      host: config.host,
      twinPort: config.twinPort,
      dealerPort: config.dealerPort,
      opsHost: config.opsHost,
      opsPort: config.opsPort,
      publicTwinUrl: config.publicTwinUrl,
      tls: config.tls,
      corsOrigins: config.corsOrigins,
      rateLimits: config.rateLimits,
      webFolder: WEB_FOLDER,
      demoLogins: config.demo.demo ? DEMO_LOGINS : [],
      kernelHash: kernel,
    },
    {
      service: worlds,
      dealerRoutes: (options) => dealerRoutes({ platform, log, ...options }),
      time,
      random,
      metrics,
      log,
      isReady,
    },
  );
}

/** Runs the work at the first call; every call waits for that. */
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
