import { test } from 'vitest';
import { systemTime } from '../../../time.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { makeWorld, type World } from './client.ts';
import { Dice } from './dice.ts';
import { expectWhole } from './reference.ts';
import { StreamReader } from './stream-reader.ts';
import { expectSwitched, moreAcknowledged, SwitchedCar } from './switched-car.ts';

const ROUNDS = 10;
const WORLDS = 20;
/** Of each world, so many cars are switched. */
const CARS = 5;
const CHANGES_PER_S = 200;
const WATCHED = 6;

const nodes = useNodes();

interface Site {
  world: World;
  cars: SwitchedCar[];
}

/** Operations at a steady rate on cars picked at random, until the node no longer answers. */
async function switchUntilGone(base: string, sites: readonly Site[], dice: Dice): Promise<void> {
  const idle = new Set(sites.flatMap(({ cars }) => cars));
  const underWay = new Set<Promise<void>>();
  let gone = false;
  while (!gone) {
    const car = dice.pick([...idle]);
    idle.delete(car);
    const one = car.switch(base, dice).then((answered) => {
      if (answered) idle.add(car);
      else gone = true;
      underWay.delete(one);
    });
    underWay.add(one);
    await systemTime.sleep(1000 / CHANGES_PER_S);
  }
  await Promise.all(underWay);
}

test('[R3] ten kills during two hundred changes a second lose and halve no acknowledged change', async () => {
  const dice = new Dice(1);
  const settings = { DATA_DIR: nodes.dir(), SHARDS: '1' };
  let node = await nodes.ownProcess(settings);
  const sites: Site[] = [];
  for (let i = 0; i < WORLDS; i++) {
    const world = await makeWorld(node.twinUrl, { seed: i, start_tick: 100 * i });
    sites.push({ world, cars: world.fleet.slice(0, CARS).map(({ vin }) => new SwitchedCar(vin)) });
  }
  for (let round = 0; round < ROUNDS; round++) {
    const { twinUrl } = node;
    const watched = sites.slice(0, WATCHED).map(({ world }) => StreamReader.open(twinUrl, world));
    await Promise.all(watched);
    const switching = switchUntilGone(twinUrl, sites, dice);
    await moreAcknowledged(
      sites.flatMap(({ cars }) => cars),
      40 + dice.below(120),
    );
    await node.end('SIGKILL');
    await switching;
    node = await nodes.ownProcess(settings);
    for (const { world, cars } of sites) await expectSwitched(node.twinUrl, world, cars);
  }
  for (const { world } of sites) await expectWhole(node.twinUrl, world);
}, 120_000);
