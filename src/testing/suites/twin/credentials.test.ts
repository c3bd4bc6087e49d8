import { beforeAll, describe, expect, test } from 'vitest';
import { useNodes } from '../../rigs/nodes.ts';
import { Api, raw, useTwin, vinOf } from './api.ts';
import type { World } from './wire.ts';

const api = useTwin();
const nodes = useNodes();
let world: World;
beforeAll(async () => {
  world = await api.makeWorld();
});

const PATH = '/api/v1/vehicle/route';
const routeWith = (headers: Record<string, string>) => api.get('Route', PATH, { headers });
const refusedWith = (headers: Record<string, string>, path = PATH) =>
  api.refusal(path, { headers });

describe('the VIN of a vehicle call', () => {
  test.each(['VIN', 'vin', 'Vin', 'vIN'])('[F20] comes as Authorization: %s …', async (scheme) => {
    const vin = vinOf(world, 7);
    expect((await routeWith({ Authorization: `${scheme} ${vin}` })).vin).toBe(vin);
  });

  test('[F20] comes as X-VIN as well', async () => {
    const vin = vinOf(world, 8);
    expect((await routeWith({ 'X-VIN': vin })).vin).toBe(vin);
  });

  test('[F20] counts in Authorization first', async () => {
    const [vin, other] = [vinOf(world, 1), vinOf(world, 2)];
    const both = { Authorization: `VIN ${vin}`, 'X-VIN': other };
    expect((await routeWith(both)).vin).toBe(vin);
    const wrong = { Authorization: 'VIN 11111111111111111', 'X-VIN': other };
    expect(await refusedWith(wrong)).toEqual([401, 'unknown_vin']);
  });

  test.each(['Bearer', 'Basic', 'VINS', 'VI'])(
    'counts in X-VIN beside scheme %s',
    async (scheme) => {
      const [vin, other] = [vinOf(world, 1), vinOf(world, 2)];
      const headers = { Authorization: `${scheme} ${other}`, 'X-VIN': vin };
      expect((await routeWith(headers)).vin).toBe(vin);
    },
  );

  test('[F21] may be in lower case and have blanks around it', async () => {
    const vin = vinOf(world, 3);
    const small = vin.toLowerCase();
    expect((await routeWith({ Authorization: `VIN ${small}` })).vin).toBe(vin);
    expect((await routeWith({ 'X-VIN': small })).vin).toBe(vin);
    for (const line of [`Authorization:  VIN   ${vin}  `, `X-VIN:   ${small}  `, `x-vin:${vin}`]) {
      const answer = await raw(api.url, [`GET ${PATH} HTTP/1.1`, line]);
      answer.socket.destroy();
      expect(JSON.parse(answer.body.toString()).vin).toBe(vin);
    }
  });

  test('[F22] is asked for where there is none', async () => {
    expect(await refusedWith({})).toEqual([401, 'missing_vin']);
    expect(await refusedWith({ 'X-VIN': '' })).toEqual([401, 'missing_vin']);
    expect(await refusedWith({ Authorization: 'Bearer abc' })).toEqual([401, 'missing_vin']);
  });

  test('is not taken out of the query', async () => {
    const path = `${PATH}?vin=${vinOf(world, 0)}`;
    expect(await refusedWith({}, path)).toEqual([401, 'missing_vin']);
  });

  test.each([
    'x',
    '1HGCM82633A004352',
    '1HGCM82633A00435',
    '1HGCM82633A0043522',
    'IOQIOQIOQIOQIOQIO',
    '00000000000000000',
    '%00%00%00%00%00%00',
    'constructor',
  ])('[F22] is refused where it is %s', async (vin) => {
    expect(await refusedWith({ 'X-VIN': vin })).toEqual([401, 'unknown_vin']);
    expect(await refusedWith({ Authorization: `VIN ${vin}` })).toEqual([401, 'unknown_vin']);
  });

  test('[F22] is refused with every wrong check digit', async () => {
    const vin = vinOf(world, 5);
    for (const digit of '0123456789X') {
      if (digit === vin.charAt(8)) continue;
      const wrong = `${vin.slice(0, 8)}${digit}${vin.slice(9)}`;
      expect(await refusedWith({ 'X-VIN': wrong })).toEqual([401, 'unknown_vin']);
    }
  });

  test('is refused where it is of a world in another store', async () => {
    const foreign = await new Api((await nodes.inProcess()).twinUrl).makeWorld();
    const headers = { 'X-VIN': vinOf(foreign, 0) };
    expect(await refusedWith(headers)).toEqual([401, 'unknown_vin']);
  });
});

describe('every vehicle call', () => {
  test.each([
    ['GET', ''],
    ['GET', '/features'],
    ['PATCH', '/features'],
    ['PUT', '/features/aeb'],
    ['POST', '/features/reset'],
    ['GET', '/telemetry'],
    ['GET', '/route'],
    ['GET', '/incidents'],
  ])('[F22] %s /api/v1/vehicle%s needs a known VIN', async (method, path) => {
    const body = method === 'GET' ? {} : { body: '{"aeb":true,"enabled":true}' };
    for (const [headers, code] of [
      [{}, 'missing_vin'],
      [{ 'X-VIN': '1HGCM82633A004352' }, 'unknown_vin'],
    ] as const) {
      const ask = { method, headers, ...body };
      expect(await api.refusal(`/api/v1/vehicle${path}`, ask)).toEqual([401, code]);
    }
  });
});

describe('calls without a credential', () => {
  test('[F23] are all that worlds, catalogues and streams need', async () => {
    for (const path of ['', '/map', '/state', '/incidents', '/events', '/journal']) {
      expect((await api.ask(`/api/v1/worlds/${world.id}${path}`)).status).toBe(200);
    }
    expect((await api.ask('/api/v1/features')).status).toBe(200);
    expect((await api.ask('/api/v1/cities')).status).toBe(200);
  });

  test('are not refused for a credential that is wrong', async () => {
    const headers = { Authorization: 'VIN x', 'X-VIN': 'x' };
    expect((await api.ask(`/api/v1/worlds/${world.id}`, { headers })).status).toBe(200);
  });
});
