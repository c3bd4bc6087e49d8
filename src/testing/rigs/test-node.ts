import type { RunningNode } from '../../node.ts';
import type { TestTime } from '../doubles/test-time.ts';

export interface TestNode extends RunningNode {
  readonly dataDir: string;
  readonly time: TestTime;
  /** Jumps over `ms` of the node's time, and waits until it is ready again. */
  skip(ms: number): Promise<void>;
  /** Stops the node and removes its data. */
  discard(): Promise<void>;
}
