import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { O_TICK } from '../../assembly/layout.ts';
import { at } from '../city/geometry.ts';
import { perceivedBy } from '../kernel/perception.ts';
import { cars, makeOneWorld, stepTo } from '../testing/rigs/kernel.ts';
import { startTestNode, type TestNode } from '../testing/rigs/node.ts';
import { until } from '../testing/rigs/until.ts';
import type { Asker } from '../twin-service.ts';
import type { OwnedWorld } from './owned-world.ts';

const SEED = 31;
/** It can pay for anything. */
const asker: Asker = { client: 'a', affords: () => true, spares: () => true, spend() {} };

let node: TestNode;
beforeAll(async () => {
  node = await startTestNode({ SHARDS: '1' });
});
afterAll(() => node.discard());

const makeWorld = async () =>
  (await node.worlds.create({ seed: SEED, startTick: 1500 })) as OwnedWorld;

test('[W40] what a car perceives is what the kernel knows of that car at the tick of the answer', async () => {
  const world = await makeWorld();
  const { kernel, slab } = makeOneWorld(SEED);
  let known = 0;
  for (const car of cars) {
    const { packed, record } = await world.perception(asker, car);
    stepTo(kernel, slab, at([...packed], O_TICK));
    expect(record).toEqual(perceivedBy(kernel.view(slab), car));
    known += record.detections.length;
  }
  expect(known).toBeGreaterThan(0);
});

test('[T7] what a car perceives is not older than what was answered while the world was loaded', async () => {
  const world = await makeWorld();
  world.watch('json', 'a client');
  await until('a frame', () => world.frameTick !== undefined);
  const query = vi.spyOn(world.shard, 'query');
  let answeredTick = 0;
  query.mockImplementationOnce(async ({ tick }) => {
    await until('a later answer', () => {
      answeredTick = world.tick();
      return answeredTick > tick;
    });
    return { outcome: 'unloaded' };
  });
  const { packed } = await world.perception(asker, 0);
  expect(query.mock.lastCall?.[0].tick).toBeGreaterThanOrEqual(answeredTick);
  expect(packed[O_TICK]).toBeGreaterThanOrEqual(answeredTick);
  expect(query).toHaveBeenCalledTimes(2);
  query.mockRestore();
  world.unwatch('json', 'a client');
});

test('the first read of a watched world shows a frame that watchers get, and the next ones take no query', async () => {
  const world = await makeWorld();
  world.watch('json', 'a client');
  const query = vi.spyOn(world.shard, 'query');
  // On a busy machine its newest frame may be too old, and it is asked for another tick.
  const onceFresh = (what: string) => until(what, () => world.tick() === world.frameTick);
  for (const read of [() => world.frame('json'), () => world.packed()]) {
    await onceFresh('a frame');
    query.mockClear();
    const shown = world.tick();
    await read();
    expect(query.mock.lastCall?.[0].tick).toBe(shown);
    await until('a read without a query', async () => {
      await onceFresh('a later frame');
      query.mockClear();
      await read();
      return query.mock.calls.length === 0;
    });
  }
  query.mockRestore();
  world.unwatch('json', 'a client');
});
