import { decode } from '@msgpack/msgpack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import { SEARCH_TICKS } from '../../limits.ts';
import {
  type Answer,
  ask,
  faultsOf,
  openTestFront,
  type TestFront,
} from '../../testing/doubles/test-front.ts';
import type { Incident } from '../../twin/wire.ts';
import * as schemas from './schemas.ts';

let front: TestFront;

beforeEach(() => {
  front = openTestFront();
});

afterEach(() => front.close());

function get(path: string): Promise<Answer> {
  return ask(front.twinUrl + path);
}

const FIXED = { mass: null, delta_v: 0, impact_area: null, impact_speed: null };
const INCIDENT: Incident = {
  id: 'i40-0',
  world: '00003nqk8n',
  tick: 40,
  time: 0.8,
  place: { x: 1.5, y: -2, road: 'r1', street: 'Quay Street' },
  kind: 'building',
  vehicles: [],
  other: [{ kind: 'building', hazard: null, ...FIXED }],
  closing_speed: 5.25,
  deformation_energy: 482,
  explained: false,
  failures: [],
  earned: { severity: 'slight', injury_risk: 0.01, points: 3, repair_cost: 120.5 },
};

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
    const about = {
      vin: null,
      feature: null,
      hazard: 'h1',
      incident: null,
      consequence: null,
      distance: null,
      count: 1,
      message,
    };
    world.eventList = [{ seq: 1, tick: 2, time: 0.04, kind: 'hazard', ...about }];
    const url = `${front.twinUrl}/api/v1/worlds/${world.id}${path}`;
    const { status, body } = await ask(url);
    expect(status).toBe(200);
    expect(faultsOf(schema, body)).toBeNull();
    const packed = await fetch(url, { headers: { Accept: 'application/msgpack' } });
    expect(packed.headers.get('content-type')).toBe('application/msgpack');
    expect(packed.headers.get('vary')).toMatch(/\bAccept$/);
    expect(decode(await packed.arrayBuffer())).toEqual(body);
    expect(world.touches).toBe(2);
  });

  test('that is not in memory is loaded', async () => {
    const world = front.service.add();
    front.service.cold.add(world);
    world.isHot = false;
    const { status, body } = await get(`/api/v1/worlds/${world.id}/state`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ type: 'snapshot', world: world.id });
    expect(world.touches).toBe(1);
  });

  test('that is quarantined is 503 with Retry-After', async () => {
    const world = front.service.add();
    world.isHot = false;
    world.failure = new TwinError('world_unavailable', undefined, 60);
    const { status, headers, body } = await get(`/api/v1/worlds/${world.id}/state`);
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: 'world_unavailable' });
    expect(headers.get('retry-after')).toBe('60');
  });

  test('is not made by a POST that is refused', async () => {
    const wrong = { method: 'POST', body: '{"seed":-1}' };
    expect((await ask(`${front.twinUrl}/api/v1/worlds`, wrong)).status).toBe(400);
    expect(front.service.worlds.size).toBe(0);
  });

  test('answers 404 for an unknown incident and its replay', async () => {
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

  test('has the recorded frames and the tick of the contact', async () => {
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

describe('with limits', () => {
  let limited: TestFront;

  beforeEach(() => {
    limited = openTestFront({ rateLimits: DEFAULT_RATE_LIMITS });
  });

  afterEach(() => limited.close());

  const make = () => ask(`${limited.twinUrl}/api/v1/worlds`, { method: 'POST' });

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

  test('[L25] an address has so many living worlds; refused ones, and deleted ones, do not count', async () => {
    const few = openTestFront({
      rateLimits: { ...DEFAULT_RATE_LIMITS, livingWorldsPerAddress: 20 },
    });
    const makeWith = (body: string) =>
      ask(`${few.twinUrl}/api/v1/worlds`, { method: 'POST', body });
    const dear = await statuses(30, () => makeWith('{"start_tick": 90000}'));
    expect(dear).toContain(429);
    const left = 20 - dear.filter((status) => status === 201).length;
    expect(left).toBeGreaterThan(0);
    await few.time.advance(60_000);
    expect(await statuses(left + 1, () => makeWith(''))).toEqual([...Array(left).fill(201), 429]);
    few.service.deleted[0]?.();
    expect(await statuses(2, () => makeWith(''))).toEqual([201, 429]);
    await few.close();
  });

  test('[I31] who asks for incidents pays for their explanation, and gets them even if it cannot', async () => {
    const world = limited.service.add();
    world.incidentList = [INCIDENT];
    const url = `${limited.twinUrl}/api/v1/worlds/${world.id}/incidents`;
    for (const path of ['', '/i40-0']) {
      expect((await ask(url + path)).status).toBe(200);
      expect(world.asker?.affords(SEARCH_TICKS)).toBe(true);
    }
    world.asker?.spend(2_000_000);
    expect(world.asker?.affords(SEARCH_TICKS)).toBe(false);
    expect((await make()).status).toBe(429);
    expect((await ask(`${url}/i40-0`)).status).toBe(200);
  });

  test('[L27] an address has 16 replays under way', async () => {
    const world = limited.service.add();
    world.incidentList = [INCIDENT];
    const end = Promise.withResolvers<void>();
    world.replaysEnd = end.promise;
    const replay = () => ask(`${limited.twinUrl}/api/v1/worlds/${world.id}/incidents/i40-0/replay`);
    const answers = Array.from({ length: 17 }, async () => (await replay()).status);
    expect(await Promise.race(answers)).toBe(429);
    end.resolve();
    expect((await Promise.all(answers)).toSorted()).toEqual([...Array(16).fill(200), 429]);
    expect((await replay()).status).toBe(200);
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
