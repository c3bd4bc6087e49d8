import { loginRequest } from '../../bench/common/dealer-client.ts';
import { formatRequest } from '../../bench/common/http-pool.ts';
import { systemTime } from '../../src/time.ts';
import type { Attack, HostileClient } from './hostile-client.ts';

const DEMO_DEALER = { role: 'dealer', username: 'nordbil', password: 'dealer-demo' };
const OWN_CAR = 'DEMCAR00000000001';
const ADDING_CONNECTIONS = 16;
const ADDING_SECONDS_MAX = 5;
const READERS = 4;

async function bearerOf(client: HostileClient): Promise<{ Authorization: string }> {
  const pool = await client.pool(client.dealer, 1);
  const { status, body } = await pool.ask(loginRequest(client.dealer, DEMO_DEALER));
  pool.close();
  if (status !== 200) throw new Error(`no log-in: ${status} ${body.toString()}`);
  const { access_token } = JSON.parse(body.toString()) as { access_token: string };
  return { Authorization: `Bearer ${access_token}` };
}

/** Adds cars as fast as the node takes them. */
async function addCars(client: HostileClient, bearer: { Authorization: string }): Promise<void> {
  const seconds = Math.min(ADDING_SECONDS_MAX, client.seconds);
  const endMs = systemTime.now() + seconds * 1000;
  let count = 0;
  const addUntilEnd = async () => {
    const socket = await client.open(client.dealer);
    while (socket?.isOpen && systemTime.now() < endMs) {
      const body = JSON.stringify({ vin: `HOSTILE${String(count++).padStart(10, '0')}` });
      const path = '/api/cars/add-to-fleet';
      await socket.ask(formatRequest(client.dealer, 'POST', path, bearer, body));
    }
    socket?.close();
  };
  await Promise.all(Array.from({ length: ADDING_CONNECTIONS }, addUntilEnd));
}

export const fleet: Attack = {
  summary: 'a dealer adds cars as fast as it goes, then reads the fleet and changes a car in turn',
  async run(client) {
    const bearer = await bearerOf(client);
    await addCars(client, bearer);
    const read = formatRequest(client.dealer, 'GET', '/api/cars', bearer);
    const changes = [true, false].map((locked) => {
      const body = JSON.stringify({ locked });
      return formatRequest(client.dealer, 'PATCH', `/api/cars/${OWN_CAR}/state`, bearer, body);
    });
    await client.begin();
    await client.keepOpen(client.dealer, READERS, async (socket) => {
      for (let i = 0; socket.isOpen && !client.isOver; i += 1) {
        await socket.ask(read);
        await socket.ask(changes[i % changes.length] as Buffer);
      }
    });
  },
};
