import { expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { STUCK_MS } from '../../../limits.ts';
import { systemTime } from '../../../time.ts';
import { Dice } from '../../rigs/dice.ts';
import { metricOf } from '../../rigs/metric.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { changesOf, journalOf, makeWorld } from './client.ts';
import { expectLived, expectWhole } from './reference.ts';
import { StreamReader } from './stream-reader.ts';
import { expectSwitched, SwitchedCar } from './switched-car.ts';

/** Longer than a thread may go without a heartbeat. */
const PAUSE_MS = STUCK_MS + 500;

const nodes = useNodes();

test('[R20] a paused process goes on where the clock is, with the same threads', async () => {
  const node = await nodes.ownProcess({ DATA_DIR: nodes.dir(), SHARDS: '1' });
  const { twinUrl } = node;
  const world = await makeWorld(twinUrl, { seed: 1 });
  const car = new SwitchedCar(at(world.fleet, 0).vin);
  const reader = await StreamReader.open(twinUrl, world);
  await until('frames', () => reader.snapshots.length > 10);
  const deaths = () => metricOf(node, 'twin_shard_deaths_total');
  expect(await deaths()).toBe(0);
  const shown = reader.lastTick;

  process.kill(node.pid, 'SIGSTOP');
  const switching = car.switch(twinUrl, new Dice(1));
  await systemTime.sleep(PAUSE_MS);
  process.kill(node.pid, 'SIGCONT');
  expect(await switching).toBe(true);
  await until('the stream is where the clock is', () => reader.lastTick > shown + PAUSE_MS / 20);
  expect(reader.closeCode).toBeUndefined();
  expect(await deaths()).toBe(0);
  await expectSwitched(twinUrl, world, [car]);
  await expectWhole(twinUrl, world);
  expectLived(world, changesOf(await journalOf(twinUrl, world)), reader.snapshots);
});
