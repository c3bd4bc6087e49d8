import { beforeAll, describe, expect, test } from 'vitest';
import { useTwin, vinOf } from './api.ts';
import { handshake } from './stream-client.ts';
import { FEATURES, type World } from './wire.ts';

const api = useTwin();
let world: World;
let vin: string;
beforeAll(async () => {
  world = await api.makeWorld();
  vin = vinOf(world, 0);
});

const FEATURES_PATH = '/api/v1/vehicle/features';

const patch = (body: string, headers: Record<string, string> = {}) =>
  api.refusal(FEATURES_PATH, { method: 'PATCH', vin, body, headers });
const put = (name: string, body: string) =>
  api.refusal(`${FEATURES_PATH}/${name}`, { method: 'PUT', vin, body });

describe('400', () => {
  test.each(['radio', 'AEB', '', '__proto__', 'constructor', 'toString', 'aeb '])(
    '[F18] unknown_feature for the name %j',
    async (name) => {
      expect(await patch(`{${JSON.stringify(name)}:true}`)).toEqual([400, 'unknown_feature']);
      if (name === '') return;
      const path = encodeURIComponent(name);
      expect(await put(path, '{"enabled":true}')).toEqual([400, 'unknown_feature']);
    },
  );

  test('[F18] unknown_feature has a hint with all the names', async () => {
    const ask = { method: 'PATCH', vin, json: { radio: true } };
    const { hint } = await api.refused(FEATURES_PATH, ask);
    expect(hint.match(/[a-z]+_[a-z_]+|\b(steering|brakes|throttle|aeb|esc)\b/g)).toEqual(FEATURES);
  });

  test.each(['"true"', '1', '0', 'null', '[]', '{}', '"off"'])(
    '[F19] invalid_value for the value %s',
    async (value) => {
      expect(await patch(`{"aeb":${value}}`)).toEqual([400, 'invalid_value']);
      expect(await put('aeb', `{"enabled":${value}}`)).toEqual([400, 'invalid_value']);
    },
  );

  test('invalid_value for a PUT that says nothing', async () => {
    expect(await put('aeb', '{}')).toEqual([400, 'invalid_value']);
  });

  test.each(['', '{', '{"aeb":true,}', "{'aeb':true}", '{"aeb":True}', '{}{}', 'aeb=true'])(
    '[H8] invalid_json for the body %j',
    async (body) => {
      expect(await patch(body)).toEqual([400, 'invalid_json']);
      expect(await put('aeb', body)).toEqual([400, 'invalid_json']);
    },
  );

  test('[L12] invalid_json for a body that nests far too deep', async () => {
    const body = '['.repeat(30_000) + ']'.repeat(30_000);
    expect(await patch(body)).toEqual([400, 'invalid_json']);
  });

  test('invalid_json for bytes that are no UTF-8', async () => {
    const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const ask = { method: 'PATCH', vin, body };
    expect(await api.refusal(FEATURES_PATH, ask)).toEqual([400, 'invalid_json']);
  });

  test.each(['[]', '"aeb"', 'true', 'null', '7', '[{"aeb":true}]'])(
    'invalid_body for the JSON %s',
    async (body) => {
      expect(await patch(body)).toEqual([400, 'invalid_body']);
      expect(await put('aeb', body)).toEqual([400, 'invalid_body']);
    },
  );

  test('is not given for a content type that is not JSON’s', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    const ask = { method: 'PATCH', vin, headers, body: '{"aeb":true}' };
    expect((await api.ask(FEATURES_PATH, ask)).status).toBe(200);
  });
});

describe('the order of checks', () => {
  const asked = (method: string, path: string, body: string, as?: string) =>
    api.refusal(`${FEATURES_PATH}${path}`, { method, vin: as, body });

  test('[F24] is VIN before JSON', async () => {
    expect(await asked('PATCH', '', '{')).toEqual([401, 'missing_vin']);
    expect(await asked('PATCH', '', '{', 'x')).toEqual([401, 'unknown_vin']);
    expect(await asked('PUT', '/radio', '{')).toEqual([401, 'missing_vin']);
    expect(await asked('PUT', '/radio', '{"enabled":7}', 'x')).toEqual([401, 'unknown_vin']);
  });

  test('[F24] is JSON before names', async () => {
    expect(await asked('PUT', '/radio', '{', vin)).toEqual([400, 'invalid_json']);
    expect(await asked('PUT', '/radio', '[]', vin)).toEqual([400, 'invalid_body']);
    expect(await asked('PATCH', '', '{"radio":7', vin)).toEqual([400, 'invalid_json']);
  });

  test('[F24] is names before values', async () => {
    const unknown = [400, 'unknown_feature'];
    expect(await asked('PATCH', '', '{"aeb":7,"radio":true}', vin)).toEqual(unknown);
    expect(await asked('PATCH', '', '{"radio":7,"aeb":true}', vin)).toEqual(unknown);
    expect(await asked('PUT', '/radio', '{"enabled":7}', vin)).toEqual(unknown);
  });
});

describe('404', () => {
  const BELOW = ['', '/map', '/state', '/incidents', '/incidents/i1-0', '/events', '/journal'];

  test.each([...BELOW, '/incidents/i1-0/replay', '/incidents/i1-0/replay?with=wings'])(
    '[H2] unknown_world for every call about a world: %j',
    async (path) => {
      for (const id of [
        '0000000000',
        'x',
        '000000000',
        '00000000000',
        'iiiiiiiiii',
        '%00',
        'a%2Fb',
      ]) {
        expect(await api.refusal(`/api/v1/worlds/${id}${path}`)).toEqual([404, 'unknown_world']);
      }
    },
  );

  test('[W10] unknown_world for an id in capitals', async () => {
    const letters = (id: string) => id !== id.toUpperCase();
    let lettered = world;
    while (!letters(lettered.id)) lettered = await api.makeWorld();
    const id = lettered.id.toUpperCase();
    expect(await api.refusal(`/api/v1/worlds/${id}`)).toEqual([404, 'unknown_world']);
    const { status, socket } = await handshake(api.url, `/ws/worlds/${id}`);
    socket.destroy();
    expect(status).toBe(404);
  });

  test('unknown_incident for an id that no report has', async () => {
    for (const id of ['x', 'i0-0', 'i999999999-0', '0', '%ff%00', '__proto__']) {
      const refusal = await api.refusal(`/api/v1/worlds/${world.id}/incidents/${id}`);
      // A path that is not even percent-encoded text leads nowhere.
      expect(refusal).toEqual([404, id === '%ff%00' ? 'not_found' : 'unknown_incident']);
    }
  });

  test.each([
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/worlds',
    '/api/v1/worlds/',
    '/api/v1/world',
    '/api/v1/vehicle/',
    '/api/v1/vehicle/features/aeb/x',
    '/api/v1/features/aeb',
    '/api/v1/worlds/0000000000/cars',
    '/ws',
    '/ws/worlds',
    '/healthz',
    '/readyz',
    '/metrics',
    '/index.html',
    '/package.json',
  ])('[H5] not_found for %s', async (path) => {
    expect(await api.refusal(path)).toEqual([404, 'not_found']);
    expect(await api.refusal(path, { method: 'POST', body: '{}' })).toEqual([404, 'not_found']);
  });
});

describe('405', () => {
  test.each([
    ['/api/v1/worlds', ['POST'], ['GET', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}/map', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}/state', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}/incidents', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}/incidents/i1-0', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}/incidents/i1-0/replay', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}/events', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/worlds/{id}/journal', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/features', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/cities', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/vehicle', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/vehicle/features', ['GET', 'PATCH'], ['POST', 'PUT', 'DELETE']],
    ['/api/v1/vehicle/features/aeb', ['PUT'], ['GET', 'POST', 'DELETE', 'PATCH']],
    ['/api/v1/vehicle/features/reset', ['POST'], ['GET', 'DELETE', 'PATCH']],
    ['/api/v1/vehicle/telemetry', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/vehicle/route', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/v1/vehicle/incidents', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/ws/worlds/{id}', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/', ['GET'], ['POST', 'PUT', 'DELETE', 'PATCH']],
  ])(
    '[H6] method_not_allowed at %s for all but %j',
    async (path, allowed, wrong) => {
      for (const method of wrong) {
        const at = path.replace('{id}', world.id);
        const body = method === 'GET' ? {} : { body: '{}' };
        const { status, error, headers } = await api.refused(at, { method, vin, ...body });
        expect([status, error, method]).toEqual([405, 'method_not_allowed', method]);
        const allow = (headers.get('Allow') ?? '').split(',').map((name) => name.trim());
        expect(allow.filter((name) => name !== 'OPTIONS' && name !== 'HEAD').toSorted()).toEqual(
          allowed,
        );
      }
    },
    20_000,
  );
});

describe('413', () => {
  const body = (bytes: number) => `{"aeb":true${' '.repeat(bytes - 12)}}`;

  test('[L11] body_too_large for more than 64 KiB', async () => {
    expect(body(65_536)).toHaveLength(65_536);
    const whole = await api.ask(FEATURES_PATH, { method: 'PATCH', vin, body: body(65_536) });
    expect(whole.status).toBe(200);
    expect(await patch(body(65_537))).toEqual([413, 'body_too_large']);
    expect(await patch(body(300_000))).toEqual([413, 'body_too_large']);
  });

  test('body_too_large for a call that needs no body', async () => {
    const ask = { method: 'POST', vin, body: body(65_537) };
    expect(await api.refusal(`${FEATURES_PATH}/reset`, ask)).toEqual([413, 'body_too_large']);
  });
});

describe('415', () => {
  test.each(['gzip', 'br', 'deflate', 'zstd', 'identity', 'x'])(
    '[H7] unsupported_encoding for Content-Encoding: %s',
    async (encoding) => {
      const headers = { 'Content-Encoding': encoding };
      expect(await patch('{"aeb":true}', headers)).toEqual([415, 'unsupported_encoding']);
      const ask = { method: 'POST', headers, body: '{}' };
      expect(await api.refusal('/api/v1/worlds', ask)).toEqual([415, 'unsupported_encoding']);
    },
  );
});

describe('426', () => {
  test('upgrade_required for a stream that is asked for like a page', async () => {
    const { status, error, headers } = await api.refused(`/ws/worlds/${world.id}`);
    expect([status, error]).toEqual([426, 'upgrade_required']);
    expect(headers.get('Upgrade')).toBe('websocket');
  });
});
