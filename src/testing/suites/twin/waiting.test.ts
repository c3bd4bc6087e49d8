import { beforeAll, describe, expect, test } from 'vitest';
import { startTestNode } from '../../rigs/node.ts';
import { until } from '../../rigs/until.ts';
import { Api, useTwin, vinOf } from './api.ts';
import { BareStream } from './bare-stream.ts';
import { shaped } from './schemas.ts';
import { handshake, Stream } from './stream-client.ts';
import type { Snapshot, World } from './wire.ts';

const api = useTwin({ WORLD_IDLE_SECONDS: '60' });
let ops: Api;
beforeAll(async () => {
  ops = new Api(api.node.opsUrl);
});

/** How many worlds the node has, asked without calling one of them. */
async function worldCount(): Promise<number> {
  const { bytes } = await ops.ask('/metrics');
  const line = /^worlds_at_hand (\d+)$/m.exec(new TextDecoder().decode(bytes));
  return Number(line?.[1]);
}

const untilLeft = (count: number) =>
  until(`${count} worlds`, async () => (await worldCount()) === count);

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
    const { status, error } = await api.refused(`/api/v1/worlds/${world.id}${path}`);
    expect([status, error]).toEqual([404, 'unknown_world']);
  }
  for (const { vin } of world.fleet) {
    for (const path of ['', '/features', '/telemetry', '/route', '/incidents']) {
      const { status, error, headers } = await api.refused(`/api/v1/vehicle${path}`, { vin });
      expect([status, error]).toEqual([401, 'unknown_vin']);
      expect(headers.get('WWW-Authenticate')).toBe('VIN');
    }
  }
  const patch = { method: 'PATCH', vin: vinOf(world, 0), json: { aeb: false } };
  expect((await api.refused('/api/v1/vehicle/features', patch)).status).toBe(401);
  const { status, socket } = await handshake(api.url, `/ws/worlds/${world.id}`);
  socket.destroy();
  expect(status).toBe(404);
  expect((await api.ask(`/worlds/${world.id}`)).status).toBe(404);
}

describe.concurrent('a world that nobody watches or calls', () => {
  test('[W33] is dropped with all that belongs to it; others live on', async () => {
    const forgotten = await api.makeWorld({ start_tick: 500 });
    await api.patch(vinOf(forgotten, 0), { brakes: false });
    await api.world('snapshot', forgotten, '/state');
    const called = await api.makeWorld();
    const driven = await api.makeWorld();
    const watched = await api.makeWorld();
    const stream = await Stream.open(watched.stream_url);
    await stream.hello();
    // Streams without frames for 15 s are ended.
    for (let i = 0; i < 8; i++) {
      await api.world('world', called);
      await api.patch(vinOf(driven, 9), { esc: i % 2 === 0 });
      await api.node.skip(10_000);
      await stream.frames(3);
    }
    await untilLeft(3);
    await expectGone(forgotten);
    await api.world('world', called);
    await api.vehicle('telemetry', vinOf(driven, 9), '/telemetry');
    expect((await api.world('world', watched)).watchers).toBe(1);
    await stream.close();
    await api.node.skip(70_000);
    await untilLeft(0);
    for (const world of [called, driven, watched]) await expectGone(world);
  });
});

const ticksOf = (frames: { tick: number }[]) => frames.map(({ tick }) => tick);
const stepsOf = (ticks: number[]) => ticks.slice(1).map((tick, i) => tick - (ticks[i] ?? 0));

describe.concurrent('a reader that cannot keep up', () => {
  test('[S13] misses whole frames and then gets the newest, and slows nobody', async () => {
    const lasting = await startTestNode();
    const world = await new Api(lasting.twinUrl).makeWorld();
    const slow = await BareStream.open(lasting.twinUrl, `/ws/worlds/${world.id}`);
    const fast = await Stream.open(world.stream_url);
    await fast.hello();
    await slow.until(() => slow.texts.length > 2);
    slow.stopReading();
    // More than is sent ahead to a reader that does not take it.
    const seen = await fast.frames(90);
    slow.readOn();
    const resumedAt = seen.at(-1)?.tick ?? 0;
    const framesOf = () =>
      slow.texts.slice(1).map((text): Snapshot => shaped('snapshot', JSON.parse(text)));
    await slow.until(() => (framesOf().at(-1)?.tick ?? 0) > resumedAt);
    shaped('hello', JSON.parse(slow.texts[0] ?? ''));
    const [slowTicks, fastTicks] = [ticksOf(framesOf()), ticksOf(seen)];
    for (const tick of slowTicks) expect(tick % 4).toBe(0);
    for (const step of stepsOf(slowTicks)) expect(step).toBeGreaterThanOrEqual(4);
    const missed = fastTicks.filter((tick) => !slowTicks.includes(tick));
    expect(missed.length).toBeGreaterThan(10);
    expect(Math.max(...stepsOf(slowTicks))).toBeGreaterThan(Math.max(...stepsOf(fastTicks)));
    slow.end();
    await fast.close();
    await lasting.discard();
  });
});
