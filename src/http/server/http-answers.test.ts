import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TwinError } from '../../errors.ts';
import { ask } from '../../testing/doubles/test-front.ts';
import { HUGE, LARGE, TestServer } from '../../testing/doubles/test-server.ts';
import { until } from '../../testing/rigs/until.ts';
import { HttpServer } from './http-server.ts';
import { ok } from './reply.ts';

let site: TestServer;

beforeEach(() => {
  site = new TestServer();
});

afterEach(() => site.server.end());

/** A response of which the client has not read the body yet. */
async function paused(address: string): Promise<IncomingMessage> {
  const [response] = await once(request(address).end(), 'response');
  return response.pause();
}

describe('answers', () => {
  test('have the common headers', async () => {
    const { headers } = await ask(`${site.url}/`);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe(
      'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('vary')).toBe('Accept');
  });

  test('may be asynchronous', async () => {
    expect(await ask(`${site.url}/late`)).toMatchObject({ status: 200, body: 'late' });
  });

  test('that are large are sent completely, even to a slow reader', async () => {
    const response = await paused(`${site.url}/large`);
    await until('a full buffer', () => response.readableLength >= response.readableHighWaterMark);
    expect((await buffer(response)).equals(LARGE)).toBe(true);
  });

  test('[L8] of refusals have Retry-After', async () => {
    const { status, body, headers } = await ask(`${site.url}/refused`);
    expect(status).toBe(429);
    expect(body).toEqual({ error: 'rate_limited', hint: expect.any(String) });
    expect(headers.get('retry-after')).toBe('7');
  });

  test('[H13] to internal errors give details in the log only', async () => {
    const { status, body, headers } = await ask(`${site.url}/bug`);
    expect(status).toBe(500);
    expect(body).toEqual({ error: 'internal_error', hint: expect.any(String) });
    expect(site.logLines).toHaveLength(1);
    expect(site.logLines[0]).toContain('secret 123');
    expect(site.logLines[0]).toContain(headers.get('x-request-id'));
  });

  test('[H12] that take more than 5 s are 503, and a later result is dropped', async () => {
    const answer = ask(`${site.url}/never`);
    const held = await until('a request that waits', () => site.pending);
    await site.time.advance(5_000);
    const { status, body, headers } = await answer;
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: 'overloaded' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    held.resolve(ok('too late', 'json'));
    expect(await ask(`${site.url}/`)).toMatchObject({ status: 200 });
  });

  test('to clients that have disconnected are dropped, results and errors', async () => {
    for (const settle of ['resolve', 'reject'] as const) {
      site.pending = undefined;
      const controller = new AbortController();
      const gone = fetch(`${site.url}/never`, { signal: controller.signal }).catch(() => 'gone');
      const held = await until('a request that waits', () => site.pending);
      controller.abort();
      expect(await gone).toBe('gone');
      await until('the end of every request', () => site.server.openCount === 0);
      const { resolve, reject } = held;
      if (settle === 'resolve') resolve(ok('nobody', 'json'));
      else reject(new TwinError('overloaded'));
    }
    expect(await ask(`${site.url}/`)).toMatchObject({ status: 200 });
  });

  test('are counted by route and status', async () => {
    await ask(`${site.url}/things/1`);
    await ask(`${site.url}/things/2`);
    await ask(`${site.url}/nowhere`);
    const text = await site.metrics.text();
    const things =
      'twin_http_requests_total{service="test",route="GET /things/{id}",status="200"} 2';
    expect(text).toContain(things);
    expect(text).toContain('twin_http_requests_total{service="test",route="none",status="404"} 1');
  });
});

describe('[O20] the duration of an answer', () => {
  /** How many answers of a route took at most so long. */
  const countOf = async (route: string, boundS: string) => {
    const labels = `service="test",route="${route}",status_class="2xx",le="${boundS}"`;
    const line = `twin_http_request_duration_seconds_bucket{${labels}} `;
    const text = await site.metrics.text();
    return Number(
      text
        .split('\n')
        .find((each) => each.startsWith(line))
        ?.slice(line.length),
    );
  };

  test('is nearly nothing if it is given at once', async () => {
    for (let i = 0; i < 20; i++) await ask(`${site.url}/things/1`);
    expect(await countOf('GET /things/{id}', '0.001')).toBe(20);
  });

  test('is the time for which it had to wait', async () => {
    const answer = ask(`${site.url}/never`);
    const held = await until('a request that waits', () => site.pending);
    await site.time.advance(150);
    held.resolve(ok('done', 'json'));
    await answer;
    expect(await countOf('GET /never', '0.1')).toBe(0);
    expect(await countOf('GET /never', '0.2')).toBe(1);
  });

  test('has nothing of the time in which the body came', async () => {
    const body = 'some more';
    const length = `Content-Length: ${body.length}`;
    const socket = connect(site.port, '127.0.0.1');
    socket.write(`POST /things HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\nsome`);
    await until('a request without its body', () => site.server.openCount === 1);
    await site.time.advance(10_000);
    socket.write(' more');
    await once(socket, 'data');
    socket.destroy();
    expect(site.calls).toEqual([body]);
    expect(await countOf('POST /things', '0.001')).toBe(1);
  });
});

describe('a server', () => {
  test('names a port that is in use', () => {
    const options = site.options({ name: 'second', port: site.port });
    expect(() => new HttpServer(options)).toThrow(
      `second: cannot listen on 127.0.0.1:${site.port}; is the port in use?`,
    );
  });

  test('names a certificate that it cannot use', () => {
    const tls = { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
    expect(() => new HttpServer(site.options({ name: 'secure', tls }))).toThrow(
      'secure: cannot use certificate /nowhere/cert.pem with key /nowhere/key.pem',
    );
  });

  test('[H14] that stops completes pending requests and accepts no new connections', async () => {
    const answer = ask(`${site.url}/never`);
    const held = await until('a request that waits', () => site.pending);
    const drained = site.server.drain(5_000);
    await expect(ask(`${site.url}/`)).rejects.toThrow('fetch failed');
    held.resolve(ok('done', 'json'));
    const { body, headers } = await answer;
    expect(body).toBe('done');
    expect(headers.get('connection')).toBe('close');
    await site.time.advanceUntil(drained);
  });

  test('that stops says with a large answer too that the connection ends', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = async (path: string) => {
      const [response] = await once(request(`${site.url}${path}`, { agent }).end(), 'response');
      await buffer(response);
      return response.headers.connection;
    };
    expect([await get('/large'), await get('/page')]).toEqual([undefined, undefined]);
    const drained = site.server.drain(5_000);
    expect(await get('/large')).toBe('close');
    agent.destroy();
    await site.time.advanceUntil(drained);
  });

  test('that stops waits for a client that is still reading an answer', async () => {
    const response = await paused(`${site.url}/huge`);
    const ended = site.server.drain(5_000).then(() => site.server.end());
    await site.time.advance(4_000);
    // The test time does not advance while the client reads, however slow the machine is.
    const received = await buffer(response);
    await site.time.advanceUntil(ended);
    expect(received.equals(HUGE)).toBe(true);
  });

  test('that stops ends an unread answer after its grace period', async () => {
    const response = await paused(`${site.url}/huge`);
    await site.time.advanceUntil(site.server.drain(4_000));
    site.server.end();
    await expect(buffer(response)).rejects.toThrow('aborted');
  });

  test('that stops ends a pending request after its grace period', async () => {
    const answer = expect(ask(`${site.url}/never`)).rejects.toThrow('fetch failed');
    await until('a request that waits', () => site.pending);
    const drained = site.server.drain(4_000);
    await site.time.advanceUntil(drained);
    site.server.end();
    await answer;
  });
});
