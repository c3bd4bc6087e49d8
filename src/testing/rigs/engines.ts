import { startTestNode } from './node.ts';
import { startNodeProcess } from './process.ts';
import { HAS_REDIS } from './redis.ts';
import {
  databaseOf,
  endLeases,
  freshDatabase,
  rememberDatabase,
  urlOf,
} from './redis-databases.ts';
import { suiteNodes } from './suite-nodes.ts';

/** A store engine that whole nodes are tested on. */
export interface Engine {
  name: 'embedded' | 'redis';
  /**
   * A whole node, with a store of its own, or with what an earlier one with the same `DATA_DIR` has
   * left; settings as in the environment.
   */
  start: typeof startTestNode;
  /** The same in a process of its own, with the `DATA_DIR` that is given. */
  startProcess: typeof startNodeProcess;
}

export const EMBEDDED: Engine = {
  name: 'embedded',
  start: startTestNode,
  startProcess: startNodeProcess,
};

const REDIS: Engine = {
  name: 'redis',
  async start(settings = {}, parts) {
    const { DATA_DIR: dataDir } = settings;
    const database = dataDir === undefined ? freshDatabase() : databaseOf(dataDir);
    const node = await startTestNode({ ...settings, REDIS_URL: await urlOf(database) }, parts);
    rememberDatabase(node.dataDir, database);
    return node;
  },
  async startProcess(settings) {
    const database = databaseOf(settings.DATA_DIR ?? '');
    const url = await urlOf(database);
    await endLeases(database);
    return startNodeProcess({ ...settings, REDIS_URL: url });
  },
};

/** Suites that loop over them run on each; without Redis there is one, and several nodes are on Redis. */
export const ENGINES: readonly Engine[] = suiteNodes
  ? [REDIS]
  : HAS_REDIS
    ? [EMBEDDED, REDIS]
    : [EMBEDDED];
