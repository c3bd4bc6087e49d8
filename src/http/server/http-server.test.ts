import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TwinError } from '../../errors.ts';
import { Metrics } from '../../metrics.ts';
import { systemRandom } from '../../random.ts';
import { ask, sendRaw, until } from '../../testing/doubles/test-front.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { HttpServer } from './http-server.ts';
import { bodyless, errorReply, ok, type Reply, reply } from './reply.ts';
import { type Call, type Route, Router } from './router.ts';

/** Filled with what handlers saw, so that a test can tell that none ran. */
let calls: string[];
let time: TestTime;
let metrics: Metrics;
let logLines: string[];
let server: HttpServer;
let url: string;
let waiting: { resolve: (reply: Reply) => void; reject: (error: unknown) => void } | undefined;

function route(method: Route['method'], path: string, handle: Route['handle']): Route {
  const common = { summary: '', tag: '', auth: 'none', answers: {}, errors: [] } as const;
  const body = method === 'GET' ? {} : { body: { maxBytes: 1000 } };
  return { ...common, ...body, method, path, operationId: path, handle };
}

function echo(call: Call): Reply {
  calls.push(Buffer.from(call.body).toString());
  const { params, query } = call;
  return ok({ params, query, body: Buffer.from(call.body).toString() }, call.encoding);
}

const LARGE = Buffer.alloc(3_000_000, 'abc');
/** More than the system keeps of what a client does not read. */
const HUGE = Buffer.alloc(24_000_000, 'abcd');

function openServer(corsOrigins: '*' | readonly string[] = '*'): HttpServer {
  const router = new Router([
    route('GET', '/', (call) => echo(call)),
    route('GET', '/things/{id}', (call) => echo(call)),
    route('POST', '/things', (call) => echo(call)),
    route('PUT', '/things/{id}', (call) => echo(call)),
    { ...route('POST', '/long', (call) => echo(call)), body: { maxBytes: 2_000_000 } },
    route('GET', '/large', () => reply(200, LARGE, 'json')),
    route('GET', '/huge', () => reply(200, HUGE, 'json')),
    route('GET', '/nothing', () => bodyless(304, [['ETag', '"a"']])),
    route('GET', '/refused', () => {
      throw new TwinError('rate_limited', undefined, 7);
    }),
    route('GET', '/bug', () => {
      throw new Error('secret 123');
    }),
    route('GET', '/late', async () => {
      await Promise.resolve();
      return ok('late', 'json');
    }),
    route('GET', '/never', () => new Promise((resolve, reject) => (waiting = { resolve, reject }))),
  ]);
  const log = pino({ level: 'info' }, { write: (line: string) => logLines.push(line) });
  return new HttpServer({
    name: 'test',
    host: '127.0.0.1',
    port: 0,
    router,
    render: errorReply,
    corsOrigins,
    time,
    random: systemRandom,
    metrics,
    log,
  });
}

/** A response of which the client has not read the body yet. */
async function paused(address: string): Promise<IncomingMessage> {
  const [response] = await once(request(address).end(), 'response');
  return response.pause();
}

beforeEach(() => {
  calls = [];
  logLines = [];
  waiting = undefined;
  time = TestTime.standing();
  metrics = new Metrics();
  server = openServer();
  url = `http://127.0.0.1:${server.port}`;
});

afterEach(() => server.end());

describe('a request that could be understood in two ways', () => {
  const chunked = 'Transfer-Encoding: chunked';
  const body = '5\r\nhello\r\n0\r\n\r\n';
  describe.each([
    ['two hosts', 'Host: a\r\nHost: b\r\nContent-Length: 0', ''],
    ['two hosts alike', 'Host: a\r\nHost: a\r\nContent-Length: 0', ''],
    ['two lengths', 'Host: a\r\nContent-Length: 5\r\nContent-Length: 6', 'hello!'],
    ['two lengths alike', 'Host: a\r\nContent-Length: 5\r\nContent-Length: 5', 'hello'],
    ['a length with a sign', 'Host: a\r\nContent-Length: +5', 'hello'],
    ['a length below zero', 'Host: a\r\nContent-Length: -1', 'hello'],
    ['a length in hexadecimal', 'Host: a\r\nContent-Length: 0x5', 'hello'],
    ['a length of two numbers', 'Host: a\r\nContent-Length: 5, 5', 'hello'],
    ['a length beyond all numbers', `Host: a\r\nContent-Length: ${'9'.repeat(30)}`, 'hello'],
    ['a coding that is not known', 'Host: a\r\nTransfer-Encoding: gzip', 'hello'],
    ['a coding that looks like chunked', 'Host: a\r\nTransfer-Encoding: xchunked', body],
    ['two codings in one', 'Host: a\r\nTransfer-Encoding: gzip, chunked', body],
    ['two codings', `Host: a\r\n${chunked}\r\n${chunked}`, body],
    ['a coding and a length', `Host: a\r\n${chunked}\r\nContent-Length: 5`, body],
    ['a length and a coding', `Host: a\r\nContent-Length: 5\r\n${chunked}`, body],
    ['chunks of no number', `Host: a\r\n${chunked}`, 'zz\r\nhello\r\n0\r\n\r\n'],
  ])('%s', (_, headers, rest) => {
    const bad = `POST /things HTTP/1.1\r\n${headers}\r\n\r\n${rest}`;

    test('is answered 400, has no effect and ends the connection', async () => {
      const answer = await sendRaw(server.port, bad);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.toLowerCase()).toContain('connection: close');
      expect(calls).toEqual([]);
    });

    test('takes what follows in the same packet down with it', async () => {
      const next = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nsmuggled';
      const answer = await sendRaw(server.port, bad + next);
      expect(answer).toMatch(/^(HTTP\/1\.1 (400|505) |$)/);
      expect(answer.split('HTTP/1.1').length).toBeLessThanOrEqual(2);
      expect(calls).toEqual([]);
    });
  });

  test('our own refusal says so in JSON', async () => {
    const answer = await sendRaw(server.port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
    expect(answer).toContain('Content-Type: application/json');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'bad_request' });
  });
});

test.each([
  ['no HTTP at all', '\0\x01\x02\r\n\r\n'],
  ['another version', 'GET / HTTP/1.0\r\n\r\n'],
  ['a blank in the path', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(10_000)}\r\n\r\n`],
])('%s is refused by the parser and ends the connection', async (_, bytes) => {
  expect(await sendRaw(server.port, bytes)).toMatch(/^HTTP\/1\.1 (4|5)\d\d /);
  expect(calls).toEqual([]);
});

test('requests in one packet are answered in their order', async () => {
  const get = (query: string, more = '') => `GET /?${query} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const last = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  const answer = await sendRaw(server.port, get('first') + get('second') + last);
  expect(answer.match(/"query":"\w+"/g)).toEqual(['"query":"first"', '"query":"second"']);
});

test('path parameters are decoded, the query is handed on as it came', async () => {
  const { body } = await ask(`${url}/things/a%20b?x=%20&y`);
  expect(body).toEqual({ params: ['a b'], query: 'x=%20&y', body: '' });
});

test.each(['/unknown', '/things/', '//', '/things//', '/things/%ff', '/THINGS/1'])(
  '%s is 404',
  async (path) => {
    const { status, body } = await ask(url + path);
    expect(status).toBe(404);
    expect(body).toEqual({ error: 'not_found', hint: expect.any(String) });
  },
);

test.each(['POST', 'DELETE', 'PATCH', 'BREW', 'get'])(
  '%s where only GET and PUT are is 405 with Allow, without effect',
  async (method) => {
    const raw = `${method} /things/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(server.port, `${raw}GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toContain('\r\nAllow: GET, PUT, OPTIONS\r\n');
    expect(answer).toContain('"error":"method_not_allowed"');
    expect(calls).toEqual([]);
  },
);

test('HEAD is 405 too, and has no body', async () => {
  const bad = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  const answer = await sendRaw(server.port, `HEAD /things/1 HTTP/1.1\r\nHost: a\r\n\r\n${bad}`);
  expect(answer).toMatch(/^HTTP\/1\.1 405 [^{]*\r\n\r\nHTTP\/1\.1 400 /);
});

test('an answer without a body has no length either', async () => {
  const bad = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  const answer = await sendRaw(server.port, `GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${bad}`);
  const first = answer.slice(0, answer.indexOf('\r\n\r\n'));
  expect(first).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
  expect(first).not.toMatch(/content-length/i);
  expect(answer.slice(first.length)).toMatch(/^\r\n\r\nHTTP\/1\.1 400 /);
});

describe('bodies', () => {
  const post = (body: string | Buffer, headers = {}) =>
    ask(`${url}/things`, { method: 'POST', body, headers });

  test('come whole, however they were cut', async () => {
    const headers = 'Host: a\r\nConnection: close\r\nTransfer-Encoding: chunked';
    const head = `POST /things HTTP/1.1\r\n${headers}\r\n\r\n`;
    await sendRaw(server.port, head, '3\r\nabc\r\n', '2\r\nde\r\n', '0\r\n\r\n');
    expect(calls).toEqual(['abcde']);
  });

  test('whose end the parser refuses have no effect', async () => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = await sendRaw(server.port, `${head}5\r\nhello\r\n0\r\nX-A: b\r\n\r\n`);
    expect(answer).not.toMatch(/^HTTP\/1\.1 200 /);
    expect(calls).toEqual([]);
  });

  test('that never end take a bounded share, and no short one is kept out by them', async () => {
    const head = 'POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n';
    const unfinished = Array.from({ length: 12 }, () => {
      const socket = connect(server.port, '127.0.0.1');
      const parts: Buffer[] = [];
      socket.on('data', (part) => parts.push(part)).on('error', () => {});
      socket.write(head + 'x'.repeat(1_900_000));
      return { socket, answer: () => Buffer.concat(parts).toString() };
    });
    const refused = () => unfinished.filter(({ answer }) => answer().startsWith('HTTP/1.1 503'));
    await until(() => refused().length > 0);
    expect((await post('short')).status).toBe(200);
    expect(calls).toEqual(['short']);
    for (const { socket } of unfinished) socket.destroy();
    await until(() => server.openCount === 0);
    const whole = await ask(`${url}/long`, { method: 'POST', body: 'y'.repeat(1_900_000) });
    expect(whole.status).toBe(200);
  });

  test('may be as long as the route says', async () => {
    const body = 'x'.repeat(1000);
    expect((await post(body)).body).toMatchObject({ body });
  });

  test('one byte longer is 413, without effect, and ends the connection', async () => {
    const { status, body, headers } = await post('x'.repeat(1001));
    expect(status).toBe(413);
    expect(body).toMatchObject({ error: 'body_too_large' });
    expect(headers.get('connection')).toBe('close');
    expect(calls).toEqual([]);
  });

  test('without a stated length are cut off at the first byte too many', async () => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = await sendRaw(server.port, `${head}3e9\r\n${'x'.repeat(1001)}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(calls).toEqual([]);
  });

  test.each(['gzip', 'identity', ''])('with Content-Encoding "%s" are 415', async (encoding) => {
    const raw = [
      'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n',
      `Content-Encoding: ${encoding}\r\n\r\n{}`,
      'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    ];
    const answer = await sendRaw(server.port, raw.join(''));
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).toContain('"error":"unsupported_encoding"');
    expect(calls).toEqual([]);
  });

  test('that do not come to their end are 408 after a while', async () => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf';
    const answer = sendRaw(server.port, head);
    await until(() => server.openCount > 0);
    await time.advance(30_000);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(calls).toEqual([]);
  });

  test('whose sender leaves are forgotten, and have no effect', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write('POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    await until(() => server.openCount > 0);
    socket.destroy();
    await until(() => server.openCount === 0);
    expect(calls).toEqual([]);
  });
});

describe('answers', () => {
  test('carry what browsers and operators need', async () => {
    const { headers } = await ask(`${url}/`);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe(
      'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('vary')).toBe('Accept');
  });

  test('have request ids that differ', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask(`${url}/`)).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(20);
    expect(ids.every((id) => id !== null && /^[0-9a-z-]{8,}$/.test(id))).toBe(true);
  });

  test('are MessagePack for a GET that asks for it, errors too, and JSON otherwise', async () => {
    const headers = { Accept: 'application/msgpack' };
    const got = await ask(`${url}/`, { headers });
    expect(got.headers.get('content-type')).toBe('application/msgpack');
    const missing = await ask(`${url}/missing`, { headers });
    expect(missing.headers.get('content-type')).toBe('application/msgpack');
    const posted = await ask(`${url}/things`, { method: 'POST', headers });
    expect(posted.headers.get('content-type')).toBe('application/json');
  });

  test('may take a moment', async () => {
    expect(await ask(`${url}/late`)).toMatchObject({ status: 200, body: 'late' });
    expect(await metrics.text()).toContain('http_wait_seconds_count 1');
  });

  test('that are large come whole, also to a slow reader', async () => {
    const response = await paused(`${url}/large`);
    await until(() => response.readableLength >= response.readableHighWaterMark);
    expect((await buffer(response)).equals(LARGE)).toBe(true);
  });

  test('of refusals say when to come back', async () => {
    const { status, body, headers } = await ask(`${url}/refused`);
    expect(status).toBe(429);
    expect(body).toEqual({ error: 'rate_limited', hint: expect.any(String) });
    expect(headers.get('retry-after')).toBe('7');
  });

  test('of our own faults tell the client nothing and the log everything', async () => {
    const { status, body, headers } = await ask(`${url}/bug`);
    expect(status).toBe(500);
    expect(body).toEqual({ error: 'internal_error', hint: expect.any(String) });
    expect(logLines).toHaveLength(1);
    expect(logLines[0]).toContain('secret 123');
    expect(logLines[0]).toContain(headers.get('x-request-id'));
  });

  test('that do not come within 5 s are 503, and what comes later is dropped', async () => {
    const answer = ask(`${url}/never`);
    const held = await until(() => waiting);
    await time.advance(5_000);
    const { status, body, headers } = await answer;
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: 'overloaded' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    held.resolve(ok('too late', 'json'));
    expect(await ask(`${url}/`)).toMatchObject({ status: 200 });
  });

  test('to clients that have left are dropped, whatever they are', async () => {
    for (const settle of ['resolve', 'reject'] as const) {
      waiting = undefined;
      const controller = new AbortController();
      const gone = fetch(`${url}/never`, { signal: controller.signal }).catch(() => 'gone');
      const held = await until(() => waiting);
      controller.abort();
      expect(await gone).toBe('gone');
      await until(() => server.openCount === 0);
      const { resolve, reject } = held;
      if (settle === 'resolve') resolve(ok('nobody', 'json'));
      else reject(new TwinError('overloaded'));
    }
    expect(await ask(`${url}/`)).toMatchObject({ status: 200 });
  });

  test('are counted by route and status', async () => {
    await ask(`${url}/things/1`);
    await ask(`${url}/things/2`);
    await ask(`${url}/nowhere`);
    const text = await metrics.text();
    const things = 'http_answers_total{service="test",route="GET /things/{id}",status="200"} 2';
    expect(text).toContain(things);
    expect(text).toContain('http_answers_total{service="test",route="none",status="404"} 1');
  });
});

describe('scripts of other origins', () => {
  const origin = 'https://one.example';

  test('are told what they may send', async () => {
    const { status, headers, body } = await ask(`${url}/things/1`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'PUT' },
    });
    expect(status).toBe(204);
    expect(body).toBe('');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toBe('GET, PUT, OPTIONS');
    expect(headers.get('access-control-allow-headers')).toMatch(/Authorization.*X-VIN/);
  });

  test('may read errors as well', async () => {
    const { status, headers } = await ask(`${url}/missing`, { headers: { Origin: origin } });
    expect(status).toBe(404);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  test('may read answers only where they are listed, if there is a list', async () => {
    const strict = openServer([origin]);
    const from = (value: string) =>
      ask(`http://127.0.0.1:${strict.port}/`, { headers: { Origin: value } });
    const [listed, stranger] = [await from(origin), await from('https://two.example')];
    strict.end();
    expect(listed.headers.get('access-control-allow-origin')).toBe(origin);
    expect(listed.headers.get('vary')).toBe('Accept, Origin');
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
    expect(stranger.headers.get('vary')).toBe('Accept, Origin');
  });
});

describe('a server', () => {
  test('that cannot have its port says so', () => {
    const router = new Router([]);
    const options = { name: 'second', host: '127.0.0.1', port: server.port, router };
    const rest = {
      render: errorReply,
      corsOrigins: [],
      time,
      random: systemRandom,
      metrics,
      log: pino({ level: 'silent' }),
    };
    expect(() => new HttpServer({ ...options, ...rest })).toThrow(
      `second: cannot listen on 127.0.0.1:${server.port}; is the port in use?`,
    );
  });

  test('that cannot use its certificate says so', () => {
    const tls = { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
    const options = { name: 'secure', host: '127.0.0.1', port: 0, tls, router: new Router([]) };
    const rest = {
      render: errorReply,
      corsOrigins: [],
      time,
      random: systemRandom,
      metrics,
      log: pino({ level: 'silent' }),
    };
    expect(() => new HttpServer({ ...options, ...rest })).toThrow(
      'secure: cannot use certificate /nowhere/cert.pem with key /nowhere/key.pem',
    );
  });

  test('that stops finishes what is under way and takes no new connections', async () => {
    const answer = ask(`${url}/never`);
    const held = await until(() => waiting);
    const drained = server.drain(5_000);
    await expect(ask(`${url}/`)).rejects.toThrow('fetch failed');
    held.resolve(ok('done', 'json'));
    const { body, headers } = await answer;
    expect(body).toBe('done');
    expect(headers.get('connection')).toBe('close');
    await time.advanceUntil(drained);
  });

  test('that stops waits for a client that is still reading an answer', async () => {
    const response = await paused(`${url}/huge`);
    const ended = server.drain(5_000).then(() => server.end());
    await time.advance(4_000);
    const received = buffer(response);
    await time.advanceUntil(ended);
    expect((await received).equals(HUGE)).toBe(true);
    server = openServer();
  });

  test('that stops ends an answer that nobody reads after its grace period', async () => {
    const response = await paused(`${url}/huge`);
    await time.advanceUntil(server.drain(4_000));
    server.end();
    await expect(buffer(response)).rejects.toThrow('aborted');
    server = openServer();
  });

  test('that stops does not wait for ever', async () => {
    const answer = expect(ask(`${url}/never`)).rejects.toThrow('fetch failed');
    await until(() => waiting);
    const drained = server.drain(4_000);
    await time.advanceUntil(drained);
    server.end();
    await answer;
    server = openServer();
  });
});
