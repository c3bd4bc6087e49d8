import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { systemTime } from '../../../time.ts';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import { Dice } from '../../rigs/dice.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { Api, vinOf } from '../twin/api.ts';
import {
  ask,
  askLate,
  changesOf,
  expectRefusal,
  journalOf,
  makeWorld,
  retryAfterS,
  stateOf,
} from './client.ts';
import { expectLived, expectWhole } from './reference.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';
import {
  declaredOf,
  expectSwitched,
  makeSites,
  moreAcknowledged,
  type Site,
  switchOn,
} from './switched-car.ts';

const ROUNDS = 10;
const WORLDS = 6;
/** Of each world, so many cars are switched. */
const CARS = 5;
const WATCHED = 2;

const FEATURES = '/api/v1/vehicle/features';
/** It outlasts every absence of Redis, however long a busy machine takes to start a server. */
const LONG_LEASE = { LEASE_SECONDS: '60' };

const nodes = useNodes();
/** One server for all: it logs every write before it answers. */
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  await redis.start();
  await redis.ask('FLUSHALL');
});
afterAll(() => redis.discard());

function settings(): Record<string, string> {
  return { REDIS_URL: redis.url, DATA_DIR: nodes.dir() };
}

const carsOf = (sites: readonly Site[]) => sites.flatMap(({ cars }) => cars);

test('[R5] ten kills of Redis lose and halve no acknowledged change, and streams go on', async () => {
  const { twinUrl } = await nodes.inProcess({ ...settings(), ...LONG_LEASE });
  const sites = await makeSites(twinUrl, WORLDS, CARS);
  const readers = await Promise.all(
    sites.slice(0, WATCHED).map(({ world }) => StreamReader.open(twinUrl, world)),
  );
  // The records of all must be read before the first round.
  await moreFrames(readers, 1);
  const dice = new Dice(2);
  for (let round = 0; round < ROUNDS; round++) {
    const stop = switchOn(twinUrl, carsOf(sites), round);
    await moreAcknowledged(carsOf(sites), 50 + dice.below(100));
    // It dies or hangs, in the middle of writes either way.
    if (round % 2 === 0) await redis.kill();
    else redis.pause();
    await systemTime.sleep(dice.below(500));
    redis.resume();
    await redis.start();
    await stop();
    for (const { world, cars } of sites) await expectSwitched(twinUrl, world, cars);
  }
  expect(readers.map(({ closeCode }) => closeCode)).toEqual(readers.map(() => undefined));
  for (const { world } of sites) await expectWhole(twinUrl, world);
  for (const [i, reader] of readers.entries()) {
    const { world } = at(sites, i);
    expectLived(world, changesOf(await journalOf(twinUrl, world)), reader.snapshots);
  }
}, 180_000);

async function statusOf(node: TestNode, path: string): Promise<number> {
  return (await fetch(`${node.opsUrl}${path}`)).status;
}

test('[R25] while Redis is gone writes are refused, streams end with the lease, and all comes back', async () => {
  const node = await nodes.inProcess({ ...settings(), ...LONG_LEASE });
  const { twinUrl } = node;
  const world = await makeWorld(twinUrl, { seed: 1 });
  const [vin, other] = [vinOf(world, 0), vinOf(world, 1)];
  await new Api(twinUrl).patch(vin, { aeb: false });
  const reader = await StreamReader.open(twinUrl, world);
  await until('frames', () => reader.snapshots.length > 5);

  await redis.kill();
  const tick = reader.lastTick;
  const escOff = { method: 'PATCH', json: { esc: false } };
  expectRefusal(await ask(twinUrl, FEATURES, { ...escOff, vin: other }));
  expectRefusal(await ask(twinUrl, '/api/v1/worlds', { method: 'POST' }));
  // The node answers from memory, and the world goes on, until the lease expires.
  expect(await declaredOf(twinUrl, vin)).toMatchObject({ aeb: false });
  expect(await statusOf(node, '/readyz')).toBe(503);
  await until('frames go on', () => reader.lastTick > tick + 20);
  await node.time.jump(60_000);
  await until('the stream is closed', () => reader.closeCode !== undefined);
  expect(reader.closeCode).toBe(1013);
  for (const path of ['', '/state', '/incidents', '/journal', '/map']) {
    const answer = await ask(twinUrl, `/api/v1/worlds/${world.id}${path}`);
    expect([path, answer.status, retryAfterS(answer)]).toEqual([path, 503, 2]);
  }
  await expect(StreamReader.open(twinUrl, world)).rejects.toThrow('503');
  expect(await statusOf(node, '/healthz')).toBe(200);

  await redis.start();
  expect(await declaredOf(twinUrl, vin)).toMatchObject({ aeb: false, esc: true });
  expect(await declaredOf(twinUrl, other)).toMatchObject({ aeb: true, esc: true });
  // A busy machine may still refuse the first request.
  const { body } = await askLate(twinUrl, FEATURES, { ...escOff, vin });
  expect(body).toMatchObject({ declared: { aeb: false, esc: false } });
  expect(await statusOf(node, '/readyz')).toBe(200);
  const again = await StreamReader.open(twinUrl, world);
  await until('frames again', () => again.snapshots.length > 5);
  await expectWhole(twinUrl, world);
  expectLived(world, changesOf(await journalOf(twinUrl, world)), [
    ...reader.snapshots,
    ...again.snapshots,
  ]);
});

test('[R23] two nodes serve one Redis, and one goes on where a killed one was', async () => {
  const same = { ...settings(), LEASE_SECONDS: '2' };
  const first = await nodes.ownProcess({ ...same, NODE_NAME: 'first' });
  const { world, cars } = at(await makeSites(first.twinUrl, 1, CARS), 0);
  const second = await nodes.ownProcess({ ...same, NODE_NAME: 'second' });
  // Wherever the world is by now.
  const stop = switchOn(second.twinUrl, cars);
  await moreAcknowledged(cars, 20);
  await stateOf(first.twinUrl, world);
  await first.end('SIGKILL');
  await stop();
  await askLate(second.twinUrl, `/api/v1/worlds/${world.id}`);
  await expectSwitched(second.twinUrl, world, cars);
  expect(await second.end('SIGTERM')).toBe(0);

  const third = await nodes.inProcess({ ...same, NODE_NAME: 'third' });
  await expectSwitched(third.twinUrl, world, cars);
  await expectWhole(third.twinUrl, world);
});

test('[R24] a node that was paused while another took over writes nothing and ends its streams', async () => {
  const same = { ...settings(), LEASE_SECONDS: '2' };
  const first = await nodes.ownProcess(same);
  const { world, cars } = at(await makeSites(first.twinUrl, 1, CARS), 0);
  const reader = await StreamReader.open(first.twinUrl, world);
  await until('frames', () => reader.snapshots.length > 5);
  const stop = switchOn(first.twinUrl, cars);
  await moreAcknowledged(cars, 20);
  // Requests from before the pause, and during it, are found when the process goes on.
  process.kill(first.pid, 'SIGSTOP');
  const second = await nodes.inProcess(same);
  const journal = await journalOf(second.twinUrl, world);
  process.kill(first.pid, 'SIGCONT');
  await stop();
  await until('the stream is closed', () => reader.closeCode !== undefined);
  // It is a node like the others again: the one that has the world answers.
  await askLate(first.twinUrl, `/api/v1/worlds/${world.id}`);
  const { changes } = await journalOf(second.twinUrl, world);
  expect(changes).toEqual(journal.changes);
  await expectSwitched(second.twinUrl, world, cars);
  await expectWhole(second.twinUrl, world);
});

test('[W35] all that Redis has of a world, its image and journal too, is gone once it is idle', async () => {
  const { twinUrl, skip } = await nodes.inProcess({ ...settings(), WORLD_IDLE_SECONDS: '60' });
  const world = await makeWorld(twinUrl, { seed: 1, start_tick: 5000 });
  await stateOf(twinUrl, world);
  await new Api(twinUrl).patch(vinOf(world, 0), { aeb: false });
  const partition = String(partitionOf(parseWorldId(world.id) ?? 0)).padStart(2, '0');
  const entries = async () => {
    const answer = await redis.ask(
      `HLEN dt:{p${partition}}:entries`,
      `ZCARD dt:{p${partition}}:order`,
    );
    const [hash, order] = [...answer.matchAll(/:(\d+)/g)].map(([, count]) => Number(count));
    expect(order).toBe(hash);
    return hash ?? 0;
  };
  // Record, when it falls due, one change, an image.
  expect(await entries()).toBeGreaterThanOrEqual(4);
  await skip(70_000);
  await until('nothing is left', async () => (await entries()) === 0);
  expect((await ask(twinUrl, `/api/v1/worlds/${world.id}`)).status).toBe(404);
});
