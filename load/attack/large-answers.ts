import { formatRequest, type HttpPool } from '../../bench/common/http-pool.ts';
import { madeWorld } from '../../bench/common/made-worlds.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/config.ts';
import { PRICES_US } from '../../src/http/server/prices.ts';
import { systemTime } from '../../src/time.ts';
import type { Attack, HostileClient } from './hostile-client.ts';
import { longJournal, recklessWorld } from './world-bodies.ts';

const READERS = 2;
/** Over its limit, and overloaded. */
const LATER: readonly number[] = [429, 503];
const RETRY_MS = 500;
/** Ticks of a reckless world for each second of an attack. */
const TICKS_PER_S = 90_000;
/** Most of what one address may ask for at once: the rest pays for the body and the first answer. */
const TICKS_MAX = Math.floor((0.9 * 1000 * DEFAULT_RATE_LIMITS.workMs.burst) / PRICES_US.tick);

/** Asks again while the node is busy with the world or the client has no time left. */
async function askPatiently(pool: HttpPool, request: Buffer): Promise<Buffer> {
  for (;;) {
    const { status, body } = await pool.ask(request);
    if (status === 200) return body;
    if (!LATER.includes(status)) throw new Error(`${status} ${body.toString()}`);
    await systemTime.sleep(RETRY_MS);
  }
}

/** Makes a world and reads one large answer of it again and again. */
async function readAgain(client: HostileClient, body: string, path: string): Promise<void> {
  const pool = await client.pool(client.twin, 1);
  const made = await pool.ask(formatRequest(client.twin, 'POST', '/api/v1/worlds', {}, body));
  const read = formatRequest(client.twin, 'GET', `/api/v1/worlds/${madeWorld(made).id}${path}`);
  await askPatiently(pool, read);
  pool.close();
  await client.begin();
  await client.keepOpen(client.twin, READERS, async (socket) => {
    while (socket.isOpen && !client.isOver) await socket.ask(read);
  });
}

/** Ticks of the reckless world for an attack of so many seconds. */
export function recklessTicks(seconds: number): number {
  return Math.min(TICKS_MAX, Math.round(seconds * TICKS_PER_S));
}

export const incidents: Attack = {
  summary: `the incidents of a world that has had thousands, read by ${READERS} clients`,
  run: (client) => readAgain(client, recklessWorld(recklessTicks(client.seconds)), '/incidents'),
};

export const journal: Attack = {
  summary: `the journal of a world with about 24,000 changes, read by ${READERS} clients`,
  run: (client) => readAgain(client, longJournal(), '/journal'),
};
