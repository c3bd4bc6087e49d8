import { formatRequest } from '../../bench/common/http-pool.ts';
import { systemTime } from '../../src/time.ts';
import type { Attack, HostileClient, HostileSocket } from './hostile-client.ts';
import { longJournal, WORLD_BODY_BYTES } from './world-bodies.ts';

const CHUNK_CONNECTIONS = 8;
const CHUNKS = 900_000;
const CHUNKS_PER_WRITE = 10_000;
const BODY_CONNECTIONS = 8;
/** What a body may have on the dealer platform. */
const DEALER_BODY_BYTES = 64 * 1024;
const SLOW_CONNECTIONS = 1000;
const SLOW_BYTE_MS = 1000;

/** The head of a request whose body is sent by hand. */
function headOf(url: URL, path: string, framing: Record<string, string>): Buffer {
  const lines = Object.entries(framing).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\n${lines.join('')}\r\n`);
}

async function sendChunks(client: HostileClient, socket: HostileSocket): Promise<void> {
  const some = Buffer.from('1\r\nx\r\n'.repeat(CHUNKS_PER_WRITE));
  client.achieved.requests += 1;
  await socket.write(headOf(client.twin, '/api/v1/worlds', { 'Transfer-Encoding': 'chunked' }));
  for (let sent = 0; sent < CHUNKS && socket.isOpen; sent += CHUNKS_PER_WRITE) {
    await socket.write(some);
  }
  await socket.finish(Buffer.from('0\r\n\r\n'));
}

export const chunks: Attack = {
  summary: `bodies of ${CHUNKS} chunks of one byte, ${CHUNK_CONNECTIONS} at a time`,
  async run(client) {
    await client.begin();
    await client.keepOpen(client.twin, CHUNK_CONNECTIONS, async (socket) => {
      while (socket.isOpen && !client.isOver) await sendChunks(client, socket);
    });
  },
};

/** Bodies that cost the most before they are refused. */
function hostileBodies({ twin, dealer }: Pick<HostileClient, 'twin' | 'dealer'>) {
  const form = (type: string, body: string) =>
    formatRequest(dealer, 'POST', '/api/token', { 'Content-Type': type }, body);
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  const parts = part.repeat(Math.floor((DEALER_BODY_BYTES - 5) / part.length));
  const brackets = '['.repeat(DEALER_BODY_BYTES);
  const fields = 'a&'.repeat(DEALER_BODY_BYTES / 2);
  const journal = longJournal('wings');
  return {
    twin: [formatRequest(twin, 'POST', '/api/v1/worlds', {}, journal)],
    dealer: [
      formatRequest(dealer, 'POST', '/api/auth/login', {}, brackets),
      form('multipart/form-data; boundary=b', `${parts}--b--`),
      form('application/x-www-form-urlencoded', fields),
    ],
  };
}

export const bodies: Attack = {
  summary: 'invalid journals of 1 MiB, and brackets and forms of 64 KiB for the dealer platform',
  async run(client) {
    const hostile = hostileBodies(client);
    const send = (requests: readonly Buffer[]) => async (socket: HostileSocket) => {
      for (let i = 0; socket.isOpen && !client.isOver; i += 1) {
        await socket.ask(requests[i % requests.length] as Buffer);
      }
    };
    await client.begin();
    await Promise.all([
      client.keepOpen(client.twin, BODY_CONNECTIONS, send(hostile.twin)),
      client.keepOpen(client.dealer, BODY_CONNECTIONS, send(hostile.dealer)),
    ]);
  },
};

export const slowBodies: Attack = {
  summary: `${SLOW_CONNECTIONS} bodies at a byte a second`,
  async run(client) {
    const head = headOf(client.twin, '/api/v1/worlds', {
      'Content-Length': String(WORLD_BODY_BYTES),
    });
    await client.begin();
    await client.keepOpen(client.twin, SLOW_CONNECTIONS, async (socket) => {
      client.achieved.requests += 1;
      await socket.write(head);
      while (socket.isOpen && !client.isOver) {
        await socket.write(Buffer.from(' '));
        await systemTime.sleep(SLOW_BYTE_MS);
      }
    });
  },
};
