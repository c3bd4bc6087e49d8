import { describe, expect, test } from 'vitest';
import { vinOf as vinOfNumber } from '../../../twin/vin.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { Api, type Ask, vinOf } from './api.ts';
import { handshake, Stream } from './stream-client.ts';
import type { ErrorBody, World } from './wire.ts';

const nodes = useNodes();

/** So slow that nothing is refilled while a test runs. */
const NEVER = '0.001';

async function start(settings: Record<string, string> = {}): Promise<Api> {
  return new Api((await nodes.inProcess({ RATE_LIMITS: 'on', ...settings })).twinUrl);
}

const FEATURES = '/api/v1/vehicle/features';
const POST = { method: 'POST' };
const create = (api: Api, json: unknown = {}) => api.ask('/api/v1/worlds', { ...POST, json });
const createRefused = (api: Api, json: unknown = {}) =>
  api.refusal('/api/v1/worlds', { ...POST, json });
const LIMITED = [429, 'rate_limited'];

/** Many requests at once; how many had that status, all others being over the limit. */
async function flood(api: Api, path: string, ask: Ask, passing: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 300 }, () => api.ask(path, ask)));
  const refused = answers.filter(({ status }) => status !== passing);
  for (const { status, body, headers } of refused) {
    expect([status, (body as ErrorBody).error]).toEqual(LIMITED);
    expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  }
  expect(refused.length).toBeGreaterThan(0);
  return answers.length - refused.length;
}

describe('by default', () => {
  test('worlds, changes and misses have limits, each its own', async () => {
    const api = await start();
    const world = await api.makeWorld();
    // Sixty new worlds at once, one of them made already.
    const made = await flood(api, '/api/v1/worlds', { method: 'POST' }, 201);
    expect(made).toBeGreaterThanOrEqual(59);
    // Fifty changes a second of a car; another car is not concerned.
    const change = { method: 'PATCH', vin: vinOf(world, 0), json: { aeb: false } };
    expect(await flood(api, FEATURES, change, 200)).toBeGreaterThanOrEqual(50);
    await api.patch(vinOf(world, 1), { aeb: false });
    // Twenty things a second that are not there.
    const missed = await flood(api, '/api/v1/worlds/0000000000', {}, 404);
    expect(missed).toBeGreaterThanOrEqual(20);
  });
});

describe('the limit on new worlds', () => {
  test('[L1] is one for worlds made by POST and by visiting the root', async () => {
    const api = await start({ LIMIT_WORLDS_BURST: '2', LIMIT_WORLDS_PER_S: NEVER });
    expect((await create(api)).status).toBe(201);
    expect((await api.ask('/')).status).toBe(303);
    expect(await createRefused(api)).toEqual(LIMITED);
    expect(await api.refusal('/')).toEqual(LIMITED);
  });

  test('[L2] is not touched by options that are wrong', async () => {
    const api = await start({ LIMIT_WORLDS_BURST: '1', LIMIT_WORLDS_PER_S: NEVER });
    for (let i = 0; i < 3; i++) expect((await create(api, { seed: -1 })).status).toBe(400);
    expect((await create(api)).status).toBe(201);
  });

  test('leaves everything else alone', async () => {
    const api = await start({ LIMIT_WORLDS_BURST: '1', LIMIT_WORLDS_PER_S: NEVER });
    const world = await api.makeWorld();
    expect(await createRefused(api)).toEqual(LIMITED);
    await api.world('Snapshot', world, '/state');
    await api.patch(vinOf(world, 0), { aeb: false });
    await (await Stream.open(world.stream_url)).close();
  });

  test('[L2] fills up again', async () => {
    const settings = { RATE_LIMITS: 'on', LIMIT_WORLDS_BURST: '1', LIMIT_WORLDS_PER_S: '2' };
    const node = await nodes.inProcess(settings);
    const api = new Api(node.twinUrl);
    expect((await create(api)).status).toBe(201);
    expect(await createRefused(api)).toEqual(LIMITED);
    await node.skip(600);
    expect((await create(api)).status).toBe(201);
  });
});

describe('the limit on changes', () => {
  test('[L3] counts PATCH, PUT and reset of a car together', async () => {
    const api = await start({ LIMIT_FEATURE_WRITES_BURST: '3', LIMIT_FEATURE_WRITES_PER_S: NEVER });
    const world = await api.makeWorld();
    const vin = vinOf(world, 0);
    const reset: Ask = { method: 'POST', vin };
    const put: Ask = { method: 'PUT', vin, json: { enabled: true } };
    const patch: Ask = { method: 'PATCH', vin, json: { esc: false } };
    expect((await api.ask(`${FEATURES}/reset`, reset)).status).toBe(200);
    expect((await api.ask(`${FEATURES}/aeb`, put)).status).toBe(200);
    expect((await api.ask(FEATURES, patch)).status).toBe(200);
    expect(await api.refusal(FEATURES, { ...patch, json: { esc: true } })).toEqual(LIMITED);
    expect(await api.refusal(`${FEATURES}/aeb`, put)).toEqual(LIMITED);
    expect(await api.refusal(`${FEATURES}/reset`, reset)).toEqual(LIMITED);
    const state = await api.vehicle('FeatureState', vin, '/features');
    expect(state.declared.esc).toBe(false);
  });
});

describe('the limit on misses', () => {
  // Those of one world at a time: the node that would have it counts them.
  test.each([
    ['a world that is gone', '0000000000', vinOfNumber(0, 0)],
    ['no world at all', 'x', '1HGCM82633A004352'],
  ])('[L4] counts ids and VINs of %s together, and spares what is there', async (_, id, vin) => {
    const api = await start({ LIMIT_MISSES_BURST: '3', LIMIT_MISSES_PER_S: NEVER });
    const world = await api.makeWorld();
    expect((await api.ask(`/api/v1/worlds/${id}`)).status).toBe(404);
    expect((await api.ask('/api/v1/vehicle', { vin })).status).toBe(401);
    expect((await api.ask(`/api/v1/worlds/${id}/state`)).status).toBe(404);
    expect(await api.refusal(`/api/v1/worlds/${id}`)).toEqual(LIMITED);
    expect(await api.refusal('/api/v1/vehicle', { vin })).toEqual(LIMITED);
    await api.world('World', world);
    await api.vehicle('FeatureState', vinOf(world, 0), '/features');
  });
});

describe('the limit on streams', () => {
  test('[L5] is one of an address, and a stream that ends makes room', async () => {
    const api = await start({ LIMIT_SOCKETS: '2' });
    const world = await api.makeWorld();
    const streams = [await Stream.open(world.stream_url), await Stream.open(world.stream_url)];
    const refused = await handshake(api.url, `/ws/worlds/${world.id}`);
    refused.socket.destroy();
    const body = JSON.parse(refused.body.toString());
    expect([refused.status, body]).toEqual([
      429,
      { error: 'rate_limited', hint: expect.any(String) },
    ]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await streams[0]?.close();
    await until('the end of a stream', async () => {
      return (await api.world('World', world)).watchers === 1;
    });
    await (await Stream.open(world.stream_url)).close();
    await streams[1]?.close();
  });
});

describe('the limit on work', () => {
  const settings = { LIMIT_WORK_MS_BURST: '19', LIMIT_WORK_MS_PER_S: NEVER };

  test('[L6] is on what an address has computed by start_tick', async () => {
    const api = await start(settings);
    expect((await create(api, { start_tick: 3000 })).status).toBe(201);
    expect(await createRefused(api, { start_tick: 3000 })).toEqual(LIMITED);
    expect((await create(api, { start_tick: 2000 })).status).toBe(201);
    expect((await create(api)).status).toBe(201);
  });

  test('[L6] is on a journal as well', async () => {
    const api = await start(settings);
    const journal = { seed: 1, city: 'grid', tick: 4000, changes: [] };
    expect((await create(api, { journal })).status).toBe(201);
    expect(await createRefused(api, { journal })).toEqual(LIMITED);
  });
});

describe('the limits on forks', () => {
  const forkOf = (world: World, tick: number) => ({ fork: { world: world.id, tick } });

  test('[L35] are those on new worlds', async () => {
    const api = await start({ LIMIT_WORLDS_BURST: '2', LIMIT_WORLDS_PER_S: NEVER });
    const world = await api.makeWorld({ start_tick: 100 });
    expect((await create(api, forkOf(world, 100))).status).toBe(201);
    expect(await createRefused(api, forkOf(world, 100))).toEqual(LIMITED);
  });

  test('[L35] count what is lived for them, but not what is refused', async () => {
    const api = await start({ LIMIT_WORK_MS_BURST: '40', LIMIT_WORK_MS_PER_S: NEVER });
    const world = await api.makeWorld({ start_tick: 4000 });
    // 26 ms of 40 are left.
    expect((await create(api, forkOf(world, 8000))).status).toBe(400);
    expect((await create(api, forkOf(world, 4000))).status).toBe(201);
    expect(await createRefused(api, forkOf(world, 4000))).toEqual(LIMITED);
    expect((await create(api, forkOf(world, 2000))).status).toBe(201);
  });
});

describe('the limit on work, by past states', () => {
  test('[L33] counts what is lived again, and what is lived already costs nothing more', async () => {
    const api = await start({ LIMIT_WORK_MS_BURST: '40', LIMIT_WORK_MS_PER_S: NEVER });
    const world = await api.makeWorld({ start_tick: 6000 });
    const look = (tick: number) => `/api/v1/worlds/${world.id}/state?tick=${tick}`;
    // 20 ms of 40 are left: enough for 5000 ticks, and not for 4000 more.
    expect((await api.ask(look(5000))).status).toBe(200);
    expect(await api.refusal(look(4000))).toEqual(LIMITED);
    for (let i = 0; i < 3; i++) expect((await api.ask(look(5000))).status).toBe(200);
  });
});

describe('the limit on long bodies', () => {
  test('[L19] counts them before they are parsed, whatever is in them', async () => {
    const api = await start({ LIMIT_WORK_MS_BURST: '120', LIMIT_WORK_MS_PER_S: NEVER });
    const long = (bytes: number) => ({ method: 'POST', body: '['.padEnd(bytes) });
    const send = async (bytes: number) => (await api.refused('/api/v1/worlds', long(bytes))).status;
    // 73 ms each.
    expect(await send(1024 * 1024)).toBe(400);
    expect(await send(1024 * 1024)).toBe(429);
    expect(await send(16 * 1024)).toBe(400);
    expect(await send(500_000)).toBe(400);
    expect(await send(200_000)).toBe(429);
  });
});

describe('RATE_LIMITS=off', () => {
  test('[L7] lifts all of them', async () => {
    const limits = ['WORLDS', 'FEATURE_WRITES', 'MISSES', 'WORK_MS'].flatMap((name) => [
      [`LIMIT_${name}_BURST`, '1'],
      [`LIMIT_${name}_PER_S`, NEVER],
    ]);
    const settings = Object.fromEntries([...limits, ['LIMIT_SOCKETS', '1']]);
    const api = await start({ ...settings, RATE_LIMITS: 'off' });
    const worlds = [];
    for (let i = 0; i < 5; i++) worlds.push(await api.makeWorld({ start_tick: 500 }));
    const [world = await api.makeWorld()] = worlds;
    for (let i = 0; i < 5; i++) await api.patch(vinOf(world, 0), { aeb: i % 2 === 0 });
    for (let i = 0; i < 5; i++) expect((await api.ask('/api/v1/worlds/x')).status).toBe(404);
    const streams = await Promise.all(worlds.map(({ stream_url }) => Stream.open(stream_url)));
    for (const stream of streams) await stream.close();
  });
});
