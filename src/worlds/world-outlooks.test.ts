import { expect, test } from 'vitest';
import { BetweenNodes, TwinError } from '../errors.ts';
import { FORECAST_COST_TICKS } from '../limits.ts';
import type { ForecastAnswer } from '../shard/protocol.ts';
import { nextTurn } from '../testing/doubles/test-time.ts';
import type { Asker } from '../twin-service.ts';
import type { WorldLoader } from './world-loader.ts';
import { WorldOutlooks } from './world-outlooks.ts';
import type { WorldParts } from './world-parts.ts';

function askerWith(left: number): Asker & { left: number } {
  return {
    client: 'a',
    left,
    affords(ticks) {
      return this.left >= ticks;
    },
    spares: () => true,
    spend(ticks) {
      this.left -= ticks;
    },
  };
}

/** A world at tick 1000 on a shard whose forecasts the test answers. */
function setUp() {
  const world = { tick: 1000, seq: 3, isShown: true, isRetired: false, loads: 0 };
  const forecasts: PromiseWithResolvers<ForecastAnswer>[] = [];
  const shard = {
    forecast: () => {
      const forecast = Promise.withResolvers<ForecastAnswer>();
      forecasts.push(forecast);
      return forecast.promise;
    },
  };
  /** The seq of a change that is durable and not in effect yet. */
  let comes = world.seq;
  const journal = {
    get seq() {
      return world.seq;
    },
    untilInEffect: async () => {
      await nextTurn();
      world.seq = comes;
    },
  };
  const parts = {
    world: { number: 7, tick: () => world.tick },
    journal,
    residency: world,
    shared: { city: { hazards: [] }, cityIndex: 0, shard, isShown: () => world.isShown },
  } as unknown as WorldParts;
  /** Called while the shard steps the world. */
  const during = { stepping: () => {} };
  const loader = {
    query: async () => {
      world.loads++;
      during.stepping();
      return { tick: world.tick };
    },
  } as unknown as WorldLoader;
  const outlooks = new WorldOutlooks(parts, loader);
  return {
    world,
    forecasts,
    during,
    change: () => {
      comes = world.seq + 1;
    },
    ask: (asker: Asker) => outlooks.outlook(asker),
    /** Answers the newest forecast, once it is asked for. */
    answer: async (answer: ForecastAnswer = told(world.tick)) => {
      const before = forecasts.length;
      for (let turn = 0; turn < 5 && forecasts.length === before; turn++) await nextTurn();
      forecasts.at(-1)?.resolve(answer);
    },
  };
}

const told = (fromTick: number): ForecastAnswer => ({
  outcome: 'told',
  fromTick,
  rows: new Int32Array(),
  ways: new Float32Array(),
});

test('[W38] One forecast, which the first pays, serves all for 30 s.', async () => {
  const { world, forecasts, ask, answer } = setUp();
  const [first, second] = [askerWith(50_000), askerWith(0)];
  const asked = Promise.all([ask(first), ask(second)]);
  await answer();
  const [{ outlook }, other] = await asked;
  expect(other.outlook).toBe(outlook);
  world.tick += 1500;
  expect(await ask(second)).toEqual({ outlook, tick: 2500 });
  expect(forecasts).toHaveLength(1);
  expect(first.left).toBe(50_000 - FORECAST_COST_TICKS);
  expect(second.left).toBe(0);
  world.tick += 1;
  const later = ask(first);
  await answer();
  expect((await later).outlook.fromTick).toBe(2501);
});

test('[W38] A change that was answered is waited for, and takes a new forecast.', async () => {
  const { forecasts, change, ask, answer } = setUp();
  const asker = askerWith(100_000);
  const first = ask(asker);
  await answer();
  await first;
  change();
  const second = ask(asker);
  await answer();
  await second;
  expect(forecasts).toHaveLength(2);
  await ask(asker);
  expect(forecasts).toHaveLength(2);
});

test('[W38] Who cannot pay is refused, and nothing is lived ahead.', async () => {
  const { forecasts, ask } = setUp();
  const refused = await ask(askerWith(FORECAST_COST_TICKS - 1)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'rate_limited' });
  expect(forecasts).toHaveLength(0);
});

test('[W38] A forecast that fails costs nothing, and the next one is made anew.', async () => {
  const { forecasts, ask, answer } = setUp();
  const asker = askerWith(50_000);
  const failing = ask(asker).catch((error: unknown) => error);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  forecasts.at(-1)?.reject(new TwinError('overloaded'));
  expect(await failing).toMatchObject({ code: 'overloaded' });
  expect(asker.left).toBe(50_000);
  const again = ask(asker);
  await answer();
  expect((await again).tick).toBe(1000);
});

test('[W38] A world that left the memory of its shard, or whose shard ended, is loaded again.', async () => {
  const { world, forecasts, ask, answer } = setUp();
  const asked = ask(askerWith(50_000));
  await answer({ outcome: 'unloaded' });
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  forecasts.at(-1)?.reject(new TwinError('world_unavailable'));
  await answer();
  expect((await asked).tick).toBe(1000);
  expect(forecasts).toHaveLength(3);
  expect(world.loads).toBe(3);
});

test('[W38] A world that went to another node meanwhile is asked for there, and a deleted one is unknown.', async () => {
  const { world, ask, answer } = setUp();
  const moved = ask(askerWith(50_000)).catch((error: unknown) => error);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  world.isShown = false;
  await answer();
  expect(await moved).toBeInstanceOf(BetweenNodes);
  world.isShown = true;
  world.isRetired = true;
  const deleted = await ask(askerWith(50_000)).catch((error: unknown) => error);
  expect(deleted).toMatchObject({ code: 'unknown_world' });
});

test('[W38] A change that becomes durable while the world is stepped takes a new forecast.', async () => {
  const { world, forecasts, during, change, ask, answer } = setUp();
  const asker = askerWith(100_000);
  during.stepping = () => {
    change();
    world.seq++;
    during.stepping = () => {};
  };
  const first = ask(asker);
  await answer();
  await first;
  const second = ask(asker);
  await answer();
  await second;
  expect(forecasts).toHaveLength(2);
});
