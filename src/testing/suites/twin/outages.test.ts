import { describe, expect, test } from 'vitest';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { Api, vinOf } from './api.ts';
import { Stream } from './stream-client.ts';
import type { World } from './wire.ts';

const nodes = useNodes();

const FEATURES = '/api/v1/vehicle/features';

describe('a store that cannot be written', () => {
  async function startBroken() {
    const { twinUrl, store } = await nodes.withFaultyStore();
    const fault = (kind: 'fail' | 'full' | 'none') => store.setFault({ kind });
    return { api: new Api(twinUrl), fault };
  }

  test('[R10] makes 503 of a new world', async () => {
    const { api, fault } = await startBroken();
    fault('fail');
    expect(await api.refusal('/api/v1/worlds', { method: 'POST' })).toEqual([
      503,
      'store_unavailable',
    ]);
    expect(await api.refusal('/')).toEqual([503, 'store_unavailable']);
    fault('none');
    await api.makeWorld();
  });

  test('[R10] makes 503 of every change, and nothing is changed', async () => {
    const { api, fault } = await startBroken();
    const world = await api.makeWorld({ start_tick: 200 });
    const vin = vinOf(world, 0);
    const before = await api.patch(vin, { esc: false });
    for (const kind of ['fail', 'full'] as const) {
      fault(kind);
      const patch = { method: 'PATCH', vin, json: { aeb: false } };
      expect(await api.refusal(FEATURES, patch)).toEqual([503, 'store_unavailable']);
      const put = { method: 'PUT', vin, json: { enabled: false } };
      expect(await api.refusal(`${FEATURES}/aeb`, put)).toEqual([503, 'store_unavailable']);
      const reset = { method: 'POST', vin };
      expect(await api.refusal(`${FEATURES}/reset`, reset)).toEqual([503, 'store_unavailable']);
      // A change that changes nothing needs no store.
      expect(await api.patch(vin, { esc: false })).toEqual(before);
    }
    fault('none');
    expect(await api.vehicle('FeatureState', vin, '/features')).toEqual(before);
    const { changes } = await api.world('Journal', world, '/journal');
    expect(changes.map(({ features }) => features)).toEqual([{ esc: false }]);
    expect((await api.patch(vin, { aeb: false })).declared.aeb).toBe(false);
  });
});

describe('a node that shows as many worlds as it holds', () => {
  const ROOM = 16;

  const stateOf = (api: Api, { id }: World) => api.ask(`/api/v1/worlds/${id}/state`);

  /** Watches new worlds until a node is full, and makes one more there. */
  async function fill(api: Api): Promise<{ streams: Stream[]; world: World }> {
    const streams: Stream[] = [];
    for (;;) {
      const world = await api.makeWorld();
      if ((await stateOf(api, world)).status !== 200) return { streams, world };
      const stream = await Stream.open(world.stream_url);
      await stream.hello();
      await stream.frames(1);
      streams.push(stream);
    }
  }

  test('[L16] refuses what would have to move one more, until there is room', async () => {
    const node = await nodes.inProcess({ SHARD_WORLDS: String(ROOM) });
    const api = new Api(node.twinUrl);
    const { streams, world } = await fill(api);
    expect(streams.length).toBeGreaterThanOrEqual(ROOM);
    expect(streams.length).toBeLessThanOrEqual(ROOM * node.nodes.length);
    expect(await api.refusal(`/api/v1/worlds/${world.id}/state`)).toEqual([503, 'overloaded']);
    const stream = await Stream.open(world.stream_url);
    await stream.hello();
    expect((await stream.closed).code).toBe(1013);
    // What needs no stepping is answered all the same.
    await api.patch(vinOf(world, 0), { aeb: false });
    await api.world('CityMap', world, '/map');
    // With so many at least one of each node that is full.
    const leaving = streams.splice(0, streams.length - ROOM + 1);
    await Promise.all(leaving.map((each) => each.close()));
    await until('room for the world', async () => {
      const { status } = await stateOf(api, world);
      expect([200, 503]).toContain(status);
      return status === 200;
    });
    await Promise.all(streams.map((each) => each.close()));
  });
});
