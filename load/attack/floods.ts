import { loginRequest } from '../../bench/common/dealer-client.ts';
import { formatRequest } from '../../bench/common/http-pool.ts';
import { type MadeWorld, madeWorld } from '../../bench/common/made-worlds.ts';
import { upgradeRequest } from '../../bench/common/watch-socket.ts';
import { systemRandom } from '../../src/random.ts';
import type { Attack, HostileClient } from './hostile-client.ts';

const CONNECTIONS = 32;
/** What an address may create at once. */
const WORLDS = 60;
const WATCHERS_PER_WORLD = 30;
/** What an address may open. */
const UNREAD_CONNECTIONS = 2000;
/** A head has room for 4096 bytes in all. */
const HEADER_BYTES = 3000;

const randomName = () => Buffer.from(systemRandom.bytes(6)).toString('hex');

/** Keeps connections busy with one request after the other; `next` gives the i-th of a connection. */
async function flood(client: HostileClient, url: URL, next: (i: number) => Buffer): Promise<void> {
  await client.keepOpen(url, CONNECTIONS, async (socket) => {
    for (let i = 0; socket.isOpen && !client.isOver; i += 1) await socket.ask(next(i));
  });
}

async function makeSome(client: HostileClient, count: number): Promise<MadeWorld[]> {
  const pool = await client.pool(client.twin, 4);
  const make = formatRequest(client.twin, 'POST', '/api/v1/worlds');
  const made = await Promise.all(Array.from({ length: count }, () => pool.ask(make)));
  pool.close();
  return made.map(madeWorld);
}

/** As much of a header as fits: the i-th of `parts` and then again from the beginning. */
function longHeader(part: () => string): string {
  let text = part();
  while (text.length < HEADER_BYTES) text += `, ${part()}`;
  return text;
}

export const heads: Attack = {
  summary: 'headers of 3 KiB and long queries, each different',
  async run(client) {
    const [world] = await makeSome(client, 1);
    const map = `/api/v1/worlds/${world?.id}/map`;
    const headers = [
      () => ({ Accept: longHeader(() => `a/${randomName()};q=0.${randomName().length}`) }),
      () => ({ 'Accept-Encoding': longHeader(() => `${randomName()};q=0.5`) }),
      () => ({ 'If-None-Match': longHeader(() => `"${randomName()}"`) }),
      () => ({ 'X-Forwarded-For': longHeader(() => '203.0.113.7') }),
      () => ({ Forwarded: longHeader(() => `for=${randomName()}`) }),
      () => ({ Authorization: `Bearer ${randomName().repeat(250)}` }),
      () => ({ 'Content-Type': `a/b; x=${randomName().repeat(250)}` }),
    ];
    await client.begin();
    await flood(client, client.twin, (i) => {
      const path = i % 8 === 7 ? `${map}?${'%41='.repeat(HEADER_BYTES / 4)}` : map;
      return formatRequest(client.twin, 'GET', path, headers[i % headers.length]?.());
    });
  },
};

export const methods: Attack = {
  summary: 'HEAD and OPTIONS of everything',
  async run(client) {
    const [world] = await makeSome(client, 1);
    const paths = ['/map', '/state', '/incidents', '', '/journal', '/events'];
    const requests = paths.flatMap((path) =>
      ['HEAD', 'OPTIONS'].map((method) =>
        formatRequest(client.twin, method, `/api/v1/worlds/${world?.id}${path}`),
      ),
    );
    await client.begin();
    await flood(client, client.twin, (i) => requests[i % requests.length] as Buffer);
  },
};

export const documents: Attack = {
  summary: 'the documents and pages of both services again and again',
  async run(client) {
    const paths = ['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/'];
    const of = (url: URL) => paths.map((path) => formatRequest(url, 'GET', path));
    const [twin, dealer] = [of(client.twin).slice(0, 3), of(client.dealer)];
    await client.begin();
    await Promise.all([
      flood(client, client.twin, (i) => twin[i % twin.length] as Buffer),
      flood(client, client.dealer, (i) => dealer[i % dealer.length] as Buffer),
    ]);
  },
};

/** Asks for the same on as many connections as an address may open, and reads none of them. */
async function askUnread(client: HostileClient, path: string): Promise<void> {
  const ask = formatRequest(client.twin, 'GET', path);
  await client.begin();
  await client.keepOpen(client.twin, UNREAD_CONNECTIONS, async (socket) => {
    socket.stopReading();
    client.achieved.requests += 1;
    await socket.write(ask);
    await socket.closed;
  });
}

export const unread: Attack = {
  summary: `a large file on ${UNREAD_CONNECTIONS} connections at once, which nobody reads`,
  run: (client) => askUnread(client, '/docs/swagger-ui-bundle.js'),
};

export const unreadMaps: Attack = {
  summary: `a map on ${UNREAD_CONNECTIONS} connections at once, which nobody reads`,
  async run(client) {
    const [world] = await makeSome(client, 1);
    await askUnread(client, `/api/v1/worlds/${world?.id}/map`);
  },
};

export const vins: Attack = {
  summary: `changes of all cars of ${WORLDS} worlds: each car has a limit of its own`,
  async run(client) {
    const all = (await makeSome(client, WORLDS)).flatMap((world) => world.vins);
    let count = 0;
    await client.begin();
    await flood(client, client.twin, () => {
      count += 1;
      const vin = { 'X-VIN': all[count % all.length] ?? '' };
      const body = JSON.stringify({ aeb: Math.floor(count / all.length) % 2 === 1 });
      return formatRequest(client.twin, 'PATCH', '/api/v1/vehicle/features', vin, body);
    });
  },
};

export const logins: Attack = {
  summary: 'log-ins of unknown names, and sign-ups',
  async run(client) {
    await client.begin();
    await flood(client, client.dealer, (i) => {
      const username = `x${randomName()}`;
      const account = { username, password: 'wrong-password', role: 'dealer' };
      if (i % 4 !== 3) return loginRequest(client.dealer, account);
      const person = { ...account, name: 'x', email: `${username}@x.test`, dealer: 'nordbil' };
      const body = JSON.stringify(person);
      return formatRequest(client.dealer, 'POST', '/api/auth/signup', {}, body);
    });
  },
};

export const upgrades: Attack = {
  summary: 'streams that are opened and left at once, again and again',
  async run(client) {
    const [world] = await makeSome(client, 1);
    await client.begin();
    await client.keepOpen(client.twin, CONNECTIONS, async (socket) => {
      await socket.ask(upgradeRequest(client.twin, `/ws/worlds/${world?.id}`));
    });
  },
};

export const crowds: Attack = {
  summary: `${WORLDS} worlds, each with ${WATCHERS_PER_WORLD} streams that are read`,
  async run(client) {
    const worlds = await makeSome(client, WORLDS);
    await client.begin();
    await client.keepOpen(client.twin, WORLDS * WATCHERS_PER_WORLD, async (socket, index) => {
      const { id = '' } = worlds[index % worlds.length] ?? {};
      const query = index % 2 === 0 ? '' : '?encoding=msgpack';
      const status = await socket.ask(upgradeRequest(client.twin, `/ws/worlds/${id}${query}`));
      if (status === 101) await socket.closed;
    });
  },
};
