import { afterAll } from 'vitest';
import { startTestNode } from './node.ts';
import { startNodeProcess } from './process.ts';
import { HAS_REDIS, startRedis, type TestRedis } from './redis.ts';

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
    const database = dataDir === undefined ? nextDatabase++ : databaseOf(dataDir);
    const node = await startTestNode({ ...settings, REDIS_URL: await urlOf(database) }, parts);
    databases.set(node.dataDir, database);
    return node;
  },
  async startProcess(settings) {
    const database = databaseOf(settings.DATA_DIR ?? '');
    const url = await urlOf(database);
    // A killed process would keep the next one waiting for as long as its lease.
    await (await server)?.endLeases(database);
    return startNodeProcess({ ...settings, REDIS_URL: url });
  },
};

/** Suites that loop over them run on each; without Redis there is one. */
export const ENGINES: readonly Engine[] = HAS_REDIS ? [EMBEDDED, REDIS] : [EMBEDDED];

const DATABASES_MAX = '256';
/** One server for each test file, with a database for each store. Nothing need outlive its crash. */
const SERVER_SETTINGS = ['--databases', DATABASES_MAX, '--appendfsync', 'no'];
let server: Promise<TestRedis> | undefined;
let nextDatabase = 0;
const databases = new Map<string, number>();

afterAll(async () => (await server)?.discard());

function databaseOf(dataDir: string): number {
  const database = databases.get(dataDir) ?? nextDatabase++;
  databases.set(dataDir, database);
  return database;
}

async function urlOf(database: number): Promise<string> {
  server ??= startRedis(...SERVER_SETTINGS);
  return `${(await server).url}/${database}`;
}
