import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import { type NodeParts, startNode } from '../../node.ts';
import { systemRandom } from '../../random.ts';
import { openEmbedded } from '../../store/embedded-store.ts';
import { systemTime } from '../../time.ts';
import { type FaultyStore, faultyStore } from '../doubles/faulty-store.ts';
import { TestTime } from '../doubles/test-time.ts';
import { suiteNodes } from './suite-nodes.ts';
import { startTestCluster } from './test-cluster.ts';
import { type TestNode, untilReady } from './test-node.ts';

export { type TestNode, untilReady };

/**
 * Imported only where tests run: it registers what ends the server with the test file, and can do so only
 * while the file is read.
 */
const freshUrl = suiteNodes && (await import('./redis-databases.ts')).freshUrl;

type Settings = Record<string, string>;
type Parts = NodeParts & { time?: TestTime };

/**
 * A whole node in this process, on free ports of 127.0.0.1, with a store of its own unless
 * `DATA_DIR` is among the settings. Rate limits are off unless the settings turn them on.
 */
export async function startTestNode(settings: Settings = {}, parts: Parts = {}): Promise<TestNode> {
  if (suiteNodes === undefined || parts.openStore !== undefined) {
    return startOneTestNode(settings, parts);
  }
  const REDIS_URL = settings.REDIS_URL ?? (await freshUrl?.()) ?? '';
  const all = { ...settings, REDIS_URL };
  return startTestCluster(startOneTestNode, all, { ...suiteNodes, parts });
}

async function startOneTestNode(settings: Settings, parts: Parts): Promise<TestNode> {
  const dataDir = settings.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'twin-test-'));
  const env = {
    TWIN_PORT: '0',
    DEALER_PORT: '0',
    OPS_PORT: '0',
    SHARDS: '1',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
    ...settings,
    DATA_DIR: dataDir,
  };
  const config = readConfig(env, systemRandom);
  const { time = TestTime.running() } = parts;
  const node = await startNode(config, createLog(config.logLevel), { ...parts, time });
  return {
    ...node,
    dataDir,
    time,
    nodes: [node],
    async skip(ms) {
      await time.jump(ms);
      await untilReady(node);
    },
    async discard() {
      await node.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface FaultyNode extends TestNode {
  readonly store: FaultyStore;
}

/** A test node on an embedded store that can be made to fail. */
export async function startFaultyNode(
  settings: Settings = {},
  parts: Omit<Parts, 'openStore'> = {},
): Promise<FaultyNode> {
  let store: FaultyStore | undefined;
  const openStore = async (dir: string) => {
    store = faultyStore(await openEmbedded(dir, systemTime), systemTime);
    return store;
  };
  const node = await startTestNode(settings, { ...parts, openStore });
  if (store === undefined) throw new Error('unreachable: a node opens its store');
  return { ...node, store };
}
