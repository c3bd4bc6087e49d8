import { expect, test } from 'vitest';
import { TwinError } from '../errors.ts';
import {
  AUDITED_ONE_IN,
  CATCH_UP_SHARE,
  CATCH_UP_TICKS,
  LAG_TICKS,
  LOCKSTEP_LAG_TICKS,
  WAIT_MS_MAX,
} from '../limits.ts';
import { createLog } from '../log.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { startFaultyNode } from '../testing/rigs/node.ts';
import { until } from '../testing/rigs/until.ts';
import { partitionOf } from '../twin/ids.ts';
import { CatchUps, type StandingWorld } from './catch-ups.ts';
import type { OwnedWorld } from './owned-world.ts';

/** Ticks of a piece, and the time that one takes. */
const PIECE_TICKS = 1000;
const PIECE_MS = 10;
const REST_MS = PIECE_MS * (1 / CATCH_UP_SHARE - 1);

function setUp() {
  const time = TestTime.standing();
  const steps: string[] = [];
  const catchUps = new CatchUps({ time, log: createLog('silent') });
  const shardOf = () => ({ burstMs: (ticks: number) => (ticks / PIECE_TICKS) * PIECE_MS });
  const [one, other] = [shardOf(), shardOf()];
  /** A world so many pieces behind. */
  const worldOf = (id: string, pieces: number, shard = one) => ({
    id,
    shard,
    behindTicks: pieces * PIECE_TICKS,
    failure: undefined as Error | undefined,
    get isBehind() {
      return this.behindTicks > 0;
    },
    async catchUp() {
      steps.push(id);
      if (this.failure) throw this.failure;
      this.behindTicks -= PIECE_TICKS;
      return PIECE_TICKS;
    },
  });
  return { catchUps, other, steps, time, worldOf };
}

test('[Y9] the world that is furthest behind comes first, and each piece is a tenth of the time', async () => {
  const { catchUps, steps, time, worldOf } = setUp();
  const worlds = [worldOf('late', 2), worldOf('ancient', 4), worldOf('old', 3)];
  for (const world of worlds) catchUps.add(world);
  await time.advance(0);
  // The first was there alone.
  expect(steps).toEqual(['late']);
  await time.advance(REST_MS - 1);
  expect(steps).toHaveLength(1);
  await time.advance(1);
  expect(steps).toEqual(['late', 'ancient']);
  for (const world of worlds) catchUps.add(world);
  for (let piece = 0; piece < 10; piece++) await time.advance(REST_MS);
  expect(steps).toHaveLength(2 + 4 + 3);
  expect(new Set(steps.slice(2, 4))).toEqual(new Set(['ancient', 'old']));
  expect(steps.slice(-3).toSorted()).toEqual(['ancient', 'late', 'old']);
});

test('[L17] worlds that were asked for in vain get every other turn, however far behind others are', async () => {
  const { catchUps, steps, time, worldOf } = setUp();
  for (let i = 0; i < 20; i++) catchUps.add(worldOf('ancient', 1000));
  catchUps.add(worldOf('asked', 3), true);
  catchUps.add(worldOf('asked too', 2), true);
  await time.advance(0);
  for (let piece = 0; piece < 11; piece++) await time.advance(REST_MS);
  const asked = steps.filter((id) => id !== 'ancient');
  expect(asked).toEqual(['asked', 'asked too', 'asked', 'asked too', 'asked']);
  expect(steps).toHaveLength(12);
});

/** What a tick costs on the machine for which the goals are set, ms. */
const TICK_MS_OF_SHARD = 0.0034;
/** Of the time of worlds. */
const HOUR_TICKS = 180_000;
const MS_PER_TICK = 20;

test('[Y9] 500 worlds of a shard that only their clients live are never far behind, for a day', async () => {
  const time = TestTime.standing();
  const catchUps = new CatchUps({ time, log: createLog('silent') });
  const shard = { burstMs: (ticks: number) => ticks * TICK_MS_OF_SHARD };
  const now = () => time.now() / MS_PER_TICK;
  const startTick = now();
  let furthest = 0;
  class Followed implements StandingWorld {
    readonly id = 'w';
    readonly shard = shard;
    reached = startTick;

    get behindTicks(): number {
      return now() - this.reached;
    }

    get isBehind(): boolean {
      return this.behindTicks > LOCKSTEP_LAG_TICKS;
    }

    async catchUp(): Promise<number> {
      furthest = Math.max(furthest, this.behindTicks);
      const ticks = Math.min(this.behindTicks, CATCH_UP_TICKS);
      await time.sleep(shard.burstMs(ticks));
      this.reached += ticks;
      return ticks;
    }
  }
  const worlds = Array.from({ length: 500 }, () => new Followed());
  for (let minute = 0; minute < 24 * 60; minute++) {
    for (const world of worlds) if (world.isBehind) catchUps.add(world);
    await time.advance(60_000);
  }
  catchUps.stop();
  for (const { behindTicks } of worlds) furthest = Math.max(furthest, behindTicks);
  expect(furthest).toBeGreaterThan(LOCKSTEP_LAG_TICKS);
  expect(shard.burstMs(furthest)).toBeLessThan(WAIT_MS_MAX);
  expect(Math.min(...worlds.map(({ reached }) => reached)) - startTick).toBeGreaterThan(
    20 * HOUR_TICKS,
  );
});

test('[Y9] each shard has worlds of its own', async () => {
  const { catchUps, other, steps, time, worldOf } = setUp();
  catchUps.add(worldOf('here', 2));
  catchUps.add(worldOf('there', 2, other));
  await time.advance(0);
  expect(steps).toEqual(['here', 'there']);
});

test('a world that fails is left out until it is added again, and keeps no other', async () => {
  const { catchUps, steps, time, worldOf } = setUp();
  const [bad, good] = [worldOf('bad', 5), worldOf('good', 1)];
  bad.failure = new TwinError('store_unavailable');
  catchUps.add(bad);
  catchUps.add(good);
  await time.advance(0);
  await time.advance(REST_MS);
  expect(steps).toEqual(['bad', 'good']);
  bad.failure = undefined;
  catchUps.add(bad);
  await time.advance(0);
  expect(steps).toEqual(['bad', 'good', 'bad']);
});

test('a world that was stepped meanwhile is not stepped again, and nothing is after a stop', async () => {
  const { catchUps, steps, time, worldOf } = setUp();
  const [first, second, third] = [worldOf('first', 1), worldOf('second', 1), worldOf('third', 3)];
  for (const world of [first, second, third]) catchUps.add(world);
  await time.advance(0);
  second.behindTicks = 0;
  await time.advance(REST_MS);
  expect(steps).toEqual(['first', 'third']);
  catchUps.stop();
  catchUps.add(worldOf('fourth', 9));
  await time.advance(10 * REST_MS);
  expect(steps).toHaveLength(2);
});

test('[Y9] a world that only its clients live is brought to now once it is an hour behind', async () => {
  const node = await startFaultyNode();
  try {
    const made = async (startTick: number): Promise<OwnedWorld> => {
      const world = (await node.worlds.create({ startTick })) as OwnedWorld;
      if (world.number % AUDITED_ONE_IN === 0) return made(startTick);
      world.watch('lockstep', 'a');
      world.touch();
      return world;
    };
    const old = await made(LOCKSTEP_LAG_TICKS + 1000);
    const young = await made(LOCKSTEP_LAG_TICKS - 60_000);
    const watched = await made(LOCKSTEP_LAG_TICKS + 1000);
    watched.watch('json', 'a');
    await node.worlds.idle.sweep();
    expect([old, young, watched].map(({ loader }) => loader.isBehind)).toEqual([
      true,
      false,
      false,
    ]);
    await until('the old world at now', () => old.loader.behindTicks < LAG_TICKS);
    expect(young.residency).toBe(0);
    // It leaves an image: nobody has to step it so far again.
    const key = ['p', partitionOf(old.number), 'image', old.number];
    const image = await until('its image', () => node.store.get<{ tick: number }>(key));
    expect(image.value.tick).toBeGreaterThan(LOCKSTEP_LAG_TICKS);
  } finally {
    await node.discard();
  }
});
