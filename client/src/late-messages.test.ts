import { expect, test } from 'vitest';
import { CAR_COUNT, TICK_MS } from '../../assembly/layout.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { FEATURES, featureBit } from '../../src/twin/catalogue.ts';
import { builtAssets } from '../testing/built-assets.ts';
import { isVerified, LATE_MS, ofType, type Stage, settle, stage } from '../testing/live-stage.ts';
import { CityModel } from './city-model.ts';

/** What is shown is true from so long after a change on. */
const TRUE_AFTER_MS = 500;
/** A change that is late by 0.4 s at most moves no car by more. */
const JUMP_TICKS_MAX = 20;
const JUMP_M_MAX = 0.3;
const LOOK_MS = 50;
const LOOKS = 1500;

interface Shown {
  tick: number;
  hash: string;
  /** Of the node, when it was shown. */
  nodeTick: number;
}

/**
 * How far the car moved that moved most, whenever a change came a little late, and by how many ticks the state
 * after any late change is not the one of the tick that was shown last; both grow meanwhile.
 */
function jumpsOf({ live }: Stage): { jumps: number[]; ticksOff: number[] } {
  const jumps: number[] = [];
  const ticksOff: number[] = [];
  let last = live.snapshot();
  live.subscribe((event) => {
    if (event.type !== 'rollback') return;
    const now = live.snapshot();
    ticksOff.push((now?.tick ?? Number.NaN) - (last?.tick ?? Number.NaN));
    const moved = now?.vehicles.map(({ x, y }, car) => {
      const before = last?.vehicles[car];
      return Math.hypot(x - (before?.x ?? x), y - (before?.y ?? y));
    });
    if (event.ticks <= JUMP_TICKS_MAX) jumps.push(Math.max(...(moved ?? [])));
    last = now;
  });
  const follow = async () => {
    for await (const snapshot of live.snapshots({ everyTick: true })) last = snapshot;
  };
  void follow();
  return { jumps, ticksOff };
}

/** Switches features and ends connections at random, and notes what is shown. */
async function disturbed({ live, node, time }: Stage, dice: Dice): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let look = 0; look < LOOKS; look++) {
    if (dice.below(8) === 0) {
      const touched = featureBit(dice.pick(FEATURES).name) ?? 0;
      node.change(dice.below(CAR_COUNT), touched, dice.pick([0, touched]));
    }
    if (dice.below(100) === 0) node.endAll(dice.pick([1006, 1012]));
    await time.advance(LOOK_MS);
    const { world, state } = live;
    const isCertain = state === 'live' || state === 'verified';
    if (world && isCertain)
      shown.push({ tick: world.tick, hash: world.hash(), nodeTick: node.tick });
  }
  return shown;
}

test.each(['grid', 'old-town', 'mixed-town'])(
  '[K5, K7] in %s what is shown is true half a second after a change, and cars hardly jump',
  async (city) => {
    // Made before, since that takes real time: so each run is the same.
    await CityModel.of(await builtAssets(city));
    const dice = new Dice(city.length);
    const on = stage({
      node: { city, seed: 5 },
      prepare: (node) => {
        node.delayMs = () => dice.below(LATE_MS + 1);
      },
    });
    await on.until(() => isVerified(on));
    const { jumps, ticksOff } = jumpsOf(on);
    const shown = await disturbed(on, dice);
    await settle(on);
    await on.until(() => isVerified(on));
    const truth = await on.node.truth(on.live.world?.tick ?? 0);
    const isKnown = ({ tick, nodeTick }: Shown) =>
      !on.node.changes.some(
        (change) => change.tick <= tick && change.tick > nodeTick - TRUE_AFTER_MS / TICK_MS,
      );
    const known = shown.filter(isKnown);
    expect(known.filter(({ tick, hash }) => truth.at(tick).hash !== hash)).toEqual([]);
    expect(known.length).toBeGreaterThan(200);
    expect(shown.filter(({ tick, hash }) => truth.at(tick).hash !== hash).length).toBeGreaterThan(
      9,
    );
    expect(Math.max(...jumps)).toBeLessThanOrEqual(JUMP_M_MAX);
    expect(jumps.length).toBeGreaterThan(50);
    expect(jumps.some((m) => m > 0)).toBe(true);
    expect(new Set(ticksOff)).toEqual(new Set([0]));
    expect(
      ofType(on, 'state').filter(({ state }) => state === 'reconnecting').length,
    ).toBeGreaterThan(4);
    expect(ofType(on, 'difference')).toEqual([]);
    truth.close();
  },
);
