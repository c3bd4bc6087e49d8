import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { DEATHS_MAX } from '../../../limits.ts';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import { metricOf } from '../../rigs/metric.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { Api, vinOf } from '../twin/api.ts';
import {
  type Answer,
  ask,
  askLate,
  changesOf,
  journalOf,
  makeWorld,
  stateOf,
  type World,
} from './client.ts';
import { expectWhole } from './reference.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';

/** No lease ends because the machine is slow. */
const PATIENT = { LEASE_SECONDS: '60', DRAIN_SECONDS: '0' };

const nodes = useNodes();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  await redis.ask('FLUSHALL');
});
afterAll(() => redis.discard());

const numberOf = ({ id }: World) => parseWorldId(id) ?? 0;
const incarnationOf = (node: TestNode) => node.shards[0]?.incarnation ?? 0;
const state = (node: TestNode, { id }: World) => ask(node.twinUrl, `/api/v1/worlds/${id}/state`);

function start(settings: Record<string, string> = {}): Promise<TestNode> {
  return nodes.inProcess({ SHARDS: '1', ...settings }, { faults: true });
}

/** The node's thread ends when it steps the world. */
async function endThread(node: TestNode, world: World): Promise<void> {
  await stateOf(node.twinUrl, world);
  const incarnation = incarnationOf(node);
  const fault = { what: 'poison', world: numberOf(world), isFatal: true } as const;
  node.shards[0]?.command({ kind: 'fault', fault });
  await until('the thread has died', async () => {
    await state(node, world);
    return incarnationOf(node) > incarnation && node.shards[0]?.alive;
  });
}

function expectQuarantined({ status, body }: Answer): void {
  expect([status, (body as { error: string }).error]).toEqual([503, 'world_unavailable']);
}

test('[R39] a world on which three threads died is quarantined, and its streams end', async () => {
  const node = await start();
  const [poisoned, other] = [await makeWorld(node.twinUrl), await makeWorld(node.twinUrl)];
  const readers = [
    await StreamReader.open(node.twinUrl, poisoned),
    await StreamReader.open(node.twinUrl, other),
  ];
  await moreFrames(readers, 3);
  for (let death = 1; death <= DEATHS_MAX; death++) await endThread(node, poisoned);
  await until('the stream is closed', () => at(readers, 0).closeCode !== undefined);
  expect(at(readers, 0).closeCode).toBe(1013);
  await until('it is quarantined', async () => (await state(node, poisoned)).status === 503);
  expectQuarantined(await state(node, poisoned));
  expect(await metricOf(node, 'twin_worlds_quarantined')).toBe(1);
  await moreFrames(readers.slice(1), 5);
  await expectWhole(node.twinUrl, other);
  // What needs no stepping is answered all the same.
  await new Api(node.twinUrl).patch(vinOf(poisoned, 0), { aeb: false });
  expect(changesOf(await journalOf(node.twinUrl, poisoned))).toHaveLength(1);
});

/** The one of some nodes that holds the world's partition. */
async function holderOf(some: readonly TestNode[], world: World): Promise<TestNode> {
  const partition = partitionOf(numberOf(world));
  return until('a holder', () => some.find(({ ranges }) => ranges.shown().includes(partition)));
}

test('[R39] a world that ends threads is quarantined on node after node: three threads die, not three a node', async () => {
  const living: TestNode[] = [];
  for (const name of ['a', 'b', 'c']) {
    living.push(await start({ REDIS_URL: redis.url, NODE_NAME: name, ...PATIENT }));
  }
  const first = at(living, 0);
  const [poisoned, other] = [await makeWorld(first.twinUrl), await makeWorld(first.twinUrl)];
  const incarnations = new Map(living.map((node) => [node, incarnationOf(node)]));
  for (let death = 1; death <= DEATHS_MAX; death++) {
    const holder = await holderOf(living, poisoned);
    await endThread(holder, poisoned);
    await until('its store has it', async () => holder.shards[0]?.alive);
    if (death === DEATHS_MAX) break;
    living.splice(living.indexOf(holder), 1);
    await holder.stop();
  }
  expect(living).toHaveLength(1);
  const last = at(living, 0);
  await until('it is quarantined', async () => (await state(last, poisoned)).status === 503);
  expectQuarantined(await state(last, poisoned));
  await askLate(last.twinUrl, `/api/v1/worlds/${other.id}/state`);
  await expectWhole(last.twinUrl, other);
  const deaths = [...incarnations].map(([node, before]) => incarnationOf(node) > before);
  expect(deaths).toEqual([true, true, true]);
});

test('[R39] a node that takes a partition over does not step a world that its last holder has quarantined', async () => {
  const same = { REDIS_URL: redis.url, ...PATIENT };
  const first = await start({ ...same, NODE_NAME: 'a' });
  const [poisoned, other] = [await makeWorld(first.twinUrl), await makeWorld(first.twinUrl)];
  for (let death = 1; death <= DEATHS_MAX; death++) await endThread(first, poisoned);
  const second = await start({ ...same, NODE_NAME: 'b' });
  const incarnation = incarnationOf(second);
  await first.stop();
  await askLate(second.twinUrl, `/api/v1/worlds/${other.id}/state`);
  await holderOf([second], poisoned);
  expectQuarantined(await state(second, poisoned));
  expect(incarnationOf(second)).toBe(incarnation);
  await expectWhole(second.twinUrl, other);
});
