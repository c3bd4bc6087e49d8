import { expect, test } from 'vitest';
import { ALL_METRICS, type Metric, REDIS_METRICS } from '../../../metric-names.ts';
import { samplesOf } from '../../rigs/metric.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { makeWorld } from '../reliability/client.ts';

const nodes = useNodes();

const isPrinted = (names: ReadonlySet<string>, { kind, name }: Metric) =>
  names.has(kind === 'histogram' ? `${name}_bucket` : name);

test('[O21] a node with the embedded store prints all metrics but those of leases and a cluster', async () => {
  const node = await nodes.inProcess();
  await makeWorld(node.twinUrl);
  const names = new Set((await samplesOf(node)).map(({ name }) => name));
  const missing = ALL_METRICS.filter((metric) => !isPrinted(names, metric));
  expect(missing).toEqual(REDIS_METRICS);
});

test('worlds in the store are counted now and then, whether they are at hand or not', async () => {
  const node = await nodes.inProcess();
  const { twinUrl, time } = node;
  await Promise.all([makeWorld(twinUrl), makeWorld(twinUrl), makeWorld(twinUrl)]);
  await until('a count', async () => {
    await time.jump(10_000);
    const samples = await samplesOf(node);
    return samples.find(({ name }) => name === 'twin_worlds_stored')?.value === 3;
  });
});
