import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { sendRaw } from '../../testing/doubles/test-front.ts';
import { TestServer } from '../../testing/doubles/test-server.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { until } from '../../testing/rigs/until.ts';
import { TokenBuckets } from '../../token-buckets.ts';
import { ConnectionCount } from './connection-count.ts';
import { HttpServer } from './http-server.ts';

function countOf(total: number, burst: number) {
  const time = TestTime.standing();
  const count = new ConnectionCount(total, new TokenBuckets({ burst, perS: 1 }, time));
  const open = (address: string | undefined, times: number) =>
    Array.from({ length: times }, () => count.opened(address)).filter(Boolean).length;
  return { time, count, open };
}

test('more connections than the total are refused, whoever opens them', () => {
  const { count, open } = countOf(10, 100);
  expect(open('192.0.2.1', 11)).toBe(10);
  expect(open(undefined, 1)).toBe(0);
  expect(count).toMatchObject({ total: 12, refused: 2 });
  for (let i = 0; i < 3; i += 1) count.closed();
  expect(open('192.0.2.2', 1)).toBe(1);
});

test('where a quarter of all are open, an address that opens too many is refused for a time, others are not', async () => {
  const { time, open } = countOf(100, 10);
  expect(open('192.0.2.1', 60)).toBe(25);
  expect(open('192.0.2.2', 10)).toBe(10);
  expect(open(undefined, 10)).toBe(10);
  await time.advance(2000);
  expect(open('192.0.2.1', 10)).toBe(2);
});

test('connections are crowded beyond three quarters of the total', () => {
  const { count, open } = countOf(100, 100);
  open('192.0.2.1', 75);
  expect(count.isCrowded).toBe(false);
  open('192.0.2.2', 1);
  expect(count.isCrowded).toBe(true);
  count.closed();
  expect(count.isCrowded).toBe(false);
});

/** A server with one connection left, and the connections that it has. */
function openServer(total: number) {
  const site = new TestServer();
  const opening = new TokenBuckets({ burst: 100, perS: 1 }, site.time);
  const connections = new ConnectionCount(total, opening);
  const server = new HttpServer(site.options({ name: 'second', connections }));
  const end = () => {
    server.end();
    site.server.end();
  };
  return { site, server, connections, end };
}

test('[H26] connections that are too many are closed at once, without a line in the log', async () => {
  const { site, server, connections, end } = openServer(3);
  const sockets = Array.from({ length: 5 }, () => connect(server.port, '127.0.0.1'));
  let closedCount = 0;
  const countClosed = () => {
    closedCount += 1;
  };
  for (const socket of sockets)
    socket
      .resume()
      .on('error', () => {})
      .on('close', countClosed);
  await until('two refusals', () => connections.refused === 2 && closedCount === 2);
  expect(connections.total).toBe(3);
  expect(site.logLines).toEqual([]);
  for (const socket of sockets) socket.destroy();
  await until('the end of all', () => connections.total === 0);
  end();
});

test('where connections are crowded they end with their answer', async () => {
  const { server, end } = openServer(1);
  const answer = await sendRaw(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer.toLowerCase()).toContain('connection: close');
  end();
});
