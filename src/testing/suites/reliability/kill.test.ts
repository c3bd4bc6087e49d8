import { describe, test } from 'vitest';
import { Dice } from '../../rigs/dice.ts';
import { ENGINES } from '../../rigs/engines.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { DealerApi } from '../dealer/dealer-api.ts';
import { Writers } from '../dealer/writers.ts';
import { expectWhole } from './reference.ts';
import { StreamReader } from './stream-reader.ts';
import { expectSwitched, makeSites, moreAcknowledged, switchOn } from './switched-car.ts';

const ROUNDS = 10;
const WORLDS = 12;
/** Of each world, so many cars are switched. */
const CARS = 5;
const WATCHED = 6;

describe.each(ENGINES)('on the $name store', (engine) => {
  const nodes = useNodes(engine);

  test('[R3, R4] ten kills while sixty cars are switched and accounts write lose and halve nothing acknowledged', async () => {
    const dice = new Dice(1);
    const settings = { DATA_DIR: nodes.dir(), SHARDS: '1' };
    let node = await nodes.ownProcess(settings);
    const sites = await makeSites(node.twinUrl, WORLDS, CARS);
    const all = sites.flatMap(({ cars }) => cars);
    const writers = await Writers.logIn(new DealerApi(node.dealerUrl));
    for (let round = 0; round < ROUNDS; round++) {
      const { twinUrl } = node;
      const watched = sites.slice(0, WATCHED).map(({ world }) => StreamReader.open(twinUrl, world));
      await Promise.all(watched);
      const stopSwitching = switchOn(twinUrl, all, round);
      const stopWriting = writers.begin(new DealerApi(node.dealerUrl));
      await Promise.all([moreAcknowledged(all, 40 + dice.below(120)), writers.untilWriting()]);
      await node.end('SIGKILL');
      await Promise.all([stopSwitching(), stopWriting()]);
      node = await nodes.ownProcess(settings);
      for (const { world, cars } of sites) await expectSwitched(node.twinUrl, world, cars);
      await writers.expectKept(new DealerApi(node.dealerUrl));
    }
    for (const { world } of sites) await expectWhole(node.twinUrl, world);
  }, 240_000);
});
