/** Halts Redis under a node and shows how long clients wait: `npm run hang -- [options]`. */
import { bearerOf, DEMO_ADMIN, DEMO_CARS, loginRequest } from '../../bench/common/dealer-client.ts';
import { askOnce, formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import { makeWorlds } from '../../bench/common/made-worlds.ts';
import { describeOptions, parseOptions, runEntryPoint } from '../../bench/common/options.ts';
import { columns } from '../../bench/common/report.ts';
import { startNodeProcess } from '../../src/testing/rigs/process.ts';
import { startRedis } from '../../src/testing/rigs/redis.ts';
import { systemTime } from '../../src/time.ts';

const options = {
  seconds: { fallback: 10, min: 1, max: 60, help: 'that Redis answers nothing' },
} as const;

const HELP = `npm run hang -- [options]\n\n${describeOptions(options)}`;

/** A second until a request is refused, and what two busy processes add. */
const WAIT_MS_MAX = 1200;
const PAUSE_MS = 50;
const SETTLE_MS = 2000;
const WORLD_READS = ['', '/state', '/map', '/events', '/incidents', '/journal'];
const CAR_READS = ['', '/features', '/telemetry', '/route', '/incidents'];

/** What one client asks again and again. */
interface Client {
  name: string;
  url: URL;
  request: Buffer;
}

interface Met {
  longestMs: number;
  statuses: Record<number, number>;
}

/** Of a world with a change under way, of another one, and of the dealer platform. */
async function clientsOf(twin: URL, dealer: URL): Promise<Client[]> {
  const [held, other] = await makeWorlds(twin, 2);
  if (held === undefined || other === undefined) throw new Error('unreachable: two worlds');
  const bearer = await bearerOf(dealer, DEMO_ADMIN);
  const clients: Client[] = [];
  const add = (name: string, url: URL, method: string, path: string, headers = {}, body = '') =>
    clients.push({ name, url, request: formatRequest(url, method, path, headers, body) });
  for (const [name, { id, vins }] of Object.entries({ held, other })) {
    const vin = { 'X-VIN': vins[1] ?? '' };
    for (const path of WORLD_READS)
      add(`${name}: world${path}`, twin, 'GET', `/api/v1/worlds/${id}${path}`);
    for (const path of CAR_READS)
      add(`${name}: car${path}`, twin, 'GET', `/api/v1/vehicle${path}`, vin);
  }
  const vin = { 'X-VIN': held.vins[0] ?? '' };
  add('held: change', twin, 'PATCH', '/api/v1/vehicle/features', vin, '{"aeb":false}');
  add('new world', twin, 'POST', '/api/v1/worlds');
  for (const path of ['/api/dealers', '/api/cars', '/api/customers', '/api/state']) {
    add(path, dealer, 'GET', path, bearer);
  }
  add('car state', dealer, 'PATCH', `/api/cars/${DEMO_CARS[0]}/state`, bearer, '{"locked":true}');
  clients.push({ name: 'log-in', url: dealer, request: loginRequest(dealer, DEMO_ADMIN) });
  return clients;
}

/** Asks until it is over, each time after the answer before. */
async function ask({ url, request }: Client, isOver: () => boolean): Promise<Met> {
  const met: Met = { longestMs: 0, statuses: {} };
  const pool = await HttpPool.open(url, 1);
  while (!isOver()) {
    const startMs = systemTime.now();
    const { status } = await pool.ask(request);
    met.longestMs = Math.max(met.longestMs, systemTime.now() - startMs);
    met.statuses[status] = (met.statuses[status] ?? 0) + 1;
    await systemTime.sleep(PAUSE_MS);
  }
  pool.close();
  return met;
}

await runEntryPoint(HELP, async (args) => {
  const { seconds } = parseOptions(options, args);
  const redis = await startRedis();
  const node = await startNodeProcess({ REDIS_URL: redis.url });
  try {
    const clients = await clientsOf(new URL(node.twinUrl), new URL(node.dealerUrl));
    // What is in memory can be read on.
    const reads = clients.filter(({ request }) => request.toString().startsWith('GET'));
    await Promise.all(reads.map(({ url, request }) => askOnce(url, request)));
    await systemTime.sleep(SETTLE_MS);
    redis.pause();
    const endMs = systemTime.now() + 1000 * seconds;
    const met = await Promise.all(
      clients.map((client) => ask(client, () => systemTime.now() > endMs)),
    );
    redis.resume();
    const rows = met.map(({ longestMs, statuses }, i): [string, string] => [
      clients[i]?.name ?? '',
      `${Math.round(longestMs)} ms at most, ${JSON.stringify(statuses)}`,
    ]);
    console.log(columns(rows));
    const longestMs = Math.max(...met.map((each) => each.longestMs));
    console.log(`\nthe longest wait is ${Math.round(longestMs)} ms, its bound ${WAIT_MS_MAX} ms`);
    if (longestMs > WAIT_MS_MAX) process.exitCode = 1;
  } finally {
    redis.resume();
    await node.end('SIGKILL');
    await redis.discard();
  }
});
