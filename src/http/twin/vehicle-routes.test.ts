import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { F_ALL } from '../../../assembly/layout.ts';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import { type FakeWorld, STORE_DOWN } from '../../testing/doubles/fake-twin.ts';
import { incidentWith } from '../../testing/doubles/incident.ts';
import {
  type Answer,
  ask,
  faultsOf,
  openTestFront,
  type TestFront,
} from '../../testing/doubles/test-front.ts';
import { featureState } from '../../twin/catalogue.ts';
import type { Incident } from '../../twin/wire.ts';
import * as schemas from './schemas.ts';

const CAR = 3;
const ALL_ON = featureState(F_ALL);

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
    ['an X-VIN of blanks', () => ({ 'X-VIN': ' ' }), 'missing_vin'],
    ['a scheme alone', () => ({ Authorization: 'VIN' }), 'missing_vin'],
    ['no scheme', () => ({ Authorization: vin }), 'missing_vin'],
    ['a VIN of no car', () => ({ 'X-VIN': vin.slice(1) }), 'unknown_vin'],
  ])('%s is 401', async (_, headers, code) => {
    const { status, body, headers: answered } = await read(headers());
    expect(status).toBe(401);
    expect(body).toEqual({ error: code, hint: expect.any(String) });
    expect(answered.get('www-authenticate')).toBe('VIN');
    expect(world.touches).toBe(0);
  });

  test('of a world that is not in memory loads it', async () => {
    front.service.cold.add(world);
    expect((await read({ 'X-VIN': vin })).status).toBe(200);
    expect(front.service.loads).toBe(1);
  });

  test('is 503 while the store is unavailable', async () => {
    front.service.cold.add(world);
    front.service.loadFailure = STORE_DOWN;
    const { status, body } = await read({ 'X-VIN': vin });
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: 'store_unavailable' });
  });
});

describe('reading', () => {
  test('telemetry shows the car', async () => {
    for (const isHot of [true, false]) {
      world.isHot = isHot;
      const { status, body } = await call('GET', '/telemetry');
      expect(status).toBe(200);
      expect(faultsOf(schemas.Telemetry, body)).toBeNull();
      expect(body).toMatchObject({ vin, world: world.id, gap: null, status: 'driving' });
    }
    expect(world.touches).toBe(2);
  });

  test('the vehicle has its identity, features, telemetry and incidents', async () => {
    const [mine, other] = [incident('i1-0', vin), incident('i2-0', 'somebody else')];
    world.incidentList = [mine, other, incident('i3-0', vin)];
    const { status, body } = await call('GET', '');
    expect(status).toBe(200);
    expect(faultsOf(schemas.Vehicle, body)).toBeNull();
    expect(body).toMatchObject({
      ...world.fleet[CAR],
      world: world.id,
      configuration: ALL_ON,
      telemetry: { vin },
      incidents: ['i1-0', 'i3-0'],
    });
  });

  test('[I34] the tag of one car is none of another: both lists have one address', async () => {
    const of = (index: number, tag = '') =>
      call('GET', '/incidents', undefined, {
        Authorization: `VIN ${world.fleet[index]?.vin}`,
        'If-None-Match': tag,
      });
    const tag = (await of(CAR)).headers.get('etag') ?? '';
    expect([(await of(CAR, tag)).status, (await of(CAR + 1, tag)).status]).toEqual([304, 200]);
  });

  test('incidents are those of the car', async () => {
    world.incidentList = [incident('i1-0', vin), incident('i2-0', world.fleet[0]?.vin ?? '')];
    const { body } = await call('GET', '/incidents');
    expect(faultsOf(schemas.Incidents, body)).toBeNull();
    expect(body).toMatchObject([{ id: 'i1-0' }]);
  });

  function incident(id: string, ofVin: string): Incident {
    return incidentWith(ofVin, { id, world: world.id });
  }
});

describe('PATCH features', () => {
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

describe('POST reset', () => {
  test('[F13] switches everything on and ignores the body', async () => {
    await call('PATCH', '/features', '{"brakes":false,"aeb":false}');
    const { status, body } = await call('POST', '/features/reset', 'no JSON');
    expect(status).toBe(200);
    expect(body).toEqual(ALL_ON);
  });
});

test('[L3] a vehicle accepts 50 changes a second, and other vehicles are not affected', async () => {
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

test('[L19] a change is refused before its body is parsed, and a broken one costs as much', async () => {
  const workMs = { burst: 5, perS: 1 };
  const limited = openTestFront({ rateLimits: { ...DEFAULT_RATE_LIMITS, workMs } });
  const ofVin = limited.service.add().fleet[0]?.vin ?? '';
  const patch = (body: string) =>
    ask(`${limited.twinUrl}/api/v1/vehicle/features`, {
      method: 'PATCH',
      headers: { 'X-VIN': ofVin },
      body,
    });
  const broken = await patch('{'.repeat(65_536));
  const refused = await patch('{'.repeat(65_536));
  await limited.time.advance(4000);
  const later = await patch('{}');
  await limited.close();
  expect([broken.status, refused.status, later.status]).toEqual([400, 429, 200]);
  expect(refused.headers.get('retry-after')).toBe('5');
});

test('[L28] of eight short changes one pays, for all of them', async () => {
  const workMs = { burst: 2, perS: 1e-3 };
  const limited = openTestFront({ rateLimits: { ...DEFAULT_RATE_LIMITS, workMs } });
  const ofVin = limited.service.add().fleet[0]?.vin ?? '';
  const statuses = [];
  for (let i = 0; i < 17; i++) {
    const change = { method: 'PATCH', headers: { 'X-VIN': ofVin }, body: '{"aeb":false}' };
    statuses.push((await ask(`${limited.twinUrl}/api/v1/vehicle/features`, change)).status);
  }
  await limited.close();
  expect(statuses).toEqual([...new Array(15).fill(200), 429, 200]);
});

test('[H18] no VIN and no body appears in metrics or logs', async () => {
  await call('PATCH', '/features', '{"aeb":"canary"}');
  world.failure = new Error('broken');
  await call('POST', '/features/reset');
  const text = await (await fetch(`${front.opsUrl}/metrics`)).text();
  expect(text).toContain('route="PATCH /api/v1/vehicle/features",status="400"} 1');
  const everything = text + front.logLines.join('\n');
  expect(everything).not.toContain(vin);
  expect(everything).not.toContain('canary');
});
