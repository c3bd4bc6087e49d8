import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatRequest, HttpPool } from './http-pool.ts';

let server: Server;
let url: URL;
let connectionCount: number;
let answer: (request: string, socket: Socket) => void;

beforeEach(async () => {
  connectionCount = 0;
  server = createServer((socket) => {
    connectionCount += 1;
    socket.on('error', () => {});
    socket.on('data', (chunk) => answer(chunk.toString(), socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterEach(() => {
  server.close();
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

test('a request names host, length and type of its body', () => {
  const request = formatRequest(url, 'PATCH', '/a', { 'X-VIN': 'V' }, '{"ä":1}').toString();
  expect(request).toBe(
    `PATCH /a HTTP/1.1\r\nHost: ${url.host}\r\nX-VIN: V\r\n` +
      'Content-Type: application/json\r\nContent-Length: 8\r\n\r\n{"ä":1}',
  );
  expect(formatRequest(url, 'POST', '/b').toString()).toContain('Content-Length: 0\r\n\r\n');
});

test('requests beyond the connections wait for their turn', async () => {
  const open: Socket[] = [];
  answer = (_, socket) => open.push(socket);
  const pool = await HttpPool.open(url, 2);
  const asked = [1, 2, 3].map(() => pool.ask(formatRequest(url, 'GET', '/')));
  await expect.poll(() => open.length).toBe(2);
  answer = (_, socket) => socket.write(OK);
  for (const socket of open) socket.write(OK);
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(connectionCount).toBe(2);
  pool.close();
});

test('waiting requests are sent in their order', async () => {
  const paths: string[] = [];
  answer = (request, socket) => {
    paths.push(request.split(' ', 2)[1] ?? '');
    socket.write(OK);
  };
  const pool = await HttpPool.open(url, 1);
  const askAll = (all: string[]) =>
    Promise.all(all.map((path) => pool.ask(formatRequest(url, 'GET', path))));
  await askAll(['/1', '/2', '/3']);
  await askAll(['/4', '/5']);
  expect(paths).toEqual(['/1', '/2', '/3', '/4', '/5']);
  pool.close();
});

test('a connection that ends without an answer is reported and replaced', async () => {
  answer = (_, socket) => socket.destroy();
  const pool = await HttpPool.open(url, 1);
  const request = formatRequest(url, 'GET', '/');
  await expect(pool.ask(request)).rejects.toThrow('without an answer');
  answer = (_, socket) => socket.write(OK);
  expect((await pool.ask(request)).body.toString()).toBe('ok');
  expect(connectionCount).toBe(2);
  pool.close();
});

test('an answer that cannot be read ends its connection', async () => {
  answer = (_, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n');
  const pool = await HttpPool.open(url, 1);
  await expect(pool.ask(formatRequest(url, 'GET', '/'))).rejects.toThrow('without an answer');
  pool.close();
});

test('connections come from the address that is given', async () => {
  const addresses: (string | undefined)[] = [];
  answer = (_, socket) => {
    addresses.push(socket.remoteAddress);
    socket.write(OK);
  };
  const pool = await HttpPool.open(url, 1, '127.0.0.9');
  await pool.ask(formatRequest(url, 'GET', '/'));
  expect(addresses).toEqual(['127.0.0.9']);
  pool.close();
});
