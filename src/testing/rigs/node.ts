import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import { type NodeParts, type RunningNode, startNode } from '../../node.ts';
import { systemRandom } from '../../random.ts';

export interface TestNode extends RunningNode {
  readonly dataDir: string;
  /** Stops the node and removes its data. */
  discard(): Promise<void>;
}

/**
 * A whole node in this process, on free ports of 127.0.0.1, with a store of its own unless
 * `DATA_DIR` is among the settings. Rate limits are off unless the settings turn them on.
 */
export async function startTestNode(
  settings: Record<string, string> = {},
  parts: NodeParts = {},
): Promise<TestNode> {
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
  const node = await startNode(config, createLog(config.logLevel), parts);
  return {
    ...node,
    dataDir,
    async discard() {
      await node.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
