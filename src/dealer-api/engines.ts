import { startTestNode, type TestNode } from '../testing/node.ts';

/** A store engine that the dealer platform is tested on. */
export interface Engine {
  name: string;
  /** A whole node with a store of its own; settings as in the environment. */
  start(settings?: Record<string, string>): Promise<TestNode>;
}

/** Every suite of this folder runs on each of them. */
export const ENGINES: readonly Engine[] = [{ name: 'embedded', start: startTestNode }];
