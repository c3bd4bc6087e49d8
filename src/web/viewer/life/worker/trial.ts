import type { LocalWorld } from '../../../../../client/src/local-world.ts';
import type { FeatureName } from '../../../../../src/twin/catalogue.ts';
import { isConsequenceOf } from '../../stakes.ts';
import type { Trial } from '../life.ts';
import { nextTurn } from './next-turn.ts';

/** Ticks between two turns for others: some 5 ms of work. */
const CHUNK_TICKS = 200;

/**
 * Lives a private copy of a world ahead with a feature of a car off from a tick on. Whether something comes of
 * it: the car collides, or an event tells what the missing feature led to.
 */
export async function comesTrue(
  of: LocalWorld,
  { vin, feature, ...ticks }: Trial,
): Promise<boolean> {
  const world = of.fork();
  const fromTick = world.tick;
  try {
    await liveTo(world, ticks.offTick - 1);
    world.set(vin, { [feature]: false } as Partial<Record<FeatureName, boolean>>);
    await liveTo(world, ticks.untilTick);
    const { events, incidents } = world.happened(fromTick, world.tick);
    const isInvolved = incidents.some(({ vehicles }) => vehicles.some((each) => each.vin === vin));
    return isInvolved || events.some((event) => isConsequenceOf(event, { vin, feature }));
  } finally {
    world.close();
  }
}

async function liveTo(world: LocalWorld, tick: number): Promise<void> {
  while (world.tick < tick) {
    world.step(Math.min(tick - world.tick, CHUNK_TICKS));
    await nextTurn();
  }
}
