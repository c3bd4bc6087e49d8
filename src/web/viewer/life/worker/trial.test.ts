import { expect, test } from 'vitest';
import { LocalWorld } from '../../../../../client/src/local-world.ts';
import { builtAssets } from '../../../../../client/testing/built-assets.ts';
import { TICKS_PER_S, type WorldStake } from '../../api/types.ts';
import { comesTrue } from './trial.ts';

const SEED = 7;
const BEGIN_TICK = 600;
const OVERDUE_TICKS = 12 * TICKS_PER_S;

const world = await LocalWorld.create({ seed: SEED, city: 'old-town', assets: builtAssets });
world.step(BEGIN_TICK);
const { outlook } = await world.outlook();

const dueTickOf = ({ time }: WorldStake) => Math.round(BEGIN_TICK + time * TICKS_PER_S);
const tried = (stake: WorldStake, untilTick: number) =>
  comesTrue(world, { vin: stake.vin, feature: stake.feature, offTick: 0, untilTick });

test('[P22] what is at stake is tried in a copy of the world: a car without brakes collides', async () => {
  const before = world.hash();
  const stakes = outlook.filter(
    ({ feature, consequence }) => feature === 'brakes' && consequence === 'collision',
  );
  expect(stakes.length).toBeGreaterThan(2);
  for (const stake of stakes) {
    expect(await tried(stake, dueTickOf(stake) + OVERDUE_TICKS), stake.vin).toBe(true);
    expect(await tried(stake, BEGIN_TICK + 1), stake.vin).toBe(false);
  }
  expect([world.tick, world.hash()]).toEqual([BEGIN_TICK, before]);
});

test('[P22] what comes of a feature that is off may be no collision', async () => {
  const stakes = outlook.filter(({ consequence }) => consequence === 'red_light');
  const outcomes = await Promise.all(
    stakes.map(async (stake) => {
      const isTrue = await tried(stake, dueTickOf(stake) + OVERDUE_TICKS);
      const copy = world.fork();
      copy.set(stake.vin, { [stake.feature]: false });
      copy.step(dueTickOf(stake) + OVERDUE_TICKS - BEGIN_TICK);
      const crashes = copy.incidents().flatMap(({ vehicles }) => vehicles.map(({ vin }) => vin));
      copy.close();
      return { isTrue, hasCrashed: crashes.includes(stake.vin) };
    }),
  );
  expect(outcomes).toContainEqual({ isTrue: true, hasCrashed: false });
});
