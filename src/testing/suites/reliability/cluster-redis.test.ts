import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { PARTITION_COUNT } from '../../../limits.ts';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import { FaultyProxy } from '../../rigs/faulty-proxy.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { freePort, startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import {
  ask,
  askLate,
  changesOf,
  expectRefusal,
  journalOf,
  stateOf,
  type World,
} from './client.ts';
import { expectLived, expectWhole } from './reference.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';
import {
  expectSwitched,
  makeSites,
  moreAcknowledged,
  type Site,
  switchOn,
} from './switched-car.ts';

/** So many that some of them move when a second node joins. */
const WORLDS = 12;
/** Of each world, so many cars are switched. */
const CARS = 3;
const WAYS = ['forth', 'back'] as const;
/** It outlasts every fault, however long a busy machine takes. */
const LEASE_SECONDS = '60';

const nodes = useNodes();
let redis: TestRedis;
let proxies: FaultyProxy[];
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  await redis.start();
  await redis.ask('FLUSHALL');
  proxies = [];
});
afterAll(() => redis.discard());

/** A node that others reach through a proxy. */
async function join(name: string): Promise<TestNode> {
  const port = await freePort();
  const proxy = await FaultyProxy.open(`ws://127.0.0.1:${port}`);
  proxies.push(proxy);
  return nodes.inProcess({
    ...{ REDIS_URL: redis.url, LEASE_SECONDS, NODE_NAME: name, DATA_DIR: nodes.dir() },
    ...{ LINK_PORT: String(port), LINK_URL: `ws://${proxy.host}` },
  });
}

const heldBy = (all: readonly TestNode[]) => all.map(({ ranges }) => ranges.shown().length);

const partitionOfWorld = ({ id }: World) => partitionOf(parseWorldId(id) ?? 0);

const shows = ({ ranges }: TestNode, world: World) =>
  ranges.shown().includes(partitionOfWorld(world));

/** Two nodes, and worlds of the first, half of which move to the second. */
async function startPair(carCount: number): Promise<{ all: [TestNode, TestNode]; sites: Site[] }> {
  const first = await join('node-0');
  const sites = await makeSites(first.twinUrl, WORLDS, carCount);
  return { all: [first, await join('node-1')], sites };
}

function untilShared(all: readonly TestNode[]): Promise<unknown> {
  return until('shares', () => {
    const held = heldBy(all);
    const isWhole = held.reduce((a, b) => a + b, 0) === PARTITION_COUNT;
    return isWhole && Math.max(...held) - Math.min(...held) <= 1;
  });
}

const carsOf = (sites: readonly Site[]) => sites.flatMap(({ cars }) => cars);

/** All streams are open, and show worlds as they are lived by their journals. */
async function expectStreams(base: string, readers: ReadonlyMap<World, StreamReader[]>) {
  for (const [world, ofWorld] of readers) {
    const changes = changesOf(await journalOf(base, world));
    for (const reader of ofWorld) {
      expect(reader.closeCode).toBeUndefined();
      expect(reader.ticks).toEqual([...new Set(reader.ticks)].toSorted((a, b) => a - b));
      expectLived(world, changes, reader.snapshots);
    }
  }
}

/** A stream that shows its world: the library may close one right after it was opened. */
async function openShown(base: string, world: World): Promise<StreamReader> {
  for (;;) {
    const reader = await StreamReader.open(base, world);
    await until('two frames', () => reader.snapshots.length > 1 || reader.closeCode !== undefined);
    if (reader.closeCode === undefined) return reader;
    expect(reader.closeCode).toBe(1006);
  }
}

async function watchEverywhere(all: readonly TestNode[], sites: readonly Site[]) {
  const readers = new Map<World, StreamReader[]>();
  const opened = sites.map(async ({ world }) => {
    readers.set(world, await Promise.all(all.map(({ twinUrl }) => openShown(twinUrl, world))));
  });
  await Promise.all(opened);
  return readers;
}

test('[N16] streams at every node stay open while worlds move, and no change is lost', async () => {
  const { all, sites } = await startPair(1);
  const [first, second] = all;
  const readers = await watchEverywhere(all, sites);
  const stop = switchOn(second.twinUrl, carsOf(sites));
  await untilShared(all);
  await moreAcknowledged(carsOf(sites), 20);
  await stop();
  await moreFrames([...readers.values()].flat(), 5);
  expect(sites.filter(({ world }) => shows(second, world)).length).toBeGreaterThan(0);
  for (const { world, cars } of sites) {
    for (const { twinUrl } of all) await expectSwitched(twinUrl, world, cars);
  }
  await expectStreams(first.twinUrl, readers);
});

test('[R25] nodes go on by themselves after a kill of Redis, each with what it held', async () => {
  const { all, sites } = await startPair(CARS);
  await untilShared(all);
  const readers = await watchEverywhere(all, sites);
  const stop = switchOn(all[0].twinUrl, carsOf(sites));
  await moreAcknowledged(carsOf(sites), 20);
  const holders = () => sites.map(({ world }) => all.findIndex((node) => shows(node, world)));
  const held = holders();
  await redis.kill();
  await redis.start();
  await moreAcknowledged(carsOf(sites), 20);
  await stop();
  expect(holders()).toEqual(held);
  for (const { world, cars } of sites) {
    for (const { twinUrl } of all) await expectSwitched(twinUrl, world, cars);
  }
  await expectStreams(all[0].twinUrl, readers);
});

test('[N2, N14] nodes that lose each other refuse what the other has, keep what they hold, and heal', async () => {
  const { all, sites } = await startPair(CARS);
  await untilShared(all);
  const { world } = at(sites, 0);
  const [owner, other] = shows(all[0], world) ? all : all.toReversed();
  if (owner === undefined || other === undefined) throw new Error('unreachable: two nodes');
  await stateOf(other.twinUrl, world);
  const held = heldBy(all);
  for (const proxy of proxies) for (const way of WAYS) proxy.cut(way);
  await until('a refusal', async () => {
    const answer = await ask(other.twinUrl, `/api/v1/worlds/${world.id}/state`);
    if (answer.status === 200) return false;
    expectRefusal(answer);
    return true;
  });
  expect(await stateOf(owner.twinUrl, world)).toContain(world.id);
  for (const proxy of proxies) for (const way of WAYS) proxy.heal(way);
  await askLate(other.twinUrl, `/api/v1/worlds/${world.id}/state`);
  expect(heldBy(all)).toEqual(held);
  await expectWhole(other.twinUrl, world);
});
