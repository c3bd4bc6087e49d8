import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, sendRaw } from '../../testing/doubles/test-front.ts';
import { TestServer } from '../../testing/doubles/test-server.ts';
import { until } from '../../testing/rigs/until.ts';

let site: TestServer;

beforeEach(() => {
  site = new TestServer();
});

afterEach(() => site.server.end());

describe('an ambiguous request', () => {
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

    test('[H10] is answered 400, has no effect and ends the connection', async () => {
      const answer = await sendRaw(site.port, bad);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.toLowerCase()).toContain('connection: close');
      expect(site.calls).toEqual([]);
    });

    test('also discards the next request in the same packet', async () => {
      const next = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nsmuggled';
      const answer = await sendRaw(site.port, bad + next);
      expect(answer).toMatch(/^(HTTP\/1\.1 (400|505) |$)/);
      expect(answer.split('HTTP/1.1').length).toBeLessThanOrEqual(2);
      expect(site.calls).toEqual([]);
    });
  });

  test('is refused in JSON if the server itself detects it', async () => {
    const answer = await sendRaw(site.port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
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
  expect(await sendRaw(site.port, bytes)).toMatch(/^HTTP\/1\.1 (4|5)\d\d /);
  expect(site.calls).toEqual([]);
});

test('[H11] requests in one packet are answered in their order', async () => {
  const get = (query: string, more = '') => `GET /?${query} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const last = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  const answer = await sendRaw(site.port, get('first') + get('second') + last);
  expect(answer.match(/"query":"\w+"/g)).toEqual(['"query":"first"', '"query":"second"']);
});

test('path parameters are decoded, the query is not', async () => {
  const { body } = await ask(`${site.url}/things/a%20b?x=%20&y`);
  expect(body).toEqual({ params: ['a b'], query: 'x=%20&y', body: '' });
});

test.each(['/unknown', '/things/', '//', '/things//', '/things/%ff', '/THINGS/1'])(
  '%s is 404',
  async (path) => {
    const { status, body } = await ask(site.url + path);
    expect(status).toBe(404);
    expect(body).toEqual({ error: 'not_found', hint: expect.any(String) });
  },
);

test.each(['POST', 'DELETE', 'PATCH', 'BREW', 'get'])(
  '%s on a path with GET and PUT is 405 with Allow, without effect',
  async (method) => {
    const raw = `${method} /things/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(site.port, `${raw}GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toContain('\r\nAllow: GET, HEAD, PUT, OPTIONS\r\n');
    expect(answer).toContain('"error":"method_not_allowed"');
    expect(site.calls).toEqual([]);
  },
);

describe('[H21] HEAD', () => {
  const bad = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';

  test('is answered as GET, without the body', async () => {
    const raw = (method: string) => `${method} /things/1 HTTP/1.1\r\nHost: a\r\n\r\n${bad}`;
    const [head, get] = await Promise.all(
      [raw('HEAD'), raw('GET')].map((each) => sendRaw(site.port, each)),
    );
    const heads = (answer = '') => answer.split('\r\n\r\n').map((each) => each.split('\r\n'));
    const comparable = (lines: string[] = []) =>
      lines.filter((line) => !/^x-request-id/i.test(line)).toSorted();
    expect(comparable(heads(head)[0])).toEqual(comparable(heads(get)[0]));
    expect(comparable(heads(head)[0])).toContainEqual(
      expect.stringMatching(/^Content-Length: \d+$/i),
    );
    expect(heads(head)[1]?.[0]).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('of something unknown is 404 without a body', async () => {
    const answer = await sendRaw(site.port, `HEAD /unknown HTTP/1.1\r\nHost: a\r\n\r\n${bad}`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 [^{]*\r\n\r\nHTTP\/1\.1 400 /);
  });
});

test('an answer without a body has no Content-Length', async () => {
  const bad = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  const answer = await sendRaw(site.port, `GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${bad}`);
  const first = answer.slice(0, answer.indexOf('\r\n\r\n'));
  expect(first).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
  expect(first).not.toMatch(/content-length/i);
  expect(answer.slice(first.length)).toMatch(/^\r\n\r\nHTTP\/1\.1 400 /);
});

describe('bodies', () => {
  const post = (body: string | Buffer, headers = {}) =>
    ask(`${site.url}/things`, { method: 'POST', body, headers });

  test('in several chunks are joined', async () => {
    const headers = 'Host: a\r\nConnection: close\r\nTransfer-Encoding: chunked';
    const head = `POST /things HTTP/1.1\r\n${headers}\r\n\r\n`;
    await sendRaw(site.port, head, '3\r\nabc\r\n', '2\r\nde\r\n', '0\r\n\r\n');
    expect(site.calls).toEqual(['abcde']);
  });

  test('[H20] in many short parts end the connection, without effect', async () => {
    const headers = 'Host: a\r\nConnection: close\r\nTransfer-Encoding: chunked';
    const head = `POST /long HTTP/1.1\r\n${headers}\r\n\r\n`;
    const answer = await sendRaw(site.port, head + '1\r\nx\r\n'.repeat(5000));
    expect(answer).toBe('');
    expect(site.calls).toEqual([]);
    const parts = `200\r\n${'y'.repeat(512)}\r\n`.repeat(2100);
    expect(await sendRaw(site.port, `${head}${parts}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(site.calls).toEqual(['y'.repeat(512 * 2100)]);
  });

  test('[H20] in many parts end the connection of an address that cannot pay', async () => {
    const headers = 'Host: a\r\nConnection: close\r\nTransfer-Encoding: chunked';
    const send = (parts: number) =>
      sendRaw(
        site.port,
        `POST /things HTTP/1.1\r\n${headers}\r\n\r\n${'1\r\nx\r\n'.repeat(parts)}0\r\n\r\n`,
      );
    const { burst } = site.work.size;
    // And ten more, for the bytes.
    site.work.spend('127.0.0.1', burst - 2 * 64 - 10);
    expect(await send(127)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(64)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(64)).toBe('');
    expect(await send(63)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['well-formed', '2\r\nab\r\n'],
    ['with a blank after the size', '2 \r\nab\r\n'],
    ['with a bare line feed after the size', '2\nab\r\n'],
    ['with another terminator', '2\r\nabXX'],
  ])('[H27] in chunks, %s, end their connection', async (_, chunk) => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const alone = await sendRaw(site.port, `${head}${chunk}0\r\n\r\n`);
    expect(alone).toMatch(/^HTTP\/1\.1 200 /);
    expect(alone.toLowerCase()).toContain('connection: close');
    expect(site.calls).toEqual(['ab']);
    await sendRaw(site.port, `${head}${chunk}0\r\n\r\nGET /page HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(site.calls).toEqual(['ab']);
  });

  test.each(['GET', 'HEAD', 'OPTIONS'])(
    '[H27] in chunks have no meaning in a %s: it is refused and ends its connection',
    async (method) => {
      site.pieces = async function* () {
        yield 'a piece';
      };
      for (const path of ['/pieces', '/nothing', '/large']) {
        const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
        const answer = await sendRaw(site.port, `${head}5\r\nhello\r\n0\r\n\r\n`);
        expect(answer).toMatch(method === 'HEAD' ? /^$/ : /^HTTP\/1\.1 400 /);
      }
      expect(site.calls).toEqual([]);
    },
  );

  test.each([
    ['a signed size', '-2\r\nab\r\n0\r\n\r\n'],
    ['a size in another notation', '0x2\r\nab\r\n0\r\n\r\n'],
    ['a size beyond all numbers', 'ffffffffffffffff2\r\nab\r\n0\r\n\r\n'],
    ['a trailer', '2\r\nab\r\n0\r\nX-A: b\r\n\r\n'],
  ])('in chunks with %s have no effect', async (_, chunks) => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await sendRaw(site.port, head + chunks)).not.toMatch(/^HTTP\/1\.1 200 /);
    expect(site.calls).toEqual([]);
  });

  test('with a chunk extension never end, and have no effect', async () => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = sendRaw(site.port, `${head}2;a=b\r\nab\r\n0\r\n\r\n`);
    await until('a request', () => site.server.openCount > 0);
    await site.time.advance(30_000);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(site.calls).toEqual([]);
  });

  test('that never end hold limited memory and do not block short ones', async () => {
    const head = 'POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n';
    const unfinished = Array.from({ length: 12 }, () => {
      const socket = connect(site.port, '127.0.0.1');
      const parts: Buffer[] = [];
      socket.on('data', (part) => parts.push(part)).on('error', () => {});
      socket.write(head + 'x'.repeat(1_900_000));
      return { socket, answer: () => Buffer.concat(parts).toString() };
    });
    const refused = () => unfinished.filter(({ answer }) => answer().startsWith('HTTP/1.1 503'));
    await until('a refusal', () => refused().length > 0);
    expect((await post('short')).status).toBe(200);
    expect(site.calls).toEqual(['short']);
    for (const { socket } of unfinished) socket.destroy();
    await until('the end of every request', () => site.server.openCount === 0);
    const whole = await ask(`${site.url}/long`, { method: 'POST', body: 'y'.repeat(1_900_000) });
    expect(whole.status).toBe(200);
  });

  test('may be as long as the limit of the route', async () => {
    const body = 'x'.repeat(1000);
    expect((await post(body)).body).toMatchObject({ body });
  });

  test('one byte longer is 413, without effect, and ends the connection', async () => {
    const { status, body, headers } = await post('x'.repeat(1001));
    expect(status).toBe(413);
    expect(body).toMatchObject({ error: 'body_too_large' });
    expect(headers.get('connection')).toBe('close');
    expect(site.calls).toEqual([]);
  });

  test('[L19] that their address cannot pay are refused as they arrive, and the rest is not kept', async () => {
    site.work.spend('127.0.0.1', site.work.size.burst);
    const head = 'POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 1500000\r\n\r\n';
    const last = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
    const answer = await sendRaw(site.port, head + 'x'.repeat(1_500_000) + last);
    expect(answer).toMatch(/^HTTP\/1\.1 429 .*\r\n(.+\r\n)*Retry-After: \d/);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 429', 'HTTP/1.1 400']);
    expect(site.calls).toEqual([]);
  });

  test('without a length are refused at the first byte above the limit', async () => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = await sendRaw(site.port, `${head}3e9\r\n${'x'.repeat(1001)}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(site.calls).toEqual([]);
  });

  test.each(['gzip', 'identity', ''])('with Content-Encoding "%s" are 415', async (encoding) => {
    const raw = [
      'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n',
      `Content-Encoding: ${encoding}\r\n\r\n{}`,
      'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    ];
    const answer = await sendRaw(site.port, raw.join(''));
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).toContain('"error":"unsupported_encoding"');
    expect(site.calls).toEqual([]);
  });

  test('[H12] that do not arrive completely are 408 after 30 s', async () => {
    const head = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf';
    const answer = sendRaw(site.port, head);
    await until('a request', () => site.server.openCount > 0);
    await site.time.advance(30_000);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(site.calls).toEqual([]);
  });

  test('whose sender disconnects are dropped and have no effect', async () => {
    const socket = connect(site.port, '127.0.0.1');
    socket.write('POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    await until('a request', () => site.server.openCount > 0);
    socket.destroy();
    await until('the end of every request', () => site.server.openCount === 0);
    expect(site.calls).toEqual([]);
  });
});
