import { expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { systemTime } from '../../../time.ts';
import { Dice } from '../../rigs/dice.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { ask, changesOf, journalOf, makeWorld, tickOf, type World } from './client.ts';
import { expectLived, expectWhole } from './reference.ts';
import { expectEveryFrame, moreFrames, StreamReader } from './stream-reader.ts';
import { firstCars } from './switched-car.ts';

const nodes = useNodes();
/** Streams that are opened and closed meanwhile. */
const STREAMS = 12;

/** The highest tick of a world in any answer so far. */
class Reported {
  tick = 0;
  readonly snapshots: string[] = [];
  answers = 0;
  streams = 0;

  /** An answer to a request that was sent when `before` was the highest tick reported. */
  hear(tick: number, before: number, what: string): void {
    expect(tick, what).toBeGreaterThanOrEqual(before);
    this.tick = Math.max(this.tick, tick);
    this.answers++;
  }
}

const READS = ['/state', '', '/journal', '/events', '/incidents'] as const;
const CAR_READS = ['', '/telemetry', '/perception'] as const;

/** One client: reads of all kinds, one after the other, in either encoding. */
async function readOn(base: string, world: World, reported: Reported, dice: Dice): Promise<void> {
  const path = dice.pick(READS);
  const before = reported.tick;
  const msgpack = dice.below(2) === 0;
  const { status, text, body } = await ask(base, `/api/v1/worlds/${world.id}${path}`, { msgpack });
  expect(status, text).toBe(200);
  if (path === '/state' && !msgpack) reported.snapshots.push(text);
  if (Array.isArray(body)) expectPast(body, reported);
  else reported.hear((body as { tick: number }).tick, before, path);
}

/** What has happened is not reported before its time; ticks in lists are in order. */
function expectPast(list: readonly { tick: number }[], reported: Reported): void {
  const ticks = list.map(({ tick }) => tick);
  expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
  reported.hear(Math.max(reported.tick, ...ticks), reported.tick, 'list');
}

async function measureOn(
  base: string,
  world: World,
  reported: Reported,
  dice: Dice,
): Promise<void> {
  const { vin } = dice.pick(world.fleet);
  const path = `/api/v1/vehicle${dice.pick(CAR_READS)}`;
  const before = reported.tick;
  const { status, text } = await ask(base, path, { vin });
  expect(status, text).toBe(200);
  reported.hear(tickOf(text), before, path);
}

/** A stream that is opened, watched for a moment and closed. */
async function watchOn(base: string, world: World, reported: Reported, dice: Dice): Promise<void> {
  const before = reported.tick;
  const reader = await StreamReader.open(base, world);
  await systemTime.sleep(dice.below(300));
  reader.close();
  if (reader.hello === undefined) return;
  reported.hear(reader.hello.tick, before, 'hello');
  for (const [i, tick] of reader.ticks.entries()) {
    expect(tick).toBeGreaterThan(i === 0 ? reader.hello.tick : at(reader.ticks, i - 1));
  }
  reported.snapshots.push(...reader.snapshots);
  reported.tick = Math.max(reported.tick, ...reader.ticks);
  reported.streams++;
  await systemTime.sleep(dice.below(300));
}

test('[T7] ticks never go back in any answer while a world is watched, left and switched', async () => {
  const { twinUrl } = await nodes.inProcess();
  const world = await makeWorld(twinUrl, { seed: 1, start_tick: 1000 });
  const reported = new Reported();
  const cars = firstCars(world, 2);
  const client = async (dice: Dice, act: (dice: Dice) => Promise<unknown>) => {
    while (reported.streams < STREAMS) {
      await act(dice);
      await systemTime.sleep(dice.below(10));
    }
  };
  const acts = [
    ...Array.from({ length: 3 }, () => (dice: Dice) => readOn(twinUrl, world, reported, dice)),
    ...Array.from({ length: 2 }, () => (dice: Dice) => measureOn(twinUrl, world, reported, dice)),
    ...Array.from({ length: 2 }, () => (dice: Dice) => watchOn(twinUrl, world, reported, dice)),
    ...cars.map((car) => async (dice: Dice) => {
      await car.switch(twinUrl, dice);
      await systemTime.sleep(100);
    }),
  ];
  await Promise.all(acts.map((act, i) => client(new Dice(i), act)));
  expect(reported.answers).toBeGreaterThan(100);
  expectLived(world, changesOf(await journalOf(twinUrl, world)), reported.snapshots);
  await expectWhole(twinUrl, world);
});

const HOUR_MS = 3_600_000;

test('[T7] [T9] the wall clock jumps: ticks go on one by one, and only what is unused for its time ends', async () => {
  const { twinUrl, time, skip, worlds } = await nodes.inProcess({ WORLD_IDLE_SECONDS: '60' });
  const due = await makeWorld(twinUrl);
  await skip(40_000);
  const [watched, unused] = [await makeWorld(twinUrl), await makeWorld(twinUrl)];
  const reader = await StreamReader.open(twinUrl, watched);
  await moreFrames([reader], 5);
  for (const jumpMs of [HOUR_MS, -2 * HOUR_MS, 2 * HOUR_MS]) {
    time.jumpWall(jumpMs);
    await moreFrames([reader], 5);
  }
  expectEveryFrame([reader]);
  // What looks for unused worlds sees that of the first one is over.
  await skip(25_000);
  await until('the end of a world', () => worlds.handleCount === 2);
  const statusOf = async ({ id }: World) => (await ask(twinUrl, `/api/v1/worlds/${id}`)).status;
  expect(await statusOf(due)).toBe(404);
  expect(await statusOf(unused)).toBe(200);
  await expectWhole(twinUrl, watched);
});
