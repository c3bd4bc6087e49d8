import { describe, expect, test } from 'vitest';
import { metricOf } from '../../rigs/metric.ts';
import { until } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';
import { handshake, Stream } from './stream-client.ts';
import type { World } from './wire.ts';

const api = useTwin({ WORLD_IDLE_SECONDS: '60' });

/** Asks how many worlds the node has without calling one of them. */
const untilLeft = (count: number) =>
  until(`${count} worlds`, async () => (await metricOf(api.node, 'twin_worlds_at_hand')) === count);

async function expectGone(world: World): Promise<void> {
  for (const path of [
    '',
    '/map',
    '/state',
    '/incidents',
    '/events',
    '/journal',
    '/incidents/i1-0',
  ]) {
    expect(await api.refusal(`/api/v1/worlds/${world.id}${path}`)).toEqual([404, 'unknown_world']);
  }
  for (const { vin } of world.fleet) {
    for (const path of ['', '/features', '/telemetry', '/route', '/incidents']) {
      expect(await api.refusal(`/api/v1/vehicle${path}`, { vin })).toEqual([401, 'unknown_vin']);
    }
  }
  const patch = { method: 'PATCH', vin: vinOf(world, 0), json: { aeb: false } };
  expect(await api.refusal('/api/v1/vehicle/features', patch)).toEqual([401, 'unknown_vin']);
  const { status, socket } = await handshake(api.url, `/ws/worlds/${world.id}`);
  socket.destroy();
  expect(status).toBe(404);
  expect((await api.ask(`/worlds/${world.id}`)).status).toBe(404);
}

describe('a world that nobody watches or calls', () => {
  test('[W33] is dropped with all that belongs to it; others live on', async () => {
    const forgotten = await api.makeWorld({ start_tick: 500 });
    await api.patch(vinOf(forgotten, 0), { brakes: false });
    await api.world('Snapshot', forgotten, '/state');
    const called = await api.makeWorld();
    const driven = await api.makeWorld();
    const watched = await api.makeWorld();
    const stream = await Stream.open(watched.stream_url);
    await stream.hello();
    // Streams without frames for 15 s are ended.
    for (let i = 0; i < 8; i++) {
      await api.world('World', called);
      await api.patch(vinOf(driven, 9), { esc: i % 2 === 0 });
      await api.node.skip(10_000);
      await stream.frames(3);
    }
    await untilLeft(3);
    await expectGone(forgotten);
    await api.world('World', called);
    await api.vehicle('Telemetry', vinOf(driven, 9), '/telemetry');
    expect((await api.world('World', watched)).watchers).toBe(1);
    await stream.close();
    await api.node.skip(70_000);
    await untilLeft(0);
    for (const world of [called, driven, watched]) await expectGone(world);
  });
});
