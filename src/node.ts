import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NodeClock } from './clock.ts';
import { ClockKeeper, readClockMark } from './clock-keeper.ts';
import type { Config } from './config.ts';
import { DealerPlatform } from './dealer/dealer-platform.ts';
import { DEMO_LOGINS } from './dealer/demo.ts';
import { dealerRoutes } from './http/dealer/dealer-routes.ts';
import { type FrontEnd, startFrontEnd } from './http/front-end.ts';
import { kernelIdentity } from './kernel/kernel.ts';
import { loadCities } from './load-cities.ts';
import type { Log } from './log.ts';
import { nodeMetrics } from './node-metrics.ts';
import { type Random, systemRandom } from './random.ts';
import { Shard } from './shard/shard.ts';
import { Supervisor } from './shard/supervisor.ts';
import type { Store } from './store/contract.ts';
import { openEmbedded } from './store/embedded-store.ts';
import { systemTime, type Time } from './time.ts';
import { CAR_TYPES } from './twin/fleet.ts';
import { Leases } from './worlds/leases.ts';
import { Records } from './worlds/records.ts';
import { ServingState } from './worlds/serving-state.ts';
import { WorldCount } from './worlds/world-count.ts';
import { Worlds } from './worlds/worlds.ts';

const KERNEL_FILE = fileURLToPath(new URL('../build/kernel.wasm', import.meta.url));
const WEB_FOLDER = fileURLToPath(new URL('../build/web/', import.meta.url));

/** Parts that tests may replace. */
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

/** What all rooms of a node are made with. */
interface Base {
  config: Config;
  log: Log;
  time: Time;
  random: Random;
}

/** Steps that stop a node, run once and in the reverse order of the starts. */
class Shutdown {
  readonly #steps: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;

  add(step: () => Promise<void>): void {
    this.#steps.unshift(step);
  }

  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    for (const step of this.#steps) await step();
  }
}

/** Starts a node and resolves once it serves. Throws if a port or the store is not available. */
export async function startNode(
  config: Config,
  log: Log,
  { time = systemTime, random = systemRandom, openStore, faults = false }: NodeParts = {},
): Promise<RunningNode> {
  const base = { config, log, time, random };
  const shutdown = new Shutdown();
  try {
    const servingState = new ServingState(config.nodeName, base);
    const { store, isReady } = await openNodeStore(base, servingState, openStore);
    shutdown.add(() => store.close());

    const parts = { store, servingState, faults };
    const { clock, kernel, worlds } = await makeWorlds(base, parts, shutdown);
    // Threads of their own do most of the work of both.
    const [shardsStart, platformStart] = await Promise.allSettled([
      worlds.start(),
      openPlatform(base, { store, clock, worlds, servingState }),
    ]);
    if (platformStart.status === 'rejected') throw platformStart.reason;
    const platform = platformStart.value;
    shutdown.add(() => platform.close());
    if (shardsStart.status === 'rejected') throw shardsStart.reason;

    const frontEnd = openFrontEnd(base, { worlds, platform, kernel, isReady });
    worlds.idle.start();
    shutdown.add(() => frontEnd.close());
    const { twinUrl, dealerUrl, opsUrl } = frontEnd;
    const stop = () => shutdown.run();
    return { twinUrl, dealerUrl, opsUrl, worlds, shards: worlds.shards, stop };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function openNodeStore(
  { config, log, time, random }: Base,
  servingState: ServingState,
  openStore?: (dir: string) => Promise<Store>,
): Promise<{ store: Store; isReady(): boolean }> {
  const { dataDir, leaseMs, nodeName, redisUrl: url } = config;
  if (url === undefined || openStore !== undefined) {
    const open = openStore ?? ((dir: string) => openEmbedded(dir, time));
    return { store: await open(dataDir), isReady: () => true };
  }
  // Loaded only if needed: a node on the embedded store starts sooner without the Redis client.
  const { openRedis } = await import('./store/redis/redis-store.ts');
  const store = await openRedis(
    { url, nodeName, leaseMs },
    { time, random, listener: servingState },
  );
  servingState.useLease(store, () => store.untilMs);
  for (const warning of await store.warnings()) log.warn(`redis: ${warning}`);
  return { store, isReady: () => store.isReady };
}

/** The clock, the shards (not started yet), and the worlds on them. */
async function makeWorlds(
  { config, log, time, random }: Base,
  { store, servingState, faults }: { store: Store; servingState: ServingState; faults: boolean },
  shutdown: Shutdown,
) {
  const clock = new NodeClock(time, await readClockMark(store), () => servingState.untilMs);
  const records = new Records(store, await Leases.takeAll(store, config.nodeName));
  const cities = loadCities();
  const wasm = new Uint8Array(readFileSync(KERNEL_FILE));
  const kernel = kernelIdentity(wasm, cities.tables, CAR_TYPES);
  const publisher = new ClockKeeper(clock, store, { log, time });
  const slabCount = config.shardWorlds;
  const shardParts = { wasm, cities, slabCount, clock, time, log, faults };
  const shards = Array.from({ length: config.shards }, (_, i) => new Shard(i, shardParts));
  const supervisor = new Supervisor(shards, { log, time });
  const worlds = new Worlds({
    ...{ clock, time, random, log, records, servingState, shards, supervisor, publisher, kernel },
    cities: cities.cities,
    idleMs: config.worldIdleMs,
  });
  servingState.useWorlds(worlds);
  shutdown.add(async () => {
    await worlds.idle.stop();
    await worlds.saveImages();
    supervisor.stop();
    await Promise.all(shards.map((shard) => shard.stop()));
    await publisher.stop();
    await worlds.stored();
    // Ends the attempts to read back outcomes of writes: they are no longer needed.
    worlds.startOver();
  });
  return { clock, kernel, worlds };
}

interface PlatformParts {
  store: Store;
  clock: NodeClock;
  worlds: Worlds;
  servingState: ServingState;
}

function openPlatform(
  { config, log, time, random }: Base,
  { store, clock, worlds, servingState }: PlatformParts,
): Promise<DealerPlatform> {
  const { demo, tokenLifetimeS, fieldKey, rateLimits } = config;
  const worldCount = new WorldCount(worlds, clock, time);
  const node = { worlds: () => worldCount.read(), nodes: () => servingState.nodes };
  const attempts =
    rateLimits === 'off'
      ? ('off' as const)
      : { free: rateLimits.failedLogins, waitMsMax: rateLimits.failedLoginWaitS * 1000 };
  const settings = { mode: demo, tokenLifetimeS, attempts, fieldKey };
  return DealerPlatform.open({ store, clock, time, random, log, worlds, node }, settings);
}

interface FrontEndParts {
  worlds: Worlds;
  platform: DealerPlatform;
  kernel: string;
  isReady(): boolean;
}

function openFrontEnd(
  { config, log, time, random }: Base,
  { worlds, platform, kernel, isReady }: FrontEndParts,
): FrontEnd {
  const { host, twinPort, dealerPort, opsHost, opsPort } = config;
  const { publicTwinUrl, tls, corsOrigins, rateLimits, demo } = config;
  return startFrontEnd(
    {
      ...{ host, twinPort, dealerPort, opsHost, opsPort },
      ...{ publicTwinUrl, tls, corsOrigins, rateLimits },
      webFolder: WEB_FOLDER,
      demoLogins: demo.demo ? DEMO_LOGINS : [],
      kernelHash: kernel,
    },
    {
      service: worlds,
      dealerRoutes: (options) => dealerRoutes({ platform, log, ...options }),
      metrics: nodeMetrics(worlds, platform),
      ...{ time, random, log, isReady },
    },
  );
}
