import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { builtAssets } from '../testing/built-assets.ts';
import {
  expectTruth,
  isVerified,
  LATE_MS,
  ofType,
  type Stage,
  settle,
  stage,
  switchAround,
} from '../testing/live-stage.ts';
import { CityModel } from './city-model.ts';
import { LocalWorld } from './local-world.ts';

const AGE_TICKS = 9000;
/** Long enough for the longest comparison. */
const COMPARED_MS = 1000;

let logged: MockInstance<typeof console.error>;
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A client that follows a node, some changes made. */
async function following(prepare: (node: Stage['node']) => void = () => {}): Promise<Stage> {
  const on = stage({ node: { ageTicks: AGE_TICKS }, prepare });
  await on.until(() => isVerified(on));
  await switchAround(on, 3, new Dice(5));
  await settle(on);
  on.events.length = 0;
  return on;
}

/** Ticks of which a node may tell. */
const TICKS: readonly (readonly [string, (on: Stage) => number])[] = [
  ['to which the world has not come here', ({ node }) => Math.floor(node.tick)],
  ['of a second ago', ({ node }) => Math.floor(node.tick) - 50],
  ['of a minute ago', ({ node }) => Math.floor(node.tick) - 2900],
  ['of its beginning', () => 0],
];

test.each(TICKS)('[K13] an equal state at a tick %s is nothing', async (_, tickOf) => {
  const on = await following();
  await on.node.audit(tickOf(on));
  await on.time.advance(COMPARED_MS);
  expect([ofType(on, 'difference'), ofType(on, 'restart')]).toEqual([[], []]);
  expect(logged).not.toHaveBeenCalled();
  expect(on.live.state).toBe('verified');
});

test.each(TICKS)(
  '[K13] a state at a tick %s that differs is logged as a defect, and the world is read anew',
  async (_, tickOf) => {
    const on = await following();
    const tick = tickOf(on);
    const here = await on.node.audit(tick, true);
    const models = vi.spyOn(CityModel, 'of');
    await on.time.advance(COMPARED_MS);
    const reason = `a defect: its state has the hash ${here} here and feedfeedfeedfeed at the node`;
    expect(logged.mock.calls).toEqual([[`world ${on.node.id} at tick ${tick}: ${reason}`]]);
    expect(ofType(on, 'difference')).toEqual([{ type: 'difference', tick, reason }]);
    expect(ofType(on, 'restart')).toHaveLength(1);
    // The kernel was made anew: that of the same assets would be the one that may compute wrong.
    expect(models.mock.calls).toHaveLength(1);
    const [given] = models.mock.calls[0] ?? [];
    expect(given).not.toBe(await builtAssets(on.node.city));
    expect(Object.fromEntries(on.node.queries.at(-1) ?? [])).toEqual({ encoding: 'lockstep' });
    await on.until(() => isVerified(on));
    await settle(on);
    await expectTruth(on);
  },
);

test('[K13] after a second difference the world is shown as the node shows it', async () => {
  const on = await following();
  for (let i = 0; i < 2; i++) {
    await on.node.audit(undefined, true);
    await on.time.advance(COMPARED_MS);
  }
  await on.until(() => on.live.state === 'fallback');
  expect(logged).toHaveBeenCalledTimes(2);
});

test('[K13] a state is not compared before the changes are here of which it is made', async () => {
  const on = await following();
  on.node.change(3, 3, 0, 1500);
  await on.time.advance(200);
  await on.node.audit();
  await on.time.advance(1200);
  expect(on.live.world?.seq).toBe(on.node.changes.length - 1);
  await settle(on);
  expect(on.live.world?.seq).toBe(on.node.changes.length);
  expect(ofType(on, 'difference')).toEqual([]);
  await on.node.audit(undefined, true);
  await on.time.advance(COMPARED_MS);
  expect(ofType(on, 'difference')).toHaveLength(1);
});

test('[K13] an image that is later than the state leaves nothing to compare', async () => {
  const on = await following((node) => {
    node.imageAgeTicks = 400;
  });
  const { firstTick = 0 } = on.live.world ?? {};
  await on.node.audit(firstTick - 1, true);
  await on.time.advance(COMPARED_MS);
  expect(ofType(on, 'difference')).toEqual([]);
  await on.node.audit(firstTick, true);
  await on.time.advance(COMPARED_MS);
  expect(ofType(on, 'difference')).toHaveLength(1);
});

test('[K13] states are equal however late messages are, and whatever is lived again', async () => {
  const dice = new Dice(9);
  const on = stage({
    prepare: (node) => {
      node.delayMs = () => dice.below(LATE_MS);
    },
  });
  await on.until(() => isVerified(on));
  const compared = vi.spyOn(LocalWorld.prototype, 'at');
  for (let round = 0; round < 30; round++) {
    await switchAround(on, 1, dice);
    await on.node.audit();
  }
  await settle(on);
  expect(compared.mock.results.length).toBeGreaterThan(20);
  expect(ofType(on, 'rollback').length).toBeGreaterThan(10);
  expect(ofType(on, 'difference')).toEqual([]);
});
