import { afterEach, expect } from 'vitest';
import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { TestTime } from '../../src/testing/doubles/test-time.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import type { LiveEvent } from '../src/live-events.ts';
import { type LiveDependencies, LiveWorld } from '../src/live-world.ts';
import { builtAssets } from './built-assets.ts';
import { LockstepDouble } from './lockstep-double.ts';

/** The client's clock shows another time than the node's. */
const CLOCK_MS = 7_777_777;
/** Messages are late by so much at most, if they are. */
export const LATE_MS = 400;

const worlds: LiveWorld[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

export interface Stage {
  time: TestTime;
  node: LockstepDouble;
  live: LiveWorld;
  events: LiveEvent[];
  /** Lets time pass until something is the case. */
  until(condition: () => boolean): Promise<void>;
}

/** A client of a node that is a double, on the time of the test. */
export function stage(options: {
  node?: ConstructorParameters<typeof LockstepDouble>[1];
  prepare?: (node: LockstepDouble) => void;
  dependencies?: Partial<LiveDependencies>;
}): Stage {
  const time = TestTime.standing();
  const node = new LockstepDouble(time, options.node);
  options.prepare?.(node);
  const dice = new Dice(1);
  const platform = {
    now: () => time.now() + CLOCK_MS,
    after: (ms: number, task: () => void) => time.after(ms, task),
    random: () => dice.below(1000) / 1000,
  };
  const live = new LiveWorld(node, {
    ...{ platform, openSocket: node.openSocket, isGone: async () => node.isGone },
    fetchAssets: () => builtAssets(node.city),
    ...options.dependencies,
  });
  worlds.push(live);
  const events: LiveEvent[] = [];
  live.subscribe((event) => events.push(event));
  const until = async (condition: () => boolean) => {
    for (let turns = 0; !condition(); turns++) {
      if (turns > 10_000) throw new Error('that never happens');
      await time.advance(10);
    }
  };
  return { time, node, live, events, until };
}

export const isVerified = ({ live }: Stage) => live.state === 'verified';
export const statesOf = ({ events }: Stage) =>
  events.flatMap((event) => (event.type === 'state' ? [event.state] : []));
export const ofType = <T extends LiveEvent['type']>({ events }: Stage, type: T) =>
  events.filter((event): event is Extract<LiveEvent, { type: T }> => event.type === type);

/** Whether the world that lives here is the one of the node. */
export async function expectTruth({ live, node }: Stage): Promise<void> {
  const { world } = live;
  if (world === undefined) throw new Error('no world lives here');
  const truth = await node.truth(world.tick);
  expect([world.tick, world.hash()]).toEqual([truth.tick, truth.hash()]);
  truth.close();
}

/** Random changes over some seconds. */
export async function switchAround(
  { node, time }: Stage,
  seconds: number,
  dice: Dice,
): Promise<void> {
  for (let ms = 0; ms < seconds * 1000; ) {
    const touched = 1 + dice.below(F_ALL);
    node.change(dice.below(CAR_COUNT), touched, touched & dice.below(F_ALL + 1));
    const pauseMs = dice.below(500);
    await time.advance(pauseMs);
    ms += pauseMs;
  }
}

/** All that is on its way has come, and the last change has taken effect. */
export const settle = ({ time }: Stage) => time.advance(2 * LATE_MS);
