import { DEMO_CARS, loginRequest } from '../../bench/common/dealer-client.ts';
import { formatRequest, HttpPool, openSocket } from '../../bench/common/http-pool.ts';
import { type MadeWorld, makeWorlds } from '../../bench/common/made-worlds.ts';
import { WatchSocket } from '../../bench/common/watch-socket.ts';
import type { TestNode } from '../../src/testing/rigs/node.ts';
import { until } from '../../src/testing/rigs/until.ts';
import { parseWorldId } from '../../src/twin/ids.ts';

/** Beyond the time after which a node forgets names and addresses. */
const FORGOTTEN_MS = 32 * 60_000;
const ENCODINGS = ['json', 'msgpack'];
const FRAMES = 3;
const DEALER = { role: 'dealer', username: 'nordbil', password: 'dealer-demo' };
/** One byte more than a body may have. */
const TOO_LONG = 'x'.repeat(65_537);

/**
 * One round of what clients do: worlds are made, watched, changed, read and forgotten; accounts log
 * in, read, change and leave; many requests are refused. Every round is the work of a new address.
 */
export async function workRound(node: TestNode, round: number, worldCount: number): Promise<void> {
  const from = `127.1.${Math.floor(round / 250)}.${(round % 250) + 1}`;
  const twin = new URL(node.twinUrl);
  const pool = await HttpPool.open(twin, 4, from);
  const worlds = await makeWorlds(twin, worldCount);
  await Promise.all(worlds.map((world) => useWorld(twin, pool, world, from)));
  await useDealer(new URL(node.dealerUrl), round, from);
  await beRefused(twin, pool, round, from);
  pool.close();
  await Promise.all(worlds.map(({ id }) => node.worlds.drop(parseWorldId(id) ?? 0)));
  await node.skip(FORGOTTEN_MS);
}

async function useWorld(url: URL, pool: HttpPool, { id, vins }: MadeWorld, from: string) {
  const vin = { 'X-VIN': vins[0] ?? '' };
  const streams = await Promise.all(
    ENCODINGS.map(async (encoding) => {
      let frames = 0;
      const events = { message: () => void frames++, closed: () => {} };
      const path = `/ws/worlds/${id}?encoding=${encoding}`;
      return { socket: await WatchSocket.open(url, path, events, from), frames: () => frames };
    }),
  );
  for (const aeb of [false, true, false]) {
    const body = JSON.stringify({ aeb });
    await expectStatus(pool, formatRequest(url, 'PATCH', '/api/v1/vehicle/features', vin, body));
  }
  for (const part of ['', '/state', '/map', '/events', '/incidents', '/journal']) {
    await expectStatus(pool, formatRequest(url, 'GET', `/api/v1/worlds/${id}${part}`));
  }
  for (const part of ['', '/features', '/telemetry', '/route', '/incidents']) {
    await expectStatus(pool, formatRequest(url, 'GET', `/api/v1/vehicle${part}`, vin));
  }
  await until('frames', () => streams.every(({ frames }) => frames() >= FRAMES));
  for (const { socket } of streams) socket.close();
}

async function useDealer(url: URL, round: number, from: string): Promise<void> {
  const pool = await HttpPool.open(url, 1, from);
  const wrong = { ...DEALER, username: `nobody_${round}` };
  await expectStatus(pool, loginRequest(url, wrong), 401);
  const { body } = await expectStatus(pool, loginRequest(url, DEALER));
  const { access_token } = JSON.parse(body.toString()) as { access_token: string };
  const bearer = { Authorization: `Bearer ${access_token}` };
  const lock = JSON.stringify({ locked: round % 2 === 0 });
  const car = `/api/cars/${DEMO_CARS[0]}/state`;
  for (const path of ['/api/cars', '/api/customers', '/api/dealers', '/api/state']) {
    await expectStatus(pool, formatRequest(url, 'GET', path, bearer));
  }
  await expectStatus(pool, formatRequest(url, 'PATCH', car, bearer, lock));
  await expectStatus(pool, formatRequest(url, 'POST', '/api/auth/logout', bearer));
  await expectStatus(pool, formatRequest(url, 'GET', '/api/cars', bearer), 401);
  pool.close();
}

async function beRefused(url: URL, pool: HttpPool, round: number, from: string): Promise<void> {
  const unknown = String(round).padStart(10, '0');
  const accept = { Accept: `a/b;q=0.${round}` };
  await expectStatus(pool, formatRequest(url, 'GET', `/api/v1/worlds/${unknown}`), 404);
  await expectStatus(pool, formatRequest(url, 'GET', `/${unknown}`, accept), 404);
  await expectStatus(pool, formatRequest(url, 'DELETE', '/api/v1/worlds'), 405);
  await expectStatus(pool, formatRequest(url, 'GET', '/api/v1/vehicle', { 'X-VIN': unknown }), 401);
  await expectStatus(pool, formatRequest(url, 'POST', '/api/v1/worlds', {}, '{'), 400);
  const unfinished = await openSocket(url, { from });
  unfinished.write('POST /api/v1/worlds HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  const long = await openSocket(url, { from });
  long.on('error', () => {});
  long.write(formatRequest(url, 'POST', '/api/v1/worlds', {}, TOO_LONG));
  await new Promise((resolve) => long.once('data', resolve));
  for (const socket of [unfinished, long]) socket.destroy();
}

async function expectStatus(pool: HttpPool, request: Buffer, status = 200) {
  // A store that was writing while the time was moved refuses for a moment.
  const answer = await until('an answer', async () => {
    const given = await pool.ask(request);
    return given.status === 503 ? undefined : given;
  });
  if (answer.status === status) return answer;
  throw new Error(`${answer.head} instead of ${status}: ${answer.body.toString().slice(0, 200)}`);
}
