import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PARTITION_COUNT } from '../../../limits.ts';
import { systemTime } from '../../../time.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { ask, changesOf, journalOf, makeWorld, type World } from './client.ts';
import { expectLived, expectWhole } from './reference.ts';
import { expectEveryFrame, moreFrames, StreamReader } from './stream-reader.ts';
import { expectSwitched, firstCars, moreAcknowledged, switchOn } from './switched-car.ts';

const WORLDS = 12;

const nodes = useNodes();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  await redis.ask('FLUSHALL');
});
afterAll(() => redis.discard());

/** No lease ends because the machine is slow. */
const SETTINGS = { SHARDS: '1', DRAIN_SECONDS: '0.5', LEASE_SECONDS: '60' };

const start = (name: string) =>
  nodes.inProcess({ REDIS_URL: redis.url, NODE_NAME: name, ...SETTINGS });

const makeWorlds = ({ twinUrl }: TestNode) =>
  Promise.all(Array.from({ length: WORLDS }, (_, seed) => makeWorld(twinUrl, { seed })));

/** A stream of each world, in the two encodings by turns. */
const watchAll = ({ twinUrl }: TestNode, worlds: readonly World[]) =>
  Promise.all(
    worlds.map((world, i) => StreamReader.open(twinUrl, world, i % 2 === 0 ? 'json' : 'msgpack')),
  );

/** All streams are open, and what they have shown is the world of the journal. */
async function expectShown(
  base: string,
  worlds: readonly World[],
  readers: readonly StreamReader[],
): Promise<void> {
  for (const [i, { closeCode, snapshots }] of readers.entries()) {
    const world = worlds[i] as World;
    expect(closeCode).toBeUndefined();
    expectLived(world, changesOf(await journalOf(base, world)), snapshots);
  }
}

test('[N17] worlds go to a node that joins while they are watched and changed', async () => {
  const first = await start('a');
  const worlds = await makeWorlds(first);
  const readers = await watchAll(first, worlds);
  const cars = worlds.flatMap((world) => firstCars(world, 1));
  const stop = switchOn(first.twinUrl, cars);
  await moreAcknowledged(cars, 5);
  const second = await start('b');
  await until('balance', () => second.ranges.shown().length === PARTITION_COUNT / 2);
  await moreFrames(readers, 5);
  await moreAcknowledged(cars, 5);
  await stop();
  // Before what keeps the thread from sending in time.
  expectEveryFrame(readers);
  for (const [i, world] of worlds.entries()) {
    await expectSwitched(second.twinUrl, world, cars.slice(i, i + 1));
    await expectWhole(second.twinUrl, world);
  }
  await expectShown(second.twinUrl, worlds, readers);
});

test('[N18] a node that stops gives its worlds to the other, and no request fails meanwhile', async () => {
  const leaving = await start('a');
  const worlds = await makeWorlds(leaving);
  const stays = await start('b');
  await until('balance', () => stays.ranges.shown().length === PARTITION_COUNT / 2);
  const readers = await watchAll(stays, worlds);
  let isOver = false;
  const statuses: number[] = [];
  const reading = worlds.map(async ({ id }) => {
    while (!isOver) {
      statuses.push((await ask(stays.twinUrl, `/api/v1/worlds/${id}/state`)).status);
      await systemTime.sleep(10);
    }
  });
  await moreFrames(readers, 3);
  const stopping = leaving.stop();
  await until('it is not ready', async () => {
    const { status, body } = await ask(leaving.opsUrl, '/readyz');
    if (status !== 503) return false;
    expect(body).toMatchObject({ reason: expect.stringContaining('stops') });
    return true;
  });
  await stopping;
  expect(stays.ranges.shown()).toHaveLength(PARTITION_COUNT);
  await moreFrames(readers, 5);
  isOver = true;
  await Promise.all(reading);
  expectEveryFrame(readers);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await expectShown(stays.twinUrl, worlds, readers);
});
