import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { PARTITION_COUNT } from '../../limits.ts';
import type { NodeParts, RunningNode } from '../../node.ts';
import { systemRandom } from '../../random.ts';
import { inPartition } from '../../twin/ids.ts';
import { TestTime } from '../doubles/test-time.ts';
import { AnyNodeProxy } from './any-node-proxy.ts';
import type { SuiteNodes } from './suite-nodes.ts';
import { type TestNode, untilReady } from './test-node.ts';
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

const PARTITIONS = Array.from({ length: PARTITION_COUNT }, (_, partition) => partition);

/**
 * Shares the partitions at once and evenly: left to themselves, nodes would move one after the other for
 * the sake of worlds that do not exist yet.
 */
async function share(nodes: readonly RunningNode[]): Promise<void> {
  const isShared = async (partition: number) => {
    const owner = nodes[partition % nodes.length];
    if (owner?.ranges.grantOf(partition) !== undefined) return true;
    for (const { ranges } of nodes) await ranges.release(new Set([partition]));
    // Another node may have been faster: then it gives the partition up in the next attempt.
    await owner?.ranges.take(partition, 'free');
    return false;
  };
  await Promise.all(
    PARTITIONS.map((partition) => until('a shared partition', () => isShared(partition))),
  );
}

/** Waits until each node is ready, and knows for each partition a node that serves it. */
async function untilServed(nodes: readonly RunningNode[]): Promise<void> {
  await Promise.all(nodes.map(untilReady));
  const isServed = ({ cluster }: RunningNode) =>
    PARTITIONS.every((each) => cluster?.placeOf(inPartition(0, each)).at !== 'nowhere');
  await until('places of all partitions', () => nodes.every(isServed));
}

/**
 * Some nodes on one Redis, as one node: tests that know nothing of clusters run on it. `settings` have
 * the address of Redis. Where limits are on, `any` is one node for all requests: limits are counted by
 * each node for itself, so only at one of them a test can tell which request is one too many.
 */
export async function startTestCluster(
  startNode: StartNode,
  settings: Settings,
  { parts, count, choice }: SuiteNodes & { parts: Parts },
): Promise<TestNode> {
  const time = parts.time ?? TestTime.running();
  const isAny = choice === 'any' && settings.RATE_LIMITS !== 'on';
  const twin = isAny ? await AnyNodeProxy.open(systemRandom) : undefined;
  const dealer = isAny ? await AnyNodeProxy.open(systemRandom) : undefined;
  const all = {
    // No lease ends because the machine is slow, or because a test jumps over some seconds.
    LEASE_SECONDS: '60',
    // As with any proxy: clients know the nodes by its address.
    ...(twin && dealer ? { PUBLIC_TWIN_URL: twin.url, PUBLIC_DEALER_URL: dealer.url } : {}),
    ...withWholeLimits(settings, count),
  };
  const start = (i: number) => startNode({ ...all, NODE_NAME: `node-${i}` }, { ...parts, time });
  const nodes = [await start(0)];
  nodes.push(...(await Promise.all(Array.from({ length: count - 1 }, (_, i) => start(i + 1)))));
  await share(nodes);
  await untilServed(nodes);
  const index = choice === 'any' ? (systemRandom.bytes(1)[0] ?? 0) % count : choice;
  const chosen = nodes[index];
  if (chosen === undefined) throw new Error(`there is no node ${index} of ${count}`);
  twin?.passTo(nodes.map(({ twinUrl }) => twinUrl));
  dealer?.passTo(nodes.map(({ dealerUrl }) => dealerUrl));
  const close = () => Promise.all([twin?.close(), dealer?.close()]);
  return {
    ...chosen,
    nodes,
    twinUrl: twin?.url ?? chosen.twinUrl,
    dealerUrl: dealer?.url ?? chosen.dealerUrl,
    async skip(ms) {
      await time.jump(ms);
      await untilServed(nodes);
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await close();
    },
    async discard() {
      await Promise.all(nodes.map((node) => node.discard()));
      await close();
    },
  };
}
