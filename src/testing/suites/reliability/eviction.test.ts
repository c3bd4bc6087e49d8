import { expect, test, vi } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { systemTime } from '../../../time.ts';
import { Dice } from '../../rigs/dice.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { changesOf, journalOf, makeWorld, stateOf, type World } from './client.ts';
import { expectLived, expectWhole } from './reference.ts';
import { StreamReader } from './stream-reader.ts';
import { expectSwitched, firstCars, type SwitchedCar, switchAndLook } from './switched-car.ts';

const WORLDS = 60;
const CLIENTS = 8;
const ROUNDS = 60;
const CARS = 2;
const WATCHED = 4;

const nodes = useNodes();

interface Site {
  world: World;
  cars: SwitchedCar[];
  snapshots: string[];
}

/** Looks at worlds in no order, and switches their cars. `idle`: cars that nobody switches now. */
async function wander(base: string, sites: readonly Site[], idle: Set<SwitchedCar>, dice: Dice) {
  for (let round = 0; round < ROUNDS; round++) {
    const site = dice.pick(sites);
    const car = dice.pick(site.cars);
    const switched = idle.delete(car)
      ? switchAndLook(base, car, dice).then(() => idle.add(car))
      : undefined;
    // Often enough the world has to be brought to memory while the change is on its way.
    if (dice.below(3) > 0) site.snapshots.push(await stateOf(base, site.world));
    await switched;
  }
}

/** Watches one world after another for a moment; each stream must move. */
async function watchAround(base: string, sites: readonly Site[], stop: () => boolean, dice: Dice) {
  while (!stop()) {
    const { world, snapshots } = dice.pick(sites);
    const reader = await StreamReader.open(base, world);
    await until('frames', () => reader.snapshots.length >= 3);
    reader.close();
    expect(reader.closeCode).toBeUndefined();
    snapshots.push(...reader.snapshots);
    await systemTime.sleep(dice.below(50));
  }
}

test('[R22] sixty worlds in memory for sixteen are as they would be in memory for all', async () => {
  const { twinUrl, store } = await nodes.withFaultyStore({ SHARD_WORLDS: '16' });
  store.setFault({ kind: 'slow', ms: 60 });
  const dice = new Dice(1);
  const sites: Site[] = [];
  const worlds = await Promise.all(
    Array.from({ length: WORLDS }, (_, seed) =>
      makeWorld(twinUrl, { seed, start_tick: dice.below(4000) }),
    ),
  );
  for (const world of worlds) {
    const cars = firstCars(world, CARS);
    sites.push({ world, cars, snapshots: [] });
  }
  const idle = new Set(sites.flatMap(({ cars }) => cars));
  let over = false;
  const watching = Array.from({ length: WATCHED }, (_, i) =>
    watchAround(twinUrl, sites, () => over, new Dice(100 + i)),
  );
  const wandering = Array.from({ length: CLIENTS }, (_, i) =>
    wander(twinUrl, sites, idle, new Dice(200 + i)),
  );
  const wandered = Promise.all(wandering).finally(() => {
    over = true;
  });
  await Promise.all([wandered, ...watching]);
  for (const { world, cars, snapshots } of sites) {
    await expectSwitched(twinUrl, world, cars);
    expectLived(world, changesOf(await journalOf(twinUrl, world)), snapshots);
    await expectWhole(twinUrl, world);
  }
  expect(at(sites, 0).snapshots.length).toBeGreaterThan(0);
});

test('a watched world that was evicted before its open call returned is opened again', async () => {
  const node = await nodes.inProcess({ SHARD_WORLDS: '16' });
  const { twinUrl } = node;
  const [watched, ...others] = await Promise.all(
    Array.from({ length: 25 }, (_, seed) => makeWorld(twinUrl, { seed })),
  );
  if (watched === undefined) throw new Error('unreachable');
  const shard = at(node.shards, 0);
  const opened = vi.spyOn(shard, 'open');
  opened.mockImplementationOnce(async (task) => {
    const answer = await shard.open(task);
    for (const other of others) await stateOf(twinUrl, other);
    return answer;
  });
  const reader = await StreamReader.open(twinUrl, watched);
  await until('frames', () => reader.snapshots.length > 5);
  expectLived(watched, [], reader.snapshots);
});
