import { decode } from '@msgpack/msgpack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import { STORE_DOWN } from '../../testing/doubles/fake-twin.ts';
import {
  type Answer,
  ask,
  faultsOf,
  openTestFront,
  type TestFront,
} from '../../testing/doubles/test-front.ts';
import { FEATURES } from '../../twin/catalogue.ts';
import type { Incident } from '../../twin/wire.ts';
import * as schemas from './schemas.ts';

let front: TestFront;
const JSON_HEADERS = { 'Content-Type': 'application/json' };

beforeEach(() => {
  front = openTestFront();
});

afterEach(() => front.close());

function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return ask(front.twinUrl + path, { headers });
}

function post(body?: unknown): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return ask(`${front.twinUrl}/api/v1/worlds`, {
    method: 'POST',
    headers: JSON_HEADERS,
    ...(text === undefined ? {} : { body: text }),
  });
}

const INCIDENT: Incident = {
  id: 'i40-0',
  world: '00003nqk8n',
  tick: 40,
  time: 0.8,
  place: { x: 1.5, y: -2, road: 'r1', street: 'Quay Street' },
  kind: 'building',
  vehicles: [],
  other: [{ kind: 'building', hazard: null }],
  explained: false,
  failures: [],
  earned: { severity: 'slight', injury_risk: 0.01, points: 3, repair_cost: 120.5 },
};

describe('POST /api/v1/worlds', () => {
  test('[W1] makes a world without being told anything', async () => {
    const { status, headers, body } = await post();
    expect(status).toBe(201);
    expect(faultsOf(schemas.World, body)).toBeNull();
    const { id } = body as { id: string };
    expect(headers.get('location')).toBe(`/api/v1/worlds/${id}`);
    expect(body).toMatchObject({
      viewer_url: `${front.twinUrl}/worlds/${id}`,
      stream_url: `${front.twinUrl.replace('http:', 'ws:')}/ws/worlds/${id}`,
      created_at: '2026-01-02T03:04:05.006Z',
      rate_hz: 12.5,
      tick: 0,
      watchers: 0,
      city: 'grid',
    });
    expect(body).not.toHaveProperty('exact');
  });

  test('answers what GET answers', async () => {
    const made = await post({ seed: 42 });
    const { id } = made.body as { id: string };
    expect((await get(`/api/v1/worlds/${id}`)).body).toEqual(made.body);
  });

  test('hands on what is asked for', async () => {
    const { body } = await post({ seed: 4_294_967_295, city: 'grid', start_tick: 90_000 });
    expect(body).toMatchObject({ seed: 4_294_967_295, city: 'grid', tick: 90_000 });
  });

  test('lives a journal again, and says where that may come out otherwise', async () => {
    const changes = [{ tick: 10, car: 3, features: { aeb: false } }];
    const journal = { seed: 5, city: 'grid', tick: 30, changes };
    const { status, body } = await post({ journal });
    expect(status).toBe(201);
    expect(body).toMatchObject({ seed: 5, tick: 30, exact: false });
    const { id } = body as { id: string };
    const given = await get(`/api/v1/worlds/${id}/journal`);
    expect(faultsOf(schemas.Journal, given.body)).toBeNull();
    expect(given.body).toEqual({ ...journal, kernel: 'c0ffee' });
  });

  test.each([
    ['{"seed": 1', 'invalid_json'],
    ['nonsense', 'invalid_json'],
    [' ', 'invalid_json'],
    ['[]', 'invalid_body'],
    ['null', 'invalid_body'],
    ['7', 'invalid_body'],
    ['{"seed": -1}', 'invalid_world_options'],
    ['{"seed": "1"}', 'invalid_world_options'],
    ['{"city": "atlantis"}', 'invalid_world_options'],
    ['{"start_tick": 90001}', 'invalid_world_options'],
    ['{"colour": "red"}', 'invalid_world_options'],
    ['{"__proto__": {}}', 'invalid_world_options'],
  ])('refuses %s with %s', async (text, code) => {
    const { status, body } = await post(text);
    expect(status).toBe(400);
    expect(body).toEqual({ error: code, hint: expect.any(String) });
    expect(front.service.worlds.size).toBe(0);
  });

  test('takes a journal of up to 1 MiB', async () => {
    const changes = Array.from({ length: 15_000 }, () => ({
      tick: 1,
      car: 0,
      features: { aeb: true },
    }));
    const text = JSON.stringify({ journal: { seed: 1, city: 'grid', changes } });
    expect((await post(text.padEnd(1024 * 1024))).status).toBe(201);
    expect((await post(text.padEnd(1024 * 1024 + 1))).status).toBe(413);
  });

  test('passes on that the store is out of reach', async () => {
    front.service.createFailure = STORE_DOWN;
    const { status, headers, body } = await post();
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: 'store_unavailable' });
    expect(headers.get('retry-after')).toBe('2');
  });
});

test('a visitor of / gets a world and is sent to its viewer', async () => {
  const { status, headers } = await get('/');
  const [world] = front.service.worlds.values();
  expect(status).toBe(303);
  expect(headers.get('location')).toBe(`/worlds/${world?.id}`);
  expect(headers.get('cache-control')).toBe('no-store');
});

test('URLs are built from the public address where there is one', async () => {
  const open = openTestFront({ publicTwinUrl: 'https://twin.example' });
  const { body } = await ask(`${open.twinUrl}/api/v1/worlds`, { method: 'POST' });
  await open.close();
  const { id } = body as { id: string };
  expect(body).toMatchObject({
    viewer_url: `https://twin.example/worlds/${id}`,
    stream_url: `wss://twin.example/ws/worlds/${id}`,
  });
});

describe('catalogues', () => {
  test('list the features', async () => {
    const { body } = await get('/api/v1/features');
    expect(faultsOf(schemas.Catalogue, body)).toBeNull();
    expect(body).toEqual({ features: FEATURES });
  });

  test('list the cities', async () => {
    const { body } = await get('/api/v1/cities');
    expect(faultsOf(schemas.Cities, body)).toBeNull();
    expect(body).toMatchObject({
      cities: [{ name: 'grid' }, { name: 'old-town' }, { name: 'mixed-town' }],
    });
  });
});

describe('a world', () => {
  test.each([
    ['', schemas.World],
    ['/state', schemas.Snapshot],
    ['/map', schemas.CityMap],
    ['/journal', schemas.Journal],
    ['/incidents', schemas.Incidents],
    ['/incidents/i40-0', schemas.Incident],
    ['/incidents/i40-0/replay', schemas.Replay],
    ['/incidents/i40-0/replay?with=esc,brakes,esc', schemas.Replay],
    ['/events', schemas.Events],
  ])('shows what is at its path "%s", in JSON and in MessagePack alike', async (path, schema) => {
    const world = front.service.add();
    world.incidentList = [INCIDENT];
    world.changes = [{ tick: 3, car: 0, touched: 1, values: 0 }];
    const message = 'An animal appeared.';
    const about = { vin: null, feature: null, hazard: 'h1', incident: null, message };
    world.eventList = [{ seq: 1, tick: 2, time: 0.04, kind: 'hazard', ...about }];
    const url = `${front.twinUrl}/api/v1/worlds/${world.id}${path}`;
    const { status, body } = await ask(url);
    expect(status).toBe(200);
    expect(faultsOf(schema, body)).toBeNull();
    const packed = await fetch(url, { headers: { Accept: 'application/msgpack' } });
    expect(packed.headers.get('content-type')).toBe('application/msgpack');
    expect(packed.headers.get('vary')).toBe('Accept');
    expect(decode(await packed.arrayBuffer())).toEqual(body);
    expect(world.touches).toBe(2);
  });

  const PATHS = ['', '/state', '/map', '/journal', '/incidents', '/events'];
  test.each([...PATHS, '/incidents/i1-0', '/incidents/i1-0/replay'])(
    'that nobody knows is 404 at its path "%s"',
    async (path) => {
      for (const id of ['zzzzzzzzzz', 'short', 'UPPERCASE0', 'iiiiiiiiii', '%20']) {
        const { status, body } = await get(`/api/v1/worlds/${id}${path}`);
        expect(status).toBe(404);
        expect(body).toEqual({ error: 'unknown_world', hint: expect.any(String) });
      }
    },
  );

  test('that is not at hand is loaded', async () => {
    const world = front.service.add();
    front.service.cold.add(world);
    world.isHot = false;
    const { status, body } = await get(`/api/v1/worlds/${world.id}/state`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ type: 'snapshot', world: world.id });
    expect(world.touches).toBe(1);
  });

  test('that rests is 503 with a time to come back', async () => {
    const world = front.service.add();
    world.isHot = false;
    world.failure = new TwinError('world_unavailable', undefined, 60);
    const { status, headers, body } = await get(`/api/v1/worlds/${world.id}/state`);
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: 'world_unavailable' });
    expect(headers.get('retry-after')).toBe('60');
  });

  test('has no incident that did not happen, and no replay of it', async () => {
    const world = front.service.add();
    for (const path of ['', '/replay', '/replay?with=esc']) {
      const { status, body } = await get(`/api/v1/worlds/${world.id}/incidents/i1-0${path}`);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: 'unknown_incident' });
    }
  });
});

describe('a replay', () => {
  const replayOf = (query: string) => {
    const world = front.service.add();
    world.incidentList = [INCIDENT];
    return get(`/api/v1/worlds/${world.id}/incidents/i40-0/replay${query}`);
  };

  test('has the frames as they were, and when there was contact', async () => {
    const { body } = await replayOf('');
    const [world] = front.service.worlds.values();
    const frame = JSON.parse(Buffer.from(world?.bytes('json') ?? []).toString());
    expect(body).toEqual({
      incident: 'i40-0',
      with: [],
      frames: [frame, frame],
      contact_tick: world?.tickNow,
    });
  });

  test.each([
    ['?with=esc', ['esc']],
    ['?with=esc,brakes,esc', ['brakes', 'esc']],
    ['?with=esc&with=front_radar', ['front_radar', 'esc']],
    ['?with=esc%2C%20aeb', ['aeb', 'esc']],
    ['?with=', []],
    ['?without=esc', []],
  ])('with %s has %j on', async (query, features) => {
    const { body } = await replayOf(query);
    expect(body).toMatchObject({ with: features, contact_tick: features.length ? null : 0 });
  });

  test.each(['?with=wings', '?with=esc,constructor', '?with=ESC', '?with=esc,%00'])(
    'with %s is refused',
    async (query) => {
      const { status, body } = await replayOf(query);
      expect(status).toBe(400);
      expect(body).toEqual({ error: 'unknown_feature', hint: expect.stringContaining('aeb') });
    },
  );
});

describe('the map', () => {
  test('is not sent again to those who have it', async () => {
    const path = `/api/v1/worlds/${front.service.add().id}/map`;
    const whole = await get(path);
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'If-None-Match': tag });
      expect(again.status).toBe(304);
      expect(again.body).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
    }
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('has a tag of its own in each encoding, and the same in every world of a city', async () => {
    const tagOf = async (id: string, accept: string) =>
      (await get(`/api/v1/worlds/${id}/map`, { Accept: accept })).headers.get('etag');
    const [first, second] = [front.service.add(), front.service.add()];
    const json = await tagOf(first.id, 'application/json');
    expect(await tagOf(second.id, 'application/json')).toBe(json);
    expect(await tagOf(first.id, 'application/msgpack')).not.toBe(json);
  });
});

describe('with limits', () => {
  let limited: TestFront;

  beforeEach(() => {
    limited = openTestFront({ rateLimits: DEFAULT_RATE_LIMITS });
  });

  afterEach(() => limited.close());

  const make = (body = '{}') =>
    ask(`${limited.twinUrl}/api/v1/worlds`, { method: 'POST', body, headers: JSON_HEADERS });

  async function statuses(count: number, act: () => Promise<Answer>): Promise<number[]> {
    const seen = [];
    for (let i = 0; i < count; i++) seen.push((await act()).status);
    return seen;
  }

  test('[L1] an address makes 60 worlds at once, then one a second', async () => {
    expect(new Set(await statuses(59, make))).toEqual(new Set([201]));
    expect((await ask(`${limited.twinUrl}/`)).status).toBe(303);
    const refused = await make();
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: 'rate_limited', hint: expect.any(String) });
    expect(refused.headers.get('retry-after')).toBe('1');
    await limited.time.advance(1000);
    expect(await statuses(2, make)).toEqual([201, 429]);
    expect(limited.service.worlds.size).toBe(61);
  });

  test('wrong options do not count', async () => {
    expect(new Set(await statuses(70, () => make('{"seed":-1}')))).toEqual(new Set([400]));
    expect((await make()).status).toBe(201);
  });

  test('an address has only so much world time computed for it', async () => {
    const old = () => make('{"start_tick":90000}');
    expect(await statuses(11, old)).toEqual([...new Array(10).fill(201), 429]);
    expect((await make()).status).toBe(201);
    await limited.time.advance(9000);
    expect((await old()).status).toBe(201);
  });

  test('an address that asks for 20 unknown worlds a second is turned away', async () => {
    const miss = () => ask(`${limited.twinUrl}/api/v1/worlds/zzzzzzzzzz`);
    const misses = await statuses(22, miss);
    expect(misses).toEqual([...new Array(20).fill(404), 429, 429]);
    expect(limited.service.loads).toBe(20);
    const known = limited.service.add();
    expect((await ask(`${limited.twinUrl}/api/v1/worlds/${known.id}`)).status).toBe(200);
    await limited.time.advance(50);
    expect((await miss()).status).toBe(404);
  });

  test('unknown VINs count like unknown worlds, and hits do not', async () => {
    const known = limited.service.add();
    limited.service.cold.add(known);
    const url = `${limited.twinUrl}/api/v1/vehicle/features`;
    const hit = () => ask(url, { headers: { 'X-VIN': known.fleet[0]?.vin ?? '' } });
    const miss = () => ask(url, { headers: { 'X-VIN': 'NOSUCHVIN' } });
    expect(new Set(await statuses(40, hit))).toEqual(new Set([200]));
    expect(await statuses(21, miss)).toEqual([...new Array(20).fill(401), 429]);
    expect((await hit()).status).toBe(429);
  });
});
