import { clientFrame, OPCODE_PING } from '../../bench/common/frame-parser.ts';
import { formatRequest } from '../../bench/common/http-pool.ts';
import { madeWorld } from '../../bench/common/made-worlds.ts';
import { upgradeRequest } from '../../bench/common/watch-socket.ts';
import type { Attack, HostileClient, HostileSocket } from './hostile-client.ts';

const STREAMS = 4;
/** What a node allows one address. */
const SILENT_STREAMS = 2000;
const WRITE_BYTES = 64 * 1024;
/**
 * 1 Gbit/s over all streams. On loopback a client sends several times as much; what that does, and
 * what helps, is in docs/operating.md.
 */
const CONTINUATION_BYTES_PER_S = 125_000_000 / STREAMS;
const MASK = [1, 2, 3, 4] as const;
/** RFC 6455, 5.2: no FIN, text, masked, one byte; then no FIN, a continuation, masked, no byte. */
const TEXT_WITHOUT_END = Buffer.from([0x01, 0x81, ...MASK, 0x61]);
const EMPTY_CONTINUATION = Buffer.from([0x00, 0x80, ...MASK]);

/** Opens streams of a new world, and again whenever one ends; `use` has each until it returns. */
async function keepStreaming(
  client: HostileClient,
  count: number,
  use: (socket: HostileSocket) => Promise<void>,
): Promise<void> {
  const pool = await client.pool(client.twin, 1);
  const { id } = madeWorld(await pool.ask(formatRequest(client.twin, 'POST', '/api/v1/worlds')));
  pool.close();
  await client.begin();
  await client.keepOpen(client.twin, count, async (socket) => {
    const status = await socket.ask(upgradeRequest(client.twin, `/ws/worlds/${id}`));
    if (status === 101) await use(socket);
  });
}

/** One small message over and over, in writes as large as a socket takes. */
const many = (message: Buffer) =>
  Buffer.concat(Array(Math.floor(WRITE_BYTES / message.length)).fill(message));

export const continuation: Attack = {
  summary: 'a message on a stream that never ends, in empty pieces, at 1 Gbit/s',
  run: (client) =>
    keepStreaming(client, STREAMS, async (socket) => {
      await socket.write(TEXT_WITHOUT_END);
      await socket.flood(many(EMPTY_CONTINUATION), CONTINUATION_BYTES_PER_S);
    }),
};

export const pings: Attack = {
  summary: 'pings on a stream as fast as it takes them',
  run: (client) =>
    keepStreaming(client, STREAMS, (socket) =>
      socket.flood(many(clientFrame(OPCODE_PING, Buffer.alloc(0)))),
    ),
};

export const silentStreams: Attack = {
  summary: `${SILENT_STREAMS} streams that are never read`,
  run: (client) =>
    keepStreaming(client, SILENT_STREAMS, async (socket) => {
      socket.stopReading();
      await socket.closed;
    }),
};
