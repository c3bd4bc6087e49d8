import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { PARTITION_COUNT } from '../../limits.ts';
import type { NodeParts } from '../../node.ts';
import { systemRandom } from '../../random.ts';
import { TestTime } from '../doubles/test-time.ts';
import { startAnyNodeProxy } from './any-node-proxy.ts';
import type { SuiteNodes } from './suite-nodes.ts';
import type { TestNode } from './test-node.ts';
import { until } from './until.ts';

type Settings = Record<string, string>;
type Parts = NodeParts & { time?: TestTime };
type StartNode = (settings: Settings, parts: Parts) => Promise<TestNode>;

/** Limits of an address: nodes divide them among themselves. */
const DIVIDED = {
  LIMIT_WORLDS: DEFAULT_RATE_LIMITS.worlds,
  LIMIT_MISSES: DEFAULT_RATE_LIMITS.misses,
  LIMIT_WORK_MS: DEFAULT_RATE_LIMITS.workMs,
  LIMIT_CONNECTIONS: DEFAULT_RATE_LIMITS.connections,
  LIMIT_LOGINS: DEFAULT_RATE_LIMITS.logins,
  LIMIT_SIGN_UPS: DEFAULT_RATE_LIMITS.signUps,
};
const DIVIDED_COUNTS = {
  LIMIT_SOCKETS: DEFAULT_RATE_LIMITS.socketsPerAddress,
  LIMIT_LIVING_WORLDS: DEFAULT_RATE_LIMITS.livingWorldsPerAddress,
};

/** Settings with which each of some nodes allows what one alone would. */
export function withWholeLimits(settings: Settings, count: number): Settings {
  const whole: Settings = { ...settings };
  const raise = (name: string, standard: number) => {
    whole[name] = String(count * Number(settings[name] ?? standard));
  };
  for (const [name, { burst, perS }] of Object.entries(DIVIDED)) {
    raise(`${name}_BURST`, burst);
    raise(`${name}_PER_S`, perS);
  }
  for (const [name, standard] of Object.entries(DIVIDED_COUNTS)) raise(name, standard);
  return whole;
}

/** Shares the partitions at once: there are no worlds yet for whose sake they would move one by one. */
async function share(nodes: readonly TestNode[]): Promise<void> {
  const [first] = nodes;
  const shares = nodes.length;
  const given = first?.ranges.held().filter(({ partition }) => partition % shares !== 0) ?? [];
  await first?.ranges.release(new Set(given.map(({ partition }) => partition)));
  const held = () => nodes.map(({ ranges }) => ranges.shown().length);
  await until('shared partitions', () => {
    const isWhole = held().reduce((a, b) => a + b, 0) === PARTITION_COUNT;
    return isWhole && Math.max(...held()) - Math.min(...held()) <= 1;
  });
}

/**
 * Some nodes on one Redis, as one node: tests that know nothing of clusters run on it. `settings` have
 * the address of Redis.
 */
export async function startTestCluster(
  startNode: StartNode,
  settings: Settings,
  { parts, count, choice }: SuiteNodes & { parts: Parts },
): Promise<TestNode> {
  const time = parts.time ?? TestTime.running();
  const nodes: TestNode[] = [];
  for (let i = 0; i < count; i++) {
    const named = { ...withWholeLimits(settings, count), NODE_NAME: `node-${i}` };
    nodes.push(await startNode(named, { ...parts, time }));
  }
  await share(nodes);
  const chosen = nodes[choice === 'any' ? 0 : choice];
  if (chosen === undefined) throw new Error(`there is no node ${choice} of ${count}`);
  const proxies =
    choice === 'any'
      ? await Promise.all([
          startAnyNodeProxy(
            nodes.map(({ twinUrl }) => twinUrl),
            systemRandom,
          ),
          startAnyNodeProxy(
            nodes.map(({ dealerUrl }) => dealerUrl),
            systemRandom,
          ),
        ])
      : [];
  const [twin, dealer] = proxies;
  const each = async (work: (node: TestNode) => Promise<void>) => {
    for (const node of nodes.toReversed()) await work(node);
  };
  return {
    ...chosen,
    twinUrl: twin?.url ?? chosen.twinUrl,
    dealerUrl: dealer?.url ?? chosen.dealerUrl,
    skip: (ms) => chosen.skip(ms),
    async stop() {
      await Promise.all(proxies.map(({ close }) => close()));
      await each((node) => node.stop());
    },
    async discard() {
      await Promise.all(proxies.map(({ close }) => close()));
      await each((node) => node.discard());
    },
  };
}
