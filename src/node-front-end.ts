import { fileURLToPath } from 'node:url';
import { BUILT_CITIES } from './city/city-set.ts';
import type { Cluster } from './cluster/cluster.ts';
import { LoneOperator } from './cluster/lone-operator.ts';
import type { Ranges } from './cluster/ranges.ts';
import { addClusterMetrics } from './cluster-metrics.ts';
import { type Config, isLoopback } from './config.ts';
import type { DealerPlatform } from './dealer/dealer-platform.ts';
import { publishedLogins } from './dealer/demo.ts';
import { dealerRoutes } from './http/dealer/dealer-routes.ts';
import { type FrontEnd, startFrontEnd } from './http/front-end.ts';
import type { Log } from './log.ts';
import { nodeMetrics } from './node-metrics.ts';
import type { Random } from './random.ts';
import type { GuardedStore } from './store/guarded-store.ts';
import { connectionsAllowed, readSystemLimits, systemWarnings } from './system-limits.ts';
import type { Time } from './time.ts';
import type { Worlds } from './worlds/worlds.ts';

const WEB_FOLDER = fileURLToPath(new URL('../build/web/', import.meta.url));
const LOCKSTEP_FILES = {
  frames: fileURLToPath(new URL('../build/frames.wasm', import.meta.url)),
  cities: fileURLToPath(BUILT_CITIES),
};

/** The dependencies of all modules of a node. */
export interface NodeBase {
  config: Config;
  log: Log;
  time: Time;
  random: Random;
}

interface FrontEndParts {
  store: GuardedStore;
  worlds: Worlds;
  /** Undefined: this node serves all worlds. */
  cluster: Cluster | undefined;
  ranges: Ranges;
  platform: DealerPlatform;
  kernel: string;
  cityKernels: ReadonlyMap<string, string>;
  kernelFile: string;
  /** See `build` in NodeRecord. */
  build: number;
  trouble(): string | undefined;
}

/** Opens the ports of a node. Throws if one is not available. */
export function openFrontEnd(
  { config, log, time, random }: NodeBase,
  parts: FrontEndParts,
): FrontEnd {
  // Picked one by one: the front end gets no secret but the key of TLS.
  const { host, twinPort, dealerPort, opsHost, opsPort } = config;
  const { publicTwinUrl, publicDealerUrl, tls, corsOrigins, proxies, rateLimits, demo } = config;
  const { store, worlds, cluster, ranges, platform, kernel, cityKernels, kernelFile } = parts;
  const { build, trouble } = parts;
  const metrics = nodeMetrics({ store, worlds, platform, time });
  if (cluster) {
    const { leaseMs } = config;
    addClusterMetrics(metrics, { cluster, store, ranges, leaseMs, time });
  }
  const identity = { name: config.nodeName, build, kernel, twinUrl: config.nodeTwinUrl ?? '' };
  const operator = cluster?.operator ?? new LoneOperator({ identity, ranges, worlds, time });
  const systemLimits = readSystemLimits();
  const connectionsMax = config.connectionsMax ?? connectionsAllowed(systemLimits);
  if (!isLoopback(host) || proxies !== undefined) {
    for (const warning of systemWarnings(systemLimits, connectionsMax)) {
      log.warn(`system: ${warning}`);
    }
  }
  return startFrontEnd(
    {
      ...{ host, twinPort, dealerPort, opsHost, opsPort },
      ...{
        publicTwinUrl,
        publicDealerUrl,
        nodeTwinUrl: config.nodeTwinUrl,
        tls,
        corsOrigins,
        proxies,
        rateLimits,
        connectionsMax,
      },
      webFolder: WEB_FOLDER,
      lockstepFiles: { kernel: kernelFile, ...LOCKSTEP_FILES },
      demoLogins: publishedLogins(demo),
      kernelHash: kernel,
      cityKernels,
    },
    {
      service: worlds,
      ...{ cluster, operator },
      dealerRoutes: (options) => dealerRoutes({ platform, log, ...options }),
      ...{ metrics, time, random, log, trouble },
    },
  );
}
