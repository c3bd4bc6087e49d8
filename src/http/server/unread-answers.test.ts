import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestServer } from '../../testing/doubles/test-server.ts';
import { nextTurn } from '../../testing/doubles/test-time.ts';
import { until } from '../../testing/rigs/until.ts';

/** So few that a turn of the event loop never has more than an address may send. */
const AT_ONCE = 50;

let site: TestServer;
let socket: Socket;

beforeEach(async () => {
  site = new TestServer();
  socket = connect({ port: site.port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
});

afterEach(() => {
  socket.destroy();
  site.server.end();
});

const requests = (request: string) => `${request} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(AT_ONCE);

describe('[H19] a client that sends requests and reads no answers is disconnected', () => {
  test.each([
    // The operating system buffers some megabytes on both sides of a connection.
    ['a page', 'GET /page', 2000],
    ['a small answer', 'GET /', 60_000],
    ['HEAD', 'HEAD /things/1', 60_000],
    ['304', 'GET /nothing', 60_000],
  ])('%s', async (_, request, sentMax) => {
    socket.pause();
    let sentCount = 0;
    while (!socket.closed && sentCount < sentMax) {
      socket.write(requests(request));
      sentCount += AT_ONCE;
      // Both sides live in these turns. A client that does not read learns of its end when it writes.
      for (let turn = 0; turn < 500 && site.calls.length < sentCount; turn += 1) await nextTurn();
    }
    expect(socket.closed).toBe(true);
  });
});

test('a client that reads the answers to pipelined requests is never disconnected', async () => {
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  for (let round = 1; round <= 20; round += 1) {
    socket.write(requests('GET /'));
    await until('all answers', () => received.split('HTTP/1.1 200').length > round * AT_ONCE);
  }
  expect(socket.closed).toBe(false);
});
