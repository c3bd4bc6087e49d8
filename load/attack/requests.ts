import { formatRequest } from '../../bench/common/http-pool.ts';
import { systemRandom } from '../../src/random.ts';
import { systemTime } from '../../src/time.ts';
import type { Attack, HostileClient } from './hostile-client.ts';

const PIPELINES = 6;
const REQUESTS_PER_PIPELINE = 20_000;
const WRITE_BYTES = 64 * 1024;
const CALLERS = 64;
const CALLS_PER_PACKET = 400;
const CALLS_PAUSE_MS = 10;
/** A closed connection shows when the next request is written. */
const MORE_MS = 250;
const STRAYS = 32;
/** Few enough that a node does not end the connection because of them. */
const UNREAD_AT_ONCE = 64;
const UNREAD_CONNECTIONS = 4;
const UNREAD_PAUSE_MS = 10;

/** Path of the largest script of the viewer, from the page of a world. */
async function largestScript(client: HostileClient): Promise<string> {
  const pool = await client.pool(client.twin, 1);
  const textOf = async (path: string) =>
    (await pool.ask(formatRequest(client.twin, 'GET', path))).body.toString();
  const [, id = ''] =
    /worlds\/(\w+)/.exec((await pool.ask(formatRequest(client.twin, 'GET', '/'))).head) ?? [];
  const page = await textOf(`/worlds/${id}`);
  const paths = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path = '']) => path);
  const sizes = await Promise.all(paths.map(async (path) => (await textOf(path)).length));
  pool.close();
  const path = paths[sizes.indexOf(Math.max(...sizes))];
  if (path === undefined) throw new Error('the page of a world names no script');
  return path;
}

export const pipeline: Attack = {
  summary: `${REQUESTS_PER_PIPELINE} pipelined requests of the viewer's script, answers never read, ${PIPELINES} times at once`,
  async run(client) {
    const one = formatRequest(client.twin, 'GET', await largestScript(client));
    const perWrite = Math.floor(WRITE_BYTES / one.length);
    const some = Buffer.concat(Array(perWrite).fill(one));
    await client.begin();
    await client.keepOpen(client.twin, PIPELINES, async (socket) => {
      socket.stopReading();
      for (let sent = 0; socket.isOpen && !client.isOver; ) {
        const isMore = sent < REQUESTS_PER_PIPELINE;
        if (!isMore) await systemTime.sleep(MORE_MS);
        await socket.write(isMore ? some : one);
        const count = isMore ? perWrite : 1;
        sent += count;
        client.achieved.requests += count;
      }
    });
  },
};

/** Packets of many calls, each of which costs more than a read of the twin. */
export const calls: Attack = {
  summary: `${CALLS_PER_PACKET} pipelined calls of the dealer platform, ${CALLERS} times at once`,
  async run(client) {
    const one = formatRequest(client.dealer, 'GET', '/api/state');
    const some = Buffer.concat(Array(CALLS_PER_PACKET).fill(one));
    await client.begin();
    await client.keepOpen(client.dealer, CALLERS, async (socket) => {
      while (socket.isOpen && !client.isOver) {
        await socket.write(some);
        client.achieved.requests += CALLS_PER_PACKET;
        await systemTime.sleep(CALLS_PAUSE_MS);
      }
    });
  },
};

/** Sends some requests again and again, not too many at once, and reads no answer. */
function unread(what: string, some: (url: URL) => readonly Buffer[]): Attack {
  return {
    summary: `${what}, answers never read, ${UNREAD_CONNECTIONS} times at once`,
    async run(client) {
      const requests = some(client.twin);
      const burst = Buffer.concat(
        Array.from({ length: UNREAD_AT_ONCE / requests.length }, () => requests).flat(),
      );
      await client.begin();
      await client.keepOpen(client.twin, UNREAD_CONNECTIONS, async (socket) => {
        socket.stopReading();
        while (socket.isOpen && !client.isOver) {
          await socket.write(burst);
          client.achieved.requests += UNREAD_AT_ONCE;
          await systemTime.sleep(UNREAD_PAUSE_MS);
        }
      });
    },
  };
}

const FEATURES = '/api/v1/features';

export const unreadSmall = unread('requests of small answers', (url) => [
  formatRequest(url, 'GET', FEATURES),
]);

export const unreadBodyless = unread('HEAD, and GET of what is unchanged', (url) => [
  formatRequest(url, 'HEAD', FEATURES),
  formatRequest(url, 'GET', FEATURES, { 'If-None-Match': '*' }),
]);

/** Requests for what does not exist, each for something else. */
function strayRequest(url: URL, index: number): Buffer {
  const name = Buffer.from(systemRandom.bytes(9)).toString('hex');
  const headers = { 'X-VIN': name.slice(0, 17).toUpperCase() };
  const paths = [`/${name}/${name}`, `/api/v1/worlds/${name}`, '/api/v1/vehicle/telemetry'];
  return formatRequest(url, 'GET', paths[index % paths.length] ?? '', headers);
}

export const strays: Attack = {
  summary: `unknown paths, worlds and VINs, ${STRAYS} at a time`,
  async run(client) {
    await client.begin();
    await client.keepOpen(client.twin, STRAYS, async (socket, index) => {
      for (let i = index; socket.isOpen && !client.isOver; i += 1) {
        await socket.ask(strayRequest(client.twin, i));
      }
    });
  },
};
