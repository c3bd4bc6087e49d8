import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startEmptyServer } from '../bench/common/server.ts';
import { gather, gatherPatiently } from './crowd.ts';

test('a refused stream is reported with its answer, and the others open', async () => {
  const server = await startEmptyServer();
  try {
    const paths = ['/ws/900', '/not-modified', '/ws/900'];
    await expect(gather(server.url, paths)).rejects.toThrow('the upgrade was refused');
    const once = { attempts: 1 };
    const { crowd, refused } = await gatherPatiently(server.url, paths, once);
    expect(refused).toEqual({ 'HTTP/1.1 304 Not Modified': 1 });
    expect(crowd.sockets).toHaveLength(2);
    crowd.tally.record();
    await expect.poll(() => crowd.tally.summary().frames).toBeGreaterThan(2);
    crowd.close();
  } finally {
    await server.stop();
  }
});

test('refused streams retry until they open or give up', async () => {
  const asked = new Map<string, number>();
  const server = createServer();
  server.on('upgrade', ({ url = '' }, socket) => {
    const times = (asked.get(url) ?? 0) + 1;
    asked.set(url, times);
    const isLetIn = url === '/open' || (url === '/later' && times === 2);
    socket.end(
      `HTTP/1.1 ${isLetIn ? '101 Switching Protocols' : '503 Service Unavailable'}\r\n\r\n`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const url = new URL(`http://127.0.0.1:${port}`);
    const paths = ['/open', '/never', '/later'];
    const patience = { attempts: 3, pauseMs: 10 };
    const { crowd, lateCount, refused } = await gatherPatiently(url, paths, patience);
    expect(crowd.sockets).toHaveLength(2);
    expect(lateCount).toBe(1);
    expect(refused).toEqual({ 'HTTP/1.1 503 Service Unavailable': 1 });
    expect(Object.fromEntries(asked)).toEqual({ '/open': 1, '/never': 3, '/later': 2 });
    crowd.close();
  } finally {
    server.close();
  }
});
