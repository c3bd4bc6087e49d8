import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import type { Options } from '../../bench/common/options.ts';
import { onOwnRedis } from '../../bench/common/own-redis.ts';
import { ClusterNodes } from '../cluster/cluster-nodes.ts';
import { commandWithNodes, type Outcome } from '../command.ts';
import { NodesBehindProxies } from './nodes-behind-proxies.ts';
import { openPlace, PLACES, type Place } from './place.ts';
import { LEASE_S, prove } from './proof.ts';

const options = {
  only: { fallback: [], choices: PLACES, help: 'places; all by default' },
  seeds: { fallback: 10, min: 1, max: 1000, help: 'worlds of each city' },
  minutes: { fallback: 30, min: 1, max: 30, help: 'past of each world when it is made' },
  live: { fallback: 300, min: 1, max: 86_400, help: 'seconds in which features are switched' },
  rate: { fallback: 15, min: 1, max: 1000, help: 'changes a second, over all worlds' },
  ticks: { fallback: 100, min: 2, max: 100_000, help: 'ticks of each world that are compared' },
  nodes: { fallback: 3, min: 1, max: 8, help: 'nodes on one Redis' },
  kills: { fallback: 1, min: 0, max: 1000, help: 'how often a node is killed, of several ones' },
  late: { fallback: 0, min: 0, max: 2000, help: 'ms by which messages are late at most' },
  drop: { fallback: 0, min: 0, max: 3600, help: 's between ends of connections; 0: none end' },
} as const;

type Chosen = Options<typeof options>;

/** Whether worlds live in browsers and in Node.js as in the nodes. */
export const lives = commandWithNodes({
  summary:
    'live worlds in Chromium, Firefox and Node.js beside nodes: is every state that of the nodes?',
  options,
  measures: [],
  run: (chosen) => inFreshDir((dir) => onOwnRedis(({ url }) => withNodes(chosen, dir, url))),
});

async function withNodes(chosen: Chosen, dir: string, redisUrl: string): Promise<Outcome> {
  const { only, ...plan } = chosen;
  const settings = { REDIS_URL: redisUrl, LEASE_SECONDS: String(LEASE_S) };
  const nodes = await ClusterNodes.start(plan.nodes, dir, () => settings);
  const places: Place[] = [];
  try {
    await nodes.untilBalanced();
    const behind = await NodesBehindProxies.open(nodes);
    try {
      for (const name of PLACES) {
        if (only.length > 0 && !only.includes(name)) continue;
        places.push(await openPlace(name, behind.origins));
      }
      return await prove(plan, behind, places);
    } finally {
      behind.close();
    }
  } finally {
    for (const place of places) await place.close();
    await nodes.end();
  }
}
