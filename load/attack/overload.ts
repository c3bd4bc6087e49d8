import { formatRequest } from '../../bench/common/http-pool.ts';
import { madeWorld } from '../../bench/common/made-worlds.ts';
import { upgradeRequest } from '../../bench/common/watch-socket.ts';
import type { Attack, HostileClient } from './hostile-client.ts';

/** Each may make so many worlds at once. */
const ADDRESSES = 80;
const WORLDS_EACH = 50;
const CONNECTIONS_EACH = 2;
/** Streams that are being opened at a time. */
const OPENING_MAX = 32;

const addresses = Array.from({ length: ADDRESSES }, (_, i) => `127.1.0.${i + 1}`);

interface Visitor {
  from: string;
  id: string;
}

async function makeWorldsFrom(client: HostileClient, from: string): Promise<Visitor[]> {
  const pool = await client.pool(client.twin, CONNECTIONS_EACH, from);
  const request = formatRequest(client.twin, 'POST', '/api/v1/worlds');
  const made = await Promise.all(Array.from({ length: WORLDS_EACH }, () => pool.ask(request)));
  pool.close();
  return made.map((answer) => ({ from, id: madeWorld(answer).id }));
}

/** Opens the stream of a world. Returns false where the node refuses it; then its state is read. */
async function watch(client: HostileClient, { from, id }: Visitor): Promise<boolean> {
  const socket = await client.open(client.twin, from);
  const status = await socket?.ask(upgradeRequest(client.twin, `/ws/worlds/${id}`));
  if (status === 101) return true;
  socket?.close();
  const reader = await client.open(client.twin, from);
  await reader?.ask(formatRequest(client.twin, 'GET', `/api/v1/worlds/${id}/state`));
  reader?.close();
  return false;
}

/** Lets one visitor after the other in; who is refused tries again when the others have. */
async function letIn(client: HostileClient, queue: Visitor[]): Promise<void> {
  while (!client.isOver) {
    const visitor = queue.shift();
    if (visitor === undefined) return;
    if (!(await watch(client, visitor))) queue.push(visitor);
  }
}

export const overload: Attack = {
  summary: `${ADDRESSES * WORLDS_EACH} worlds that want to be watched, from ${ADDRESSES} addresses`,
  keepsWorlds: true,
  async run(client) {
    const queue: Visitor[] = [];
    for (const from of addresses) queue.push(...(await makeWorldsFrom(client, from)));
    await client.begin();
    await Promise.all(Array.from({ length: OPENING_MAX }, () => letIn(client, queue)));
    await client.over;
  },
};
