import { formatRequest } from '../../bench/common/http-pool.ts';
import { madeWorld } from '../../bench/common/made-worlds.ts';
import { systemRandom } from '../../src/random.ts';
import { START_TICK_MAX } from '../../src/twin/world-options.ts';
import type { Attack, HostileClient } from './hostile-client.ts';
import { longJournal } from './world-bodies.ts';

/** Each has a budget of work of its own. */
const ADDRESSES = 20;
const CONNECTIONS_EACH = 4;
/** Of so many addresses one has a world with as many changes as a body has room for. */
const JOURNAL_EACH = 5;

/** Makes the world of an address, and returns its id. */
async function makeFrom(client: HostileClient, from: string, body: string): Promise<string> {
  const pool = await client.pool(client.twin, 1, from);
  const made = await pool.ask(formatRequest(client.twin, 'POST', '/api/v1/worlds', {}, body));
  pool.close();
  return madeWorld(made).id;
}

/** Asks for one tick after another, far from each other, until the time is over. */
async function lookAround(client: HostileClient, from: string, id: string, tickMax: number) {
  while (!client.isOver) {
    const socket = await client.open(client.twin, from);
    while (socket?.isOpen && !client.isOver) {
      const tick = Buffer.from(systemRandom.bytes(4)).readUInt32LE() % tickMax;
      const path = `/api/v1/worlds/${id}/state?tick=${tick}&hash=1`;
      await Promise.race([socket.ask(formatRequest(client.twin, 'GET', path)), client.over]);
    }
    socket?.close();
  }
}

export const pastStates: Attack = {
  summary: `states at any ticks of half an hour, from ${ADDRESSES} addresses, ${CONNECTIONS_EACH} at a time from each`,
  async run(client) {
    const targets = [];
    const young = JSON.stringify({ start_tick: START_TICK_MAX });
    const long = { ...JSON.parse(longJournal()), start_tick: START_TICK_MAX };
    for (let i = 0; i < ADDRESSES; i++) {
      const from = `127.1.1.${i + 1}`;
      const body = i % JOURNAL_EACH === 0 ? JSON.stringify(long) : young;
      targets.push({ from, id: await makeFrom(client, from, body) });
    }
    await client.begin();
    const each = targets.flatMap((target) => Array(CONNECTIONS_EACH).fill(target));
    await Promise.all(each.map(({ from, id }) => lookAround(client, from, id, START_TICK_MAX)));
  },
};
