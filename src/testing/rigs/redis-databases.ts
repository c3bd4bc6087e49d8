import { afterAll } from 'vitest';
import { startRedis, type TestRedis } from './redis.ts';

const DATABASES_MAX = '256';
/** One server for each test file, with a database for each store. Nothing need outlive its crash. */
const SERVER_SETTINGS = ['--databases', DATABASES_MAX, '--appendfsync', 'no'];
let server: Promise<TestRedis> | undefined;
let nextDatabase = 0;
const databases = new Map<string, number>();

afterAll(async () => (await server)?.discard());

/** The database of a folder: the same for nodes that follow each other there. */
export function databaseOf(dataDir: string): number {
  const database = databases.get(dataDir) ?? nextDatabase++;
  databases.set(dataDir, database);
  return database;
}

export async function urlOf(database: number): Promise<string> {
  server ??= startRedis(...SERVER_SETTINGS);
  return `${(await server).url}/${database}`;
}

/** The database of a store of its own. */
export function freshDatabase(): number {
  return nextDatabase++;
}

/** The URL of a database for a store of its own. */
export const freshUrl = (): Promise<string> => urlOf(freshDatabase());

/** A node uses a database as its folder. */
export function rememberDatabase(dataDir: string, database: number): void {
  databases.set(dataDir, database);
}

/** A killed process would keep the next one waiting for as long as its leases. */
export async function endLeases(database: number): Promise<void> {
  await (await server)?.endLeases(database);
}
