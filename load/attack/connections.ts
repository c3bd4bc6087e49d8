import { systemTime } from '../../src/time.ts';
import type { Attack, HostileClient } from './hostile-client.ts';

/** Of one process: descriptors are limited. Two of them open more than a node has. */
const CONNECTIONS_MAX = 10_400;
/** Under way at once. */
const OPENING_MAX = 200;

const SLOW_HEADS = 2000;
const SLOW_BYTE_MS = 1000;

/** Opens a connection, and another one in its place when it ends: nodes end silent ones in time. */
async function openForGood(client: HostileClient): Promise<void> {
  const socket = await client.open(client.twin);
  socket?.closed.then(() => (client.isOver ? undefined : openForGood(client)));
}

export const connections: Attack = {
  summary: `${CONNECTIONS_MAX} connections that say nothing, from each of two processes`,
  async run(client) {
    await client.begin();
    for (let count = 0; count < CONNECTIONS_MAX && !client.isOver; count += OPENING_MAX) {
      await Promise.all(Array.from({ length: OPENING_MAX }, () => openForGood(client)));
    }
    await client.over;
  },
};

export const slowHeads: Attack = {
  summary: `${SLOW_HEADS} requests whose headers come at a byte a second and never end`,
  async run(client) {
    const line = Buffer.from('GET / HTTP/1.1\r\n');
    await client.begin();
    await client.keepOpen(client.twin, SLOW_HEADS, async (socket) => {
      await socket.write(line);
      while (socket.isOpen && !client.isOver) {
        await socket.write(Buffer.from('a'));
        await systemTime.sleep(SLOW_BYTE_MS);
      }
    });
  },
};
