import { decode } from '@msgpack/msgpack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { incidentWith } from '../../testing/doubles/incident.ts';
import { ask, faultsOf, openTestFront, type TestFront } from '../../testing/doubles/test-front.ts';
import type { Incident } from '../../twin/wire.ts';
import { PRICES_US } from '../server/prices.ts';
import * as schemas from './schemas.ts';

let front: TestFront;
let world: FakeWorld;

beforeEach(() => {
  front = openTestFront();
  world = front.service.add();
});

afterEach(() => front.close());

const COUNT = 70_000;

function incident(number: number): Incident {
  const { vin = '' } = world.fleet[number % 20] ?? {};
  const when = { tick: number, time: number / 50 };
  return incidentWith(vin, { id: `i${number}-0`, world: world.id, ...when });
}

const incidents = (count: number) => Array.from({ length: count }, (_, number) => incident(number));

const path = (name: string) => `/api/v1/worlds/${world.id}/${name}`;

async function get(name: string, headers: Record<string, string> = {}) {
  const response = await fetch(front.twinUrl + name, { headers });
  const bytes = await response.arrayBuffer();
  const isPacked = response.headers.get('content-type') === 'application/msgpack';
  const text = Buffer.from(bytes).toString();
  const body = isPacked ? decode(bytes) : text && JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

const MSGPACK = { Accept: 'application/msgpack' };

describe.each([
  ['JSON', {}],
  ['MessagePack', MSGPACK],
])('[I33, T16] lists in %s', (_, headers) => {
  test.each([0, 1, 2, 3, 15, 16, 17, 40])('of %i entries are whole', async (count) => {
    world.incidentList = incidents(count);
    world.changes = Array.from({ length: count }, (_, tick) => ({
      tick,
      car: 1,
      touched: 1,
      values: 0,
    }));
    for (const steps of [0, 2]) {
      world.steps = steps;
      const all = await get(path('incidents'), headers);
      expect(all.body).toEqual(world.incidentList);
      expect(all.headers.has('content-length')).toBe(count <= 2 && steps === 0);
      const journal = await get(path('journal'), headers);
      expect(faultsOf(schemas.Journal, journal.body)).toBeNull();
      expect(journal.body).toMatchObject({ tick: world.tickNow, seed: world.seed });
      expect((journal.body as { changes: unknown[] }).changes).toHaveLength(count);
      // Pages that are kept are sent as well as those that are made.
      expect((await get(path('incidents'), headers)).body).toEqual(all.body);
      expect((await get(path('journal'), headers)).body).toEqual(journal.body);
    }
  });

  test('are the same page by page', async () => {
    world.incidentList = incidents(25);
    world.changes = Array.from({ length: 25 }, (_, tick) => ({
      tick,
      car: 1,
      touched: 1,
      values: 0,
    }));
    const pages = [await get(`${path('incidents')}?limit=9`, headers)];
    pages.push(await get(`${path('incidents')}?after=i8-0&limit=9`, headers));
    pages.push(await get(`${path('incidents')}?after=i17-0`, headers));
    expect(pages.flatMap(({ body }) => body)).toEqual(world.incidentList);
    const early = await get(`${path('incidents')}?until=7`, headers);
    expect(early.body).toEqual(world.incidentList.slice(0, 8));
    const journal = await get(`${path('journal')}?after=20&limit=3`, headers);
    expect(journal.body).toMatchObject({ changes: [{ tick: 20 }, { tick: 21 }, { tick: 22 }] });
    const vin = { ...headers, 'X-VIN': world.fleet[3]?.vin ?? '' };
    expect((await get('/api/v1/vehicle/incidents?after=i3-0', vin)).body).toMatchObject([
      { id: 'i23-0' },
    ]);
    world.steps = 3;
    expect((await get('/api/v1/vehicle', vin)).body).toMatchObject({
      incidents: ['i3-0', 'i23-0'],
    });
  });
});

test('[I33] a list of more than 65,535 entries is valid MessagePack', async () => {
  const change = { tick: 1, car: 1, touched: 1, values: 0 };
  world.changes = Array(COUNT).fill(change);
  world.pageSize = 1000;
  const { body } = await get(path('journal'), MSGPACK);
  expect((body as { changes: unknown[] }).changes).toHaveLength(COUNT);
});

test.each([1, 4])('[I33] %i pages are kept encoded, in each encoding', async (count) => {
  world.incidentList = incidents(2 * count);
  for (const headers of [{}, MSGPACK]) {
    const before = world.pagesRead;
    const { body } = await get(path('incidents'), headers);
    expect(world.pagesRead - before).toBe(count);
    expect((await get(path('incidents'), headers)).body).toEqual(body);
    expect(world.pagesRead - before).toBe(count);
  }
  world.incidentList.push(incident(9));
  const before = world.pagesRead;
  await get(path('incidents'));
  expect(world.pagesRead - before).toBe(1);
});

test.each(['incidents', 'journal'])('[I34] %s have an ETag for each encoding', async (name) => {
  world.incidentList = incidents(5);
  const etag = (await get(path(name))).headers.get('etag') ?? '';
  const { pagesRead } = world;
  const known = await get(path(name), { 'If-None-Match': etag });
  expect(world.pagesRead).toBe(pagesRead);
  expect([known.status, known.headers.get('etag')]).toEqual([304, etag]);
  expect((await get(path(name), { ...MSGPACK, 'If-None-Match': etag })).status).toBe(200);
  world.incidentList.push(incident(9));
  world.changes.push({ tick: 3, car: 0, touched: 1, values: 0 });
  expect((await get(path(name), { 'If-None-Match': etag })).status).toBe(200);
});

test.each([
  'incidents?limit=0',
  'incidents?limit=1001',
  'incidents?limit=',
  'incidents?limit=1.5',
  'incidents?limit=-1',
  'incidents?after=17',
  'incidents?after=i01-0',
  'incidents?after=',
  'incidents?until=',
  'incidents?until=i7-0',
  'journal?after=-1',
  'journal?after=65537',
  'journal?after=i3-0',
  'journal?limit=1e2',
])('[I33, T16] %s is 400', async (name) => {
  const { status, body } = await get(path(name));
  expect(status).toBe(400);
  expect(body).toEqual({ error: 'invalid_value', hint: expect.stringMatching(/^Use \w+=/) });
});

test('[L23] a list is paid by its entries before they are read, and less once it is kept', async () => {
  const workMs = { burst: (350 * PRICES_US.incident) / 1000, perS: 1 };
  const limited = openTestFront({ rateLimits: { ...DEFAULT_RATE_LIMITS, workMs } });
  world = limited.service.add();
  world.pageSize = 32;
  world.incidentList = incidents(300);
  const url = limited.twinUrl + path('incidents');
  const first = await ask(url);
  const again = await ask(url);
  const { pagesRead } = world;
  const ofCar = await ask(`${limited.twinUrl}/api/v1/vehicle/incidents`, {
    headers: { 'X-VIN': world.fleet[0]?.vin ?? '' },
  });
  world.incidentList = incidents(302).slice(1);
  const refused = await ask(url);
  await limited.close();
  expect([first.status, again.status, ofCar.status, refused.status]).toEqual([200, 200, 200, 429]);
  expect(world.pagesRead - pagesRead).toBeLessThan(30);
});
