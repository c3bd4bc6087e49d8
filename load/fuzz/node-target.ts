import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bearerOf, DEMO_ADMIN, DEMO_CUSTOMER } from '../../bench/common/dealer-client.ts';
import { askOnce, formatRequest } from '../../bench/common/http-pool.ts';
import { madeWorld } from '../../bench/common/made-worlds.ts';
import { onProcessEnd } from '../../bench/common/process-end.ts';
import { endProcess, readyAddresses, spawnServer } from '../../src/testing/rigs/process.ts';
import { until } from '../../src/testing/rigs/until.ts';
import { publishedBy, type Target } from './target.ts';

/** A shell that writes standard error into the file of its first argument and becomes the command. */
const LOGGED = ['sh', '-c', 'exec "$@" 2> "$0"'];
const DEMO_DEALER = { role: 'dealer', username: 'nordbil', password: 'dealer-demo' };

/** A running node as a target. */
export async function targetOf(urls: Target['urls'], faults: Target['faults']): Promise<Target> {
  const [twin, dealer] = [new URL(urls.twin), new URL(urls.dealer)];
  const made = await askOnce(twin, formatRequest(twin, 'POST', '/api/v1/worlds'));
  const { id, vins } = madeWorld(made);
  const tokenOf = async (login: object) =>
    (await bearerOf(dealer, login)).Authorization.slice('Bearer '.length);
  const journal = formatRequest(twin, 'GET', `/api/v1/worlds/${id}/journal`);
  const state = formatRequest(dealer, 'GET', '/api/state');
  return {
    urls,
    published: await publishedBy(urls),
    world: id,
    vin: vins[0] ?? '',
    tokens: {
      admin: await tokenOf(DEMO_ADMIN),
      dealer: await tokenOf(DEMO_DEALER),
      customer: await tokenOf(DEMO_CUSTOMER),
    },
    // The number of worlds is counted now and then only.
    effects: async () => {
      const { changes } = await read<Journal>(twin, journal);
      const { customers, dealers, cars } = await read<PlatformState>(dealer, state);
      return changes.length + customers + dealers + cars.total;
    },
    faults,
  };
}

/** Reads until the node answers: a busy disk makes it refuse for a moment. */
function read<T>(url: URL, request: Buffer): Promise<NonNullable<T>> {
  return until('an answer', async () => {
    const { status, body } = await askOnce(url, request);
    return status === 200 ? (JSON.parse(body.toString()) as T) : undefined;
  });
}

interface Journal {
  changes: unknown[];
}

interface PlatformState {
  customers: number;
  dealers: number;
  cars: { total: number };
}

/** A node in a process of its own, without rate limits: they would refuse most inputs. */
export async function startNodeTarget(): Promise<Target & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'twin-fuzz-'));
  const logFile = join(folder, 'log');
  const settings = {
    ...{ HOST: '127.0.0.1', TWIN_PORT: '0', DEALER_PORT: '0', OPS_PORT: '0' },
    ...{ DATA_DIR: join(folder, 'data'), RATE_LIMITS: 'off', LOG_LEVEL: 'error' },
  };
  const child = spawnServer('src/main.ts', settings, [...LOGGED, logFile]);
  const keep = onProcessEnd(() => child.kill('SIGKILL'));
  const { twin, dealer = '' } = await readyAddresses(child);
  // Where others use the disk too, a write may take long.
  const isFault = (line: string) => line !== '' && !line.includes('"msg":"the store ');
  const logged = () => readFileSync(logFile, 'utf8').split('\n').filter(isFault);
  const target = await targetOf({ twin, dealer }, logged);
  return {
    ...target,
    stop: async () => {
      await endProcess(child, 'SIGTERM');
      keep();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
