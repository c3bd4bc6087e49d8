import { expect, test } from 'vitest';
import type { ClusterStatus } from '../../../cluster-operator.ts';
import { PARTITION_COUNT } from '../../../limits.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { ask, makeWorld } from '../reliability/client.ts';
import { StreamReader } from '../reliability/stream-reader.ts';

const nodes = useNodes();

test('[O19] a node with the embedded store is shown alone, and holds everything', async () => {
  const { opsUrl, twinUrl } = await nodes.inProcess({ NODE_NAME: 'alone' });
  const world = await makeWorld(twinUrl, { seed: 1 });
  await StreamReader.open(twinUrl, world);
  const seen = async () => (await ask(opsUrl, '/cluster')).body as ClusterStatus;
  // Worlds are counted now and then.
  await until('the world is counted', async () => (await seen()).nodes[0]?.worlds === 1);
  const { store, nodes: all, partitions, moves } = await seen();
  expect([store, all.length, moves]).toEqual(['embedded', 1, []]);
  expect(all[0]).toMatchObject({
    ...{ name: 'alone', is_this: true, partitions: PARTITION_COUNT, worlds: 1, hot_worlds: 1 },
    ...{ draining: false, link: null, link_url: null, round_trip_ms: null, clock_offset_ms: null },
  });
  expect(partitions.map(({ partition, holder, epoch }) => [partition, holder, epoch])).toEqual(
    Array.from({ length: PARTITION_COUNT }, (_, partition) => [partition, 'alone', null]),
  );
  const place = (await ask(opsUrl, `/cluster/world/${world.id}`)).body;
  expect(place).toMatchObject({ world: world.id, node: 'alone', is_this: true, served: true });
  const { partition } = place as { partition: number };
  expect(partitions[partition]).toMatchObject({ worlds: 1, hot_worlds: 1 });
});

test('[O19] it can neither drain nor move anything, and says why', async () => {
  const { opsUrl } = await nodes.inProcess({ NODE_NAME: 'alone' });
  const post = (path: string, body: unknown) =>
    ask(opsUrl, path, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify(body),
    });
  for (const path of ['/cluster/drain', '/cluster/undrain']) {
    expect(await post(path, {})).toMatchObject({
      ...{ status: 409, body: { error: 'conflict', hint: expect.stringContaining('Redis') } },
    });
  }
  expect((await post('/cluster/move', { partition: 1, to: 'alone' })).status).toBe(409);
  expect((await post('/cluster/move', { partition: 1, to: 'other' })).status).toBe(404);
});
