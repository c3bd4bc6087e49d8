import { startTestNode, type TestNode } from '../testing/node.ts';
import { type NodeProcess, startNodeProcess } from '../testing/process.ts';

/** A store engine that the dealer platform is tested on. */
export interface Engine {
  name: string;
  /**
   * A whole node, with a store of its own, or with what an earlier one with the same `DATA_DIR` has
   * left; settings as in the environment.
   */
  start(settings?: Record<string, string>): Promise<TestNode>;
  /** The same in a process of its own. */
  startProcess(settings: Record<string, string>): Promise<NodeProcess>;
}

/** Every suite of this folder runs on each of them. */
export const ENGINES: readonly Engine[] = [
  { name: 'embedded', start: startTestNode, startProcess: startNodeProcess },
];
