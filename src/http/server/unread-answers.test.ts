import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../../testing/doubles/test-front.ts';
import { TestServer } from '../../testing/doubles/test-server.ts';
import { until } from '../../testing/rigs/until.ts';

/** Fewer than an address may send in one turn of the event loop. */
const AT_ONCE = 200;

let site: TestServer;
let socket: Socket;

beforeEach(() => {
  site = new TestServer();
  socket = connect(site.port, '127.0.0.1');
  socket.on('error', () => {});
});

afterEach(() => {
  socket.destroy();
  site.server.end();
});

const requests = (request: string) => `${request} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(AT_ONCE);

describe('[H19] a client that sends requests and reads no answers is disconnected', () => {
  test.each([
    ['a page', 'GET /page'],
    ['a small answer', 'GET /'],
    ['HEAD', 'HEAD /things/1'],
    ['304', 'GET /nothing'],
  ])('%s', async (_, request) => {
    socket.pause();
    let sentCount = 0;
    while (!socket.closed) {
      socket.write(requests(request));
      sentCount += AT_ONCE;
      // It is answered after what has arrived before.
      await ask(`${site.url}/late`);
    }
    // What the operating system buffers on both sides of a connection, and some more.
    expect(sentCount).toBeLessThan(60_000);
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
