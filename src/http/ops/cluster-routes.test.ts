import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TwinError } from '../../errors.ts';
import type { FakeOperator } from '../../testing/doubles/fake-operator.ts';
import { ask, openTestFront, type TestFront } from '../../testing/doubles/test-front.ts';
import { inPartition, worldIdOf } from '../../twin/ids.ts';
import { Head } from '../server/head.ts';
import { refuseForeignPages } from './own-pages.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const JSON_HEADERS = { 'Content-Type': 'application/json' };

let front: TestFront;
let operator: FakeOperator;
beforeAll(() => {
  front = openTestFront();
  ({ operator } = front);
});
afterAll(() => front.close());
beforeEach(() => {
  operator.told.length = 0;
  operator.failure = undefined;
});

const get = (path: string, headers: Record<string, string> = {}) =>
  ask(`${front.opsUrl}${path}`, { headers });
const post = (path: string, body: unknown, headers: Record<string, string> = JSON_HEADERS) =>
  ask(`${front.opsUrl}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** With headers that `fetch` sets itself. Resolves to the status of the answer. */
function postAs(host: string, origin: string | undefined): Promise<number | undefined> {
  const headers = {
    ...JSON_HEADERS,
    Host: host,
    ...(origin === undefined ? {} : { Origin: origin }),
  };
  const options = { method: 'POST', agent: false, headers };
  return new Promise((resolve, reject) => {
    const asked = request(`${front.opsUrl}/cluster/drain`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    asked.on('error', reject).end();
  });
}

describe('[O14] the cluster', () => {
  test.each(['', '*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0'])(
    'is JSON for a client that asks for "%s"',
    async (accept) => {
      const { status, headers, body } = await get('/cluster', { Accept: accept });
      expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json']);
      expect(headers.get('Cache-Control')).toBe('no-store');
      expect(headers.get('Vary')).toBe('Accept');
      expect(body).toEqual(await operator.status());
    },
  );

  test.each([BROWSER, 'text/html'])('is a page for a client that asks for "%s"', async (accept) => {
    const { status, headers, body } = await get('/cluster', { Accept: accept });
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('Content-Security-Policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(part);
    }
    const files = [...String(body).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    expect(files.length).toBeGreaterThan(1);
    for (const path of files) expect((await get(path ?? '')).status).toBe(200);
  });

  test('[O5] is on the private port only, and not for scripts of other origins', async () => {
    const paths = ['/cluster', '/cluster/world/0000000000', '/cluster/drain', '/cluster/move'];
    for (const url of [front.twinUrl, front.dealerUrl]) {
      for (const path of paths) expect((await ask(`${url}${path}`)).status).toBe(404);
    }
    const { headers } = await get('/cluster', { Origin: 'https://shop.example' });
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
  });
});

describe('[O15] a world', () => {
  test('is at the node that serves it', async () => {
    const number = inPartition(12_345, 5);
    const { status, body } = await get(`/cluster/world/${worldIdOf(number)}`);
    expect([status, body]).toEqual([200, operator.placeOf(number)]);
    expect(body).toMatchObject({ partition: 5, node: 'node-3' });
  });

  test.each(['x', '000000000O', '0000000000extra'])('has no id like "%s"', async (id) => {
    const { status, body } = await get(`/cluster/world/${id}`);
    expect([status, body]).toMatchObject([404, { error: 'unknown_world' }]);
  });
});

describe('an operator', () => {
  test('drains this node or another one, and ends that', async () => {
    expect(await post('/cluster/drain', '')).toMatchObject({
      ...{ status: 202, body: { node: 'node-1', draining: true } },
    });
    expect(await post('/cluster/drain', { node: 'node-2' })).toMatchObject({ status: 202 });
    expect(await post('/cluster/undrain', { node: 'node-2' })).toMatchObject({
      ...{ status: 200, body: { node: 'node-2', draining: false } },
    });
    expect(operator.told).toEqual([
      ['drain', undefined],
      ['drain', 'node-2'],
      ['undrain', 'node-2'],
    ]);
  });

  test('moves a partition', async () => {
    const { status, body } = await post('/cluster/move', { partition: 63, to: 'node-2' });
    expect([status, body]).toMatchObject([200, { partition: 63, to: 'node-2' }]);
    expect(operator.told).toEqual([['move', 63, 'node-2']]);
  });

  test.each([
    ['/cluster/move', { partition: 64, to: 'b' }],
    ['/cluster/move', { partition: -1, to: 'b' }],
    ['/cluster/move', { partition: 1.5, to: 'b' }],
    ['/cluster/move', { partition: '1', to: 'b' }],
    ['/cluster/move', { to: 'b' }],
    ['/cluster/move', { partition: 1 }],
    ['/cluster/move', { partition: 1, to: '' }],
    ['/cluster/move', { partition: 1, to: null }],
    ['/cluster/move', { partition: 1, to: 'b', now: true }],
    ['/cluster/move', ''],
    ['/cluster/move', '{'],
    ['/cluster/move', [1, 'b']],
    ['/cluster/drain', { node: 1 }],
    ['/cluster/drain', { name: 'b' }],
    ['/cluster/undrain', 'null'],
  ])('who sends %s %j is refused, and nothing is done', async (path, body) => {
    expect(await post(path, body)).toMatchObject({
      ...{ status: 400, body: { error: expect.any(String), hint: expect.any(String) } },
    });
    expect(operator.told).toEqual([]);
  });

  test('is told why something cannot be done', async () => {
    operator.failure = new TwinError('conflict', 'Not here.');
    expect(await post('/cluster/move', { partition: 1, to: 'b' })).toMatchObject({
      ...{ status: 409, body: { error: 'conflict', hint: 'Not here.' } },
    });
    operator.failure = new TwinError('unknown_node');
    expect(await post('/cluster/drain', { node: 'b' })).toMatchObject({
      ...{ status: 404, body: { error: 'unknown_node' } },
    });
  });

  test('sends no long body', async () => {
    const body = { node: 'b'.repeat(2000) };
    expect((await post('/cluster/drain', body)).status).toBe(413);
  });
});

describe('[O18] a page of somebody else', () => {
  test.each(['127.0.0.1:9090', 'localhost:9090', 'LOCALHOST:9090', '10.0.0.5', '[::1]:9090'])(
    'is none that was loaded from %s, where the request goes to',
    async (host) => {
      expect(await postAs(host, `http://${host.toLowerCase()}`)).toBe(202);
      // Not from a browser.
      expect(await postAs(host, undefined)).toBe(202);
      expect(operator.told).toHaveLength(2);
    },
  );

  test.each([
    ['127.0.0.1:9090', 'https://shop.example'],
    ['127.0.0.1:9090', 'http://127.0.0.1:8080'],
    ['127.0.0.1:9090', 'http://localhost:9090'],
    ['127.0.0.1:9090', 'https://127.0.0.1:9090'],
    ['127.0.0.1:9090', 'null'],
    // A name that somebody has resolved to this machine.
    ['shop.example:9090', 'http://shop.example:9090'],
    ['127.0.0.1.shop.example', 'http://127.0.0.1.shop.example'],
  ])('at %s may not send anything as %s', async (host, origin) => {
    expect(await postAs(host, origin)).toBe(403);
    expect(operator.told).toEqual([]);
  });

  test.each([
    {},
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'text/plain; application/json' },
  ])('may send %j without asking, and is refused', async (headers) => {
    for (const path of ['/cluster/drain', '/cluster/undrain', '/cluster/move']) {
      const { status } = await post(path, '{"partition": 1, "to": "b"}', headers);
      expect(status).toBe(415);
    }
    expect(operator.told).toEqual([]);
  });

  test('that asks is not allowed to', async () => {
    const { headers } = await ask(`${front.opsUrl}/cluster/drain`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
  });
});

test('[O18] the name in OPS_HOST is one of the port itself', () => {
  const host = 'ops.example:9090';
  const head = { ...new Head(), host, origin: `http://${host}`, contentType: 'application/json' };
  expect(() => refuseForeignPages(head, 'ops.example')).not.toThrow();
  expect(() => refuseForeignPages(head, '127.0.0.1')).toThrow('foreign_origin');
});
