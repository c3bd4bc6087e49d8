import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ClusterStatus, WorldPlace } from '../../../cluster-operator.ts';
import { PARTITION_COUNT } from '../../../limits.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { ask, changesOf, journalOf, makeWorld } from '../reliability/client.ts';
import { expectLived } from '../reliability/reference.ts';
import { moreFrames, StreamReader } from '../reliability/stream-reader.ts';

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
const start = (name: string) =>
  nodes.inProcess({ REDIS_URL: redis.url, NODE_NAME: name, LEASE_SECONDS: '60' });

const post = ({ opsUrl }: TestNode, path: string, json: object) =>
  ask(opsUrl, path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, json });

const statusAt = async ({ opsUrl }: TestNode) =>
  (await ask(opsUrl, '/cluster')).body as ClusterStatus;

const placeAt = async ({ opsUrl }: TestNode, { id }: { id: string }) =>
  (await ask(opsUrl, `/cluster/world/${id}`)).body as WorldPlace;

test('[O15, O16, O17] an operator finds the node of a world, moves its partition, and drains that node', async () => {
  const [a, b] = [await start('a'), await start('b')];
  await until('balance', () => b.ranges.shown().length === PARTITION_COUNT / 2);
  const world = await makeWorld(a.twinUrl, { seed: 7 });
  const reader = await StreamReader.open(b.twinUrl, world);
  const { partition, node } = await placeAt(b, world);
  expect(node).toBe('a');
  expect(await placeAt(a, world)).toMatchObject({ partition, is_this: true, served: true });
  await until('the load of the partition', async () => {
    const { partitions } = await statusAt(b);
    return partitions[partition]?.hot_worlds === 1;
  });

  const notHere = await post(b, '/cluster/move', { partition, to: 'b' });
  expect([notHere.status, notHere.body]).toMatchObject([409, { error: 'conflict' }]);
  const moved = await post(a, '/cluster/move', { partition, to: 'b' });
  expect([moved.status, moved.body]).toMatchObject([200, { partition }]);
  await until('its new node', async () => (await placeAt(a, world)).node === 'b');
  await moreFrames([reader], 5);

  const drained = await post(a, '/cluster/drain', { node: 'b' });
  expect([drained.status, drained.body]).toMatchObject([202, { node: 'b', draining: true }]);
  await until('nothing is left', () => b.ranges.held().length === 0);
  expect((await ask(b.opsUrl, '/readyz')).status).toBe(200);
  expect((await placeAt(b, world)).node).toBe('a');
  await moreFrames([reader], 5);
  const created = await makeWorld(b.twinUrl, { seed: 8 });
  expect((await placeAt(b, created)).node).toBe('a');

  const { nodes: all, moves } = await statusAt(a);
  expect(all.map(({ name, draining, partitions }) => [name, draining, partitions])).toEqual([
    ['a', false, PARTITION_COUNT],
    ['b', true, 0],
  ]);
  const ways = moves
    .filter((move) => move.partition === partition && move.why === 'handover')
    .map(({ from, to }) => [from, to].map((process) => process?.split(':')[0]).join(' to '));
  expect(ways).toEqual(['b to a', 'a to b']);

  const { ticks, closeCode, snapshots } = reader;
  expect(closeCode).toBeUndefined();
  expect(ticks).toEqual([...new Set(ticks)].toSorted((one, other) => one - other));
  expectLived(world, changesOf(await journalOf(b.twinUrl, world)), snapshots);
});
