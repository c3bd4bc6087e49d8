import type { RunningNode } from '../../node.ts';
import type { TestTime } from '../doubles/test-time.ts';
import { until } from './until.ts';

export interface TestNode extends RunningNode {
  readonly dataDir: string;
  readonly time: TestTime;
  /** All nodes on its store: itself, or those of a test cluster. */
  readonly nodes: readonly RunningNode[];
  /** Jumps over `ms` of the node's time, and waits until it is ready again. */
  skip(ms: number): Promise<void>;
  /** Stops the node and removes its data. */
  discard(): Promise<void>;
}

/** Waits until a node has its store. */
export async function untilReady({ opsUrl }: { opsUrl: string }): Promise<void> {
  await until('a node that is ready', async () => (await fetch(`${opsUrl}/readyz`)).ok);
}
