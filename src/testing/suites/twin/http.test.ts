import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { useNodes } from '../../rigs/nodes.ts';
import { Api, raw, useTwin } from './api.ts';
import { recklessJournal } from './reckless.ts';
import type { ErrorBody, FeatureState, World } from './wire.ts';

const api = useTwin();
const nodes = useNodes();
let world: World;
let vin: string;
beforeAll(async () => {
  // Long ago, so that something has happened, and something that will not change any more.
  world = await api.makeWorld({ journal: recklessJournal(), start_tick: 4000 });
  const [incident] = await api.world('Incidents', world, '/incidents');
  vin = incident?.vehicles[0]?.vin ?? '';
});

/** Every GET that answers with content. */
const READS = [
  '/api/v1/worlds/{id}',
  '/api/v1/worlds/{id}/map',
  '/api/v1/worlds/{id}/state',
  '/api/v1/worlds/{id}/incidents',
  '/api/v1/worlds/{id}/incidents/{incident}',
  '/api/v1/worlds/{id}/events',
  '/api/v1/worlds/{id}/journal',
  '/api/v1/features',
  '/api/v1/cities',
  '/api/v1/vehicle',
  '/api/v1/vehicle/features',
  '/api/v1/vehicle/telemetry',
  '/api/v1/vehicle/route',
  '/api/v1/vehicle/incidents',
];

async function pathOf(path: string): Promise<string> {
  const [incident] = await api.world('Incidents', world, '/incidents');
  return path.replace('{id}', world.id).replace('{incident}', incident?.id ?? '');
}

describe('Accept: application/msgpack', () => {
  test.each(READS)('[H1, H16] answers with the same content at %s', async (path) => {
    const at = await pathOf(path);
    // Time passes between two calls; two of the same moment are found soon.
    for (let attempt = 0; attempt < 500; attempt++) {
      const [json, msgpack] = await Promise.all([
        api.ask(at, { vin }),
        api.ask(at, { vin, msgpack: true }),
      ]);
      expect([json.status, msgpack.status]).toEqual([200, 200]);
      expect(json.headers.get('Content-Type')).toBe('application/json');
      expect(msgpack.headers.get('Content-Type')).toBe('application/msgpack');
      if (!isDeepStrictEqual(momentOf(json.body), momentOf(msgpack.body))) continue;
      expect(msgpack.body).toEqual(json.body);
      return;
    }
    throw new Error('no two answers of one moment');
  });

  test('[H2] answers errors in the same way', async () => {
    const { status, headers, body } = await api.ask('/api/v1/worlds/x', { msgpack: true });
    expect([status, headers.get('Content-Type')]).toEqual([404, 'application/msgpack']);
    expect((body as ErrorBody).error).toBe('unknown_world');
  });

  test.each([
    ['application/msgpack;q=0.9, application/json;q=0.1', 'application/msgpack'],
    ['application/json, application/msgpack;q=0.5', 'application/json'],
    ['application/msgpack;q=0', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
    ['application/json', 'application/json'],
    ['', 'application/json'],
  ])('is weighed: %j gives %s', async (accept, type) => {
    const { headers } = await api.ask('/api/v1/features', { headers: { Accept: accept } });
    expect(headers.get('Content-Type')).toBe(type);
  });

  test('is for GET only', async () => {
    const ask = { method: 'POST', msgpack: true };
    expect((await api.ask('/api/v1/worlds', ask)).headers.get('Content-Type')).toBe(
      'application/json',
    );
  });
});

interface Momentary {
  tick?: number;
  telemetry?: { tick: number };
  id?: string;
  explained?: boolean;
}

/** The ticks in an answer that stand for now, and which incidents are explained so far. */
function momentOf(value: unknown): unknown[] {
  return [value].flat().map((each) => {
    const { tick, telemetry, id, explained } = each as Momentary;
    return [tick, telemetry?.tick, id, explained];
  });
}

describe('every answer', () => {
  test('to a GET varies by Accept', async () => {
    for (const path of READS) {
      const { headers } = await api.ask(await pathOf(path), { vin });
      expect(headers.get('Vary')?.split(', ')).toContain('Accept');
    }
    expect((await api.ask('/api/v1/nowhere')).headers.get('Vary')).toBe('Accept');
  });

  test('[H3] has an X-Request-Id of its own', async () => {
    const answers = [
      await api.ask('/api/v1/features'),
      await api.ask('/api/v1/features'),
      await api.ask('/api/v1/worlds', { method: 'POST' }),
      await api.ask('/api/v1/nowhere'),
      await api.ask('/api/v1/vehicle'),
      await api.ask('/api/v1/worlds', { method: 'OPTIONS' }),
      await api.ask('/'),
      await api.ask('/api/v1/vehicle/features', { method: 'PATCH', vin, body: '{' }),
    ];
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id'));
    for (const id of ids) expect(id).toMatch(/^[\w-]{6,64}$/);
    expect(new Set(ids).size).toBe(answers.length);
  });

  test('[H4] may be read by scripts of any origin, with the headers that say something', async () => {
    const headers = { Origin: 'https://shop.example' };
    for (const ask of [
      { path: '/api/v1/features', headers },
      { path: '/api/v1/worlds', headers, method: 'POST' },
      { path: '/api/v1/nowhere', headers },
      { path: '/api/v1/vehicle', headers },
      { path: '/api/v1/features' },
    ]) {
      const answer = await api.ask(ask.path, ask);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
      const exposed = answer.headers.get('Access-Control-Expose-Headers') ?? '';
      const names = exposed.split(',').map((name) => name.trim().toLowerCase());
      expect(names).toEqual(
        expect.arrayContaining(['etag', 'location', 'retry-after', 'x-request-id']),
      );
    }
  });
});

describe('a browser that asks what a script may send', () => {
  test.each([
    ['/api/v1/vehicle/features', 'PATCH', 'GET, HEAD, PATCH, OPTIONS'],
    ['/api/v1/vehicle/features/aeb', 'PUT', 'PUT, OPTIONS'],
    ['/api/v1/vehicle/features/reset', 'POST', 'POST, OPTIONS'],
    ['/api/v1/worlds', 'POST', 'POST, OPTIONS'],
    ['/api/v1/vehicle', 'GET', 'GET, HEAD, OPTIONS'],
  ])('is told that %s takes %s with a VIN', async (path, method, methods) => {
    const answer = await api.ask(path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type,x-vin',
      },
    });
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const listed = (name: string) =>
      (answer.headers.get(name) ?? '').split(',').map((each) => each.trim().toLowerCase());
    expect(answer.headers.get('Access-Control-Allow-Methods')).toBe(methods);
    expect(listed('Access-Control-Allow-Headers')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'x-vin']),
    );
  });
});

describe('allowed origins where they are listed', () => {
  test('[H4] are named one by one, and no others', async () => {
    const CORS_ORIGINS = 'https://a.example,https://b.example';
    const other = new Api((await nodes.inProcess({ CORS_ORIGINS })).twinUrl);
    const allowed = async (Origin: string) => {
      const { headers } = await other.ask('/api/v1/features', { headers: { Origin } });
      expect(headers.get('Vary')).toBe('Accept, Origin');
      return headers.get('Access-Control-Allow-Origin');
    };
    expect(await allowed('https://b.example')).toBe('https://b.example');
    expect(await allowed('https://c.example')).toBeNull();
  });
});

describe('a body', () => {
  test('may come in chunks without a length', async () => {
    const parts = ['{"esc"', ':fal', 'se}'].map((part) => new TextEncoder().encode(part));
    const response = await fetch(`${api.url}/api/v1/vehicle/features`, {
      method: 'PATCH',
      headers: { 'X-VIN': vin },
      body: ReadableStream.from(parts),
      duplex: 'half',
    });
    const { declared } = (await response.json()) as FeatureState;
    expect([response.status, declared.esc]).toEqual([200, false]);
  });
});

describe('connections', () => {
  test('are kept open from one request to the next', async () => {
    const { socket, status } = await raw(api.url, ['GET /api/v1/features HTTP/1.1']);
    expect(status).toBe(200);
    const more = new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(chunk.toString('latin1')));
    });
    const { host } = new URL(api.url);
    socket.write(`GET /api/v1/cities HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(await more).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});
