import { decode } from '@msgpack/msgpack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import { type FakeWorld, STORE_DOWN } from '../../testing/doubles/fake-twin.ts';
import {
  type Answer,
  ask,
  faultsOf,
  openTestFront,
  type TestFront,
} from '../../testing/doubles/test-front.ts';
import type { Incident } from '../../twin/wire.ts';
import * as schemas from './schemas.ts';

const CAR = 3;
const ALL = {
  steering: true,
  brakes: true,
  throttle: true,
  front_camera: true,
  front_radar: true,
  corner_radars: true,
  aeb: true,
  animal_detection: true,
  evasive_steering: true,
  traffic_light_recognition: true,
  intersection_assist: true,
  esc: true,
};
const ALL_ON = Object.fromEntries(Object.keys(ALL).map((name) => [name, 'on']));

let front: TestFront;
let world: FakeWorld;
let vin: string;

beforeEach(() => {
  front = openTestFront();
  world = front.service.add();
  vin = world.fleet[CAR]?.vin ?? '';
});

afterEach(() => front.close());

function call(
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = { Authorization: `VIN ${vin}` },
): Promise<Answer> {
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  return ask(`${front.twinUrl}/api/v1/vehicle${path}`, init);
}

describe('the credential', () => {
  const read = (headers: Record<string, string>) => call('GET', '/features', undefined, headers);

  test.each([
    ['the header Authorization', () => ({ Authorization: `VIN ${vin}` })],
    ['a scheme in lower case', () => ({ Authorization: `vin ${vin}` })],
    ['a VIN in lower case', () => ({ Authorization: `Vin ${vin.toLowerCase()}` })],
    ['blanks around the VIN', () => ({ Authorization: `VIN   ${vin}  ` })],
    ['the header X-VIN', () => ({ 'X-VIN': vin })],
    ['X-VIN in lower case with blanks', () => ({ 'X-VIN': `  ${vin.toLowerCase()} ` })],
    ['X-VIN beside another scheme', () => ({ Authorization: 'Bearer x', 'X-VIN': vin })],
    ['Authorization before a wrong X-VIN', () => ({ Authorization: `VIN ${vin}`, 'X-VIN': 'X' })],
  ])('may be %s', async (_, headers) => {
    expect((await read(headers())).status).toBe(200);
    expect(world.touches).toBe(1);
  });

  test.each([
    ['nothing', () => ({}), 'missing_vin'],
    ['an empty X-VIN', () => ({ 'X-VIN': ' ' }), 'missing_vin'],
    ['a scheme alone', () => ({ Authorization: 'VIN' }), 'missing_vin'],
    ['another scheme', () => ({ Authorization: `Bearer ${vin}` }), 'missing_vin'],
    ['no scheme', () => ({ Authorization: vin }), 'missing_vin'],
    ['a VIN too short', () => ({ 'X-VIN': vin.slice(1) }), 'unknown_vin'],
    ['a letter that no VIN has', () => ({ 'X-VIN': `${vin.slice(0, 16)}O` }), 'unknown_vin'],
    ['a wrong check digit', () => ({ 'X-VIN': wrongCheckDigit(vin) }), 'unknown_vin'],
    ['a real car', () => ({ 'X-VIN': '1M8GDM9AXKP042788' }), 'unknown_vin'],
    ['a wrong VIN first', () => ({ Authorization: 'VIN X', 'X-VIN': vin }), 'unknown_vin'],
  ])('%s is 401', async (_, headers, code) => {
    const { status, body, headers: answered } = await read(headers());
    expect(status).toBe(401);
    expect(body).toEqual({ error: code, hint: expect.any(String) });
    expect(answered.get('www-authenticate')).toBe('VIN');
    expect(world.touches).toBe(0);
  });

  test('[F22] of a world that was dropped is unknown', async () => {
    front.service.worlds.clear();
    const { status, body } = await read({ 'X-VIN': vin });
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: 'unknown_vin' });
  });

  test('of a world that is not at hand has it loaded', async () => {
    front.service.cold.add(world);
    expect((await read({ 'X-VIN': vin })).status).toBe(200);
    expect(front.service.loads).toBe(1);
  });

  test('cannot be looked up while the store is out of reach', async () => {
    front.service.cold.add(world);
    front.service.loadFailure = STORE_DOWN;
    const { status, body } = await read({ 'X-VIN': vin });
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: 'store_unavailable' });
  });
});

function wrongCheckDigit(right: string): string {
  return `${right.slice(0, 8)}${right[8] === '1' ? '2' : '1'}${right.slice(9)}`;
}

describe('reading', () => {
  test('features shows what is declared and what it comes to', async () => {
    expect((await call('GET', '/features')).body).toEqual({
      declared: ALL,
      effective: ALL_ON,
      missing: {},
    });
  });

  test('features is the same in MessagePack', async () => {
    const headers = { 'X-VIN': vin, Accept: 'application/msgpack' };
    const response = await fetch(`${front.twinUrl}/api/v1/vehicle/features`, { headers });
    expect(decode(await response.arrayBuffer())).toEqual((await call('GET', '/features')).body);
  });

  test('telemetry shows the car', async () => {
    for (const isHot of [true, false]) {
      world.isHot = isHot;
      const { status, body } = await call('GET', '/telemetry');
      expect(status).toBe(200);
      expect(faultsOf(schemas.Telemetry, body)).toBeNull();
      expect(body).toMatchObject({ vin, world: world.id, gap: null, status: 'driving' });
    }
  });

  test('route is a closed loop of lanes that lead to each other', async () => {
    const { body } = await call('GET', '/route');
    expect(faultsOf(schemas.Route, body)).toBeNull();
    const { lanes, streets, length } = body as {
      lanes: string[];
      streets: string[];
      length: number;
    };
    const next = new Map(
      world.city.lanes.map((lane) => [lane.id, lane.next.map((i) => world.city.lanes[i]?.id)]),
    );
    lanes.forEach((lane, i) => {
      expect(next.get(lane)).toContain(lanes[(i + 1) % lanes.length]);
    });
    streets.forEach((street, i) => {
      expect(street).not.toBe(streets[(i + 1) % streets.length]);
    });
    expect(length).toBeGreaterThan(100);
  });

  test('the vehicle shows everything at once', async () => {
    const [mine, other] = [incident('i1-0', vin), incident('i2-0', 'somebody else')];
    world.incidentList = [mine, other, incident('i3-0', vin)];
    const { status, body } = await call('GET', '');
    expect(status).toBe(200);
    expect(faultsOf(schemas.Vehicle, body)).toBeNull();
    expect(body).toMatchObject({
      ...world.fleet[CAR],
      world: world.id,
      configuration: { declared: ALL },
      telemetry: { vin },
      incidents: ['i1-0', 'i3-0'],
    });
  });

  test('incidents shows those of the car', async () => {
    world.incidentList = [incident('i1-0', vin), incident('i2-0', world.fleet[0]?.vin ?? '')];
    const { body } = await call('GET', '/incidents');
    expect(faultsOf(schemas.Incidents, body)).toBeNull();
    expect(body).toMatchObject([{ id: 'i1-0' }]);
  });

  function incident(id: string, ofVin: string): Incident {
    const party = { vin: ofVin, model: 'm', plate: 'p', speed: 5, delta_v: 2, heading: 0 };
    return {
      id,
      world: world.id,
      tick: 1,
      time: 0.02,
      place: { x: 0, y: 0, road: 'r1', street: 's' },
      kind: 'obstacle',
      vehicles: [{ ...party, role: 'striking', off: ['aeb'], degraded: [] }],
      other: [],
      explained: true,
      failures: [],
      earned: { severity: 'slight', injury_risk: 0, points: 0, repair_cost: 0 },
    };
  }
});

describe('PATCH features', () => {
  test('switches what is named and leaves the rest', async () => {
    const { status, body } = await call(
      'PATCH',
      '/features',
      '{"front_radar":false,"brakes":true}',
    );
    expect(status).toBe(200);
    expect(faultsOf(schemas.FeatureState, body)).toBeNull();
    expect(body).toEqual({
      declared: { ...ALL, front_radar: false },
      effective: { ...ALL_ON, front_radar: 'off' },
      missing: {},
    });
    expect((await call('GET', '/features')).body).toEqual(body);
  });

  test('degrades the functions that lose what they need', async () => {
    const { body } = await call('PATCH', '/features', '{"front_camera":false,"front_radar":false}');
    expect(body).toMatchObject({
      effective: { aeb: 'degraded', animal_detection: 'degraded', esc: 'on', front_camera: 'off' },
      missing: {
        aeb: ['front_camera', 'front_radar'],
        animal_detection: ['front_camera'],
        evasive_steering: ['front_camera'],
        traffic_light_recognition: ['front_camera'],
      },
    });
  });

  test('with nothing in it changes nothing', async () => {
    const { status, body } = await call('PATCH', '/features', '{}');
    expect(status).toBe(200);
    expect(body).toMatchObject({ declared: ALL });
  });

  test.each([
    ['', 'invalid_json'],
    ['{', 'invalid_json'],
    ['{"aeb":fals}', 'invalid_json'],
    ['\u{feff}{"aeb":NaN}', 'invalid_json'],
    ['[]', 'invalid_body'],
    ['null', 'invalid_body'],
    ['"aeb"', 'invalid_body'],
    ['true', 'invalid_body'],
    ['{"abs":false}', 'unknown_feature'],
    ['{"AEB":false}', 'unknown_feature'],
    ['{"":false}', 'unknown_feature'],
    ['{"constructor":false}', 'unknown_feature'],
    ['{"__proto__":false}', 'unknown_feature'],
    ['{"aeb":"off","abs":false}', 'unknown_feature'],
    ['{"aeb":false,"abs":1}', 'unknown_feature'],
    ['{"aeb":"false"}', 'invalid_value'],
    ['{"aeb":0}', 'invalid_value'],
    ['{"aeb":null}', 'invalid_value'],
    ['{"aeb":{}}', 'invalid_value'],
    ['{"brakes":false,"aeb":[]}', 'invalid_value'],
  ])('refuses %s with %s and changes nothing', async (text, code) => {
    const { status, body } = await call('PATCH', '/features', text);
    expect(status).toBe(400);
    expect(body).toEqual({ error: code, hint: expect.any(String) });
    expect(world.changes).toEqual([]);
  });

  test('refuses bytes that are no UTF-8', async () => {
    const init = {
      method: 'PATCH',
      headers: { 'X-VIN': vin },
      body: Buffer.from('{"\xff":1}', 'latin1'),
    };
    const { status, body } = await ask(`${front.twinUrl}/api/v1/vehicle/features`, init);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_json' });
  });

  test('names the features where one is unknown', async () => {
    const { body } = await call('PATCH', '/features', '{"abs":false}');
    const { hint } = body as { hint: string };
    for (const name of Object.keys(ALL)) expect(hint).toContain(name);
  });

  test('looks at the credential before anything else', async () => {
    const { status, body } = await call('PATCH', '/features', '{', {});
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: 'missing_vin' });
  });

  test('a body as deep as can be sent is not parsed at all', async () => {
    const deep = `{"aeb":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect((await call('PATCH', '/features', deep)).body).toMatchObject({ error: 'invalid_json' });
  });

  test('more than 64 KiB are 413', async () => {
    const { status, body } = await call('PATCH', '/features', '{}'.padEnd(65_537));
    expect(status).toBe(413);
    expect(body).toMatchObject({ error: 'body_too_large' });
    expect((await call('PATCH', '/features', '{}'.padEnd(65_536))).status).toBe(200);
  });

  test.each([
    [STORE_DOWN, 503, 'store_unavailable', '2'],
    [new TwinError('rate_limited', 'Make a new world.', 3600), 429, 'rate_limited', '3600'],
  ])('passes on %s', async (failure, status, code, retryAfter) => {
    world.failure = failure;
    const answer = await call('PATCH', '/features', '{"aeb":false}');
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: code, hint: failure.hint });
    expect(answer.headers.get('retry-after')).toBe(retryAfter);
  });

  test('[R1] is not answered before the change is durable', async () => {
    let open = () => {};
    world.gate = new Promise((resolve) => {
      open = resolve;
    });
    let isAnswered = false;
    const answer = call('PATCH', '/features', '{"aeb":false}').then((got) => {
      isAnswered = true;
      return got;
    });
    await call('GET', '/features');
    expect(isAnswered).toBe(false);
    open();
    expect((await answer).body).toMatchObject({ declared: { aeb: false } });
  });
});

describe('PUT one feature', () => {
  test('sets it and says what it comes to', async () => {
    await call('PATCH', '/features', '{"brakes":false}');
    const { status, body } = await call('PUT', '/features/esc', '{"enabled":true}');
    expect(status).toBe(200);
    expect(faultsOf(schemas.FeatureSetting, body)).toBeNull();
    expect(body).toEqual({
      name: 'esc',
      enabled: true,
      effective: 'degraded',
      missing: ['brakes'],
    });
    const off = await call('PUT', '/features/esc', '{"enabled":false}');
    expect(off.body).toEqual({ name: 'esc', enabled: false, effective: 'off', missing: [] });
  });

  test.each([
    ['abs', '{"enabled":true}', 'unknown_feature'],
    ['__proto__', '{"enabled":true}', 'unknown_feature'],
    ['abs', '{"enabled":"x"}', 'unknown_feature'],
    ['abs', '{', 'invalid_json'],
    ['aeb', '', 'invalid_json'],
    ['aeb', '[true]', 'invalid_body'],
    ['aeb', 'true', 'invalid_body'],
    ['aeb', '{}', 'invalid_value'],
    ['aeb', '{"enabled":1}', 'invalid_value'],
    ['aeb', '{"enabled":null}', 'invalid_value'],
    ['aeb', '{"aeb":true}', 'invalid_value'],
  ])('%s with %s is refused with %s', async (name, text, code) => {
    const { status, body } = await call('PUT', `/features/${name}`, text);
    expect(status).toBe(400);
    expect(body).toEqual({ error: code, hint: expect.any(String) });
    expect(world.changes).toEqual([]);
  });
});

describe('POST reset', () => {
  test('[F13] switches everything on, whatever is sent', async () => {
    await call('PATCH', '/features', '{"brakes":false,"aeb":false}');
    const { status, body } = await call('POST', '/features/reset', 'no JSON');
    expect(status).toBe(200);
    expect(body).toEqual({ declared: ALL, effective: ALL_ON, missing: {} });
  });

  test('needs a credential', async () => {
    expect((await call('POST', '/features/reset', undefined, {})).status).toBe(401);
    expect(world.changes).toEqual([]);
  });
});

test('[L3] a vehicle takes 50 changes a second, and its neighbours are not concerned', async () => {
  const limited = openTestFront({ rateLimits: DEFAULT_RATE_LIMITS });
  const [first, second] = limited.service.add().fleet;
  const reset = (ofVin = '') =>
    ask(`${limited.twinUrl}/api/v1/vehicle/features/reset`, {
      method: 'POST',
      headers: { 'X-VIN': ofVin },
    });
  const statuses = [];
  for (let i = 0; i < 51; i++) statuses.push((await reset(first?.vin)).status);
  const neighbour = await reset(second?.vin);
  await limited.time.advance(20);
  const later = await reset(first?.vin);
  await limited.close();
  expect(statuses).toEqual([...new Array(50).fill(200), 429]);
  expect([neighbour.status, later.status]).toEqual([200, 200]);
});

test('[H18] no VIN and no body ends up in metrics or logs', async () => {
  await call('PATCH', '/features', '{"aeb":"canary"}');
  world.failure = new Error('broken');
  await call('POST', '/features/reset');
  const text = await (await fetch(`${front.opsUrl}/metrics`)).text();
  expect(text).toContain('route="PATCH /api/v1/vehicle/features",status="400"} 1');
  const everything = text + front.logLines.join('\n');
  expect(everything).not.toContain(vin);
  expect(everything).not.toContain('canary');
});
