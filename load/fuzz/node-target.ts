import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginRequest } from '../../bench/common/dealer-client.ts';
import { askOnce, formatRequest } from '../../bench/common/http-pool.ts';
import { madeWorld } from '../../bench/common/made-worlds.ts';
import { onProcessEnd } from '../../bench/common/process-end.ts';
import { endProcess, readyAddresses, spawnServer } from '../../src/testing/rigs/process.ts';
import { publishedBy, type Target } from './target.ts';

/** A shell that writes standard error into the file of its first argument and becomes the command. */
const LOGGED = ['sh', '-c', 'exec "$@" 2> "$0"'];
const DEALER = { role: 'dealer', username: 'nordbil', password: 'dealer-demo' };

/** A running node as a target. */
export async function targetOf(urls: Target['urls'], faults: Target['faults']): Promise<Target> {
  const [twin, dealer] = [new URL(urls.twin), new URL(urls.dealer)];
  const made = await askOnce(twin, formatRequest(twin, 'POST', '/api/v1/worlds'));
  const { id, vins } = madeWorld(made);
  const login = await askOnce(dealer, loginRequest(dealer, DEALER));
  const { access_token: token } = JSON.parse(login.body.toString()) as { access_token: string };
  const journal = formatRequest(twin, 'GET', `/api/v1/worlds/${id}/journal`);
  const state = formatRequest(dealer, 'GET', '/api/state');
  return {
    urls,
    published: await publishedBy(urls),
    world: id,
    vin: vins[0] ?? '',
    token,
    // Worlds have no list.
    effects: async () => {
      const { changes } = JSON.parse((await askOnce(twin, journal)).body.toString()) as Journal;
      const platform = JSON.parse((await askOnce(dealer, state)).body.toString()) as PlatformState;
      return changes.length + platform.customers + platform.dealers + platform.cars.total;
    },
    faults,
  };
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
