import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../src/testing/rigs/until.ts';
import { digestOf } from './lived-world.ts';
import { TickReader } from './tick-reader.ts';

test('every state that is answered is kept to be compared', async () => {
  const states: string[] = [];
  let tick = 0;
  const server = createServer((request, response) => {
    const text = `{"tick":${++tick}}`;
    if (request.url?.endsWith('/state')) states.push(text);
    response.end(text);
  });
  server.on('upgrade', (_, socket) => socket.destroy());
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const node = { url, dealerUrl: undefined, opsUrl: undefined, pid: undefined };

  const reader = new TickReader([{ id: 'one', vins: ['V'], createdAtMs: 0 }]);
  reader.start(() => [{ ...node, stop: async () => {} }]);
  await until('states', () => states.length >= 3);
  await reader.stop();
  expect(reader.takeShown('one').map(({ digest }) => digest)).toEqual(
    states.map((text) => digestOf(Buffer.from(text))),
  );
  expect(reader.takeShown('one')).toEqual([]);
});
