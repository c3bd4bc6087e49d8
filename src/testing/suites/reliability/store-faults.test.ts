import { expect, test } from 'vitest';
import { F_ALL, F_BRAKES, F_STEERING } from '../../../../assembly/layout.ts';
import { at } from '../../../city/geometry.ts';
import { type Store, StoreUnavailable } from '../../../store/contract.ts';
import { openEmbedded } from '../../../store/embedded-store.ts';
import { systemTime } from '../../../time.ts';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import type { StoredImage } from '../../../worlds/stored-image.ts';
import type { Fault } from '../../doubles/faulty-store.ts';
import { Dice } from '../../rigs/dice.ts';
import type { FaultyNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import {
  ask,
  CITY,
  changesOf,
  expectRefusal,
  incidentsOf,
  journalOf,
  makeLivedWorld,
  makeWorld,
  RECKLESS,
  stateOf,
} from './client.ts';
import { expectLived, expectWhole, hashOfImage, Reference } from './reference.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';
import {
  expectSwitched,
  firstCars,
  type SwitchedCar,
  switchAndLook,
  switchOn,
} from './switched-car.ts';

const nodes = useNodes();

const RECKLESS_MASK = F_ALL & ~(F_STEERING | F_BRAKES);

const makeReckless = (base: string, tick: number) => makeLivedWorld(base, { seed: 1, tick });

/** The tick of the first collision after `tick` in such a world. */
function nextCollision(tick: number): number {
  const reference = new Reference({ id: '0000000000', seed: 1, city: CITY }, RECKLESS).to(tick);
  const { length } = reference.records;
  while (reference.records.length === length) reference.to(reference.tick + 1);
  reference.free();
  return at(reference.records, length).tick;
}

const NONE: Fault = { kind: 'none' };

/** Switches cars of a world at once; each gets several answers under every fault. */
async function switchThrough(
  { twinUrl, store }: FaultyNode,
  cars: readonly SwitchedCar[],
  faults: readonly Fault[],
): Promise<void> {
  const stopSwitching = switchOn(twinUrl, cars);
  const answersOf = ({ acknowledged, refused }: SwitchedCar) => acknowledged + refused;
  try {
    for (const fault of faults) {
      store.setFault(fault);
      const before = cars.map(answersOf);
      await until(`answers while the store is ${fault.kind}`, () =>
        cars.every((car, i) => answersOf(car) > (before[i] ?? 0) + 2),
      );
    }
  } finally {
    store.setFault(NONE);
    await stopSwitching();
  }
}

test('[R14] a watched world whose store is slow, failing and full runs as its journal says, to the last bit', async () => {
  const node = await nodes.withFaultyStore();
  const { twinUrl: base } = node;
  const world = await makeReckless(base, nextCollision(2000) - 30);
  const reader = await StreamReader.open(base, world);
  const cars = firstCars(world, 8, RECKLESS_MASK);
  await until('frames', () => reader.snapshots.length > 5);
  await switchThrough(node, cars, [
    NONE,
    { kind: 'slow', ms: 30 },
    { kind: 'fail' },
    { kind: 'slow', ms: 200 },
    { kind: 'full' },
    NONE,
    { kind: 'slow', ms: 500 },
    { kind: 'fail' },
    NONE,
  ]);
  expect(cars.every(({ acknowledged, refused }) => acknowledged > 0 && refused > 0)).toBe(true);
  await expectSwitched(base, world, cars);
  expect((await incidentsOf(base, world)).at(-1)?.tick).toBeGreaterThan(world.tick);
  const frames = reader.snapshots.length;
  await until('the stream goes on', () => reader.snapshots.length > frames + 5);
  const { ticks } = reader;
  expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b));
  const changes = changesOf(await journalOf(base, world));
  expectLived(world, changes, reader.snapshots);
  await expectWhole(base, world);
  await node.stop();
  const store = await openEmbedded(node.dataDir, systemTime);
  const number = parseWorldId(world.id) ?? 0;
  const key = ['p', partitionOf(number), 'image', number];
  const image = (await store.get<StoredImage>(key))?.value;
  await store.close();
  const reference = new Reference(world, changes).to(image?.tick ?? 0);
  expect(image?.tick).toBeGreaterThan(world.tick);
  expect(image && hashOfImage(image.bytes)).toBe(reference.hash());
  reference.free();
});

test('[R15] while the store fails a stream goes on through collisions, and every incident is reported later', async () => {
  const { twinUrl: base, store } = await nodes.withFaultyStore();
  const collision = nextCollision(2000);
  const world = await makeReckless(base, collision - 60);
  const unwatched = await makeReckless(base, collision - 60);
  const reader = await StreamReader.open(base, world);
  await until('frames', () => reader.snapshots.length > 5);
  store.setFault({ kind: 'full' });
  expect(reader.lastTick).toBeLessThan(collision);
  const { length } = reader.snapshots;
  await until('frames after the collision', async () => {
    for (const { id } of [world, unwatched]) {
      const answer = await ask(base, `/api/v1/worlds/${id}/state`);
      if (answer.status !== 200) expectRefusal(answer);
    }
    return reader.lastTick >= collision + 150;
  });
  expect(reader.snapshots.length - length).toBeGreaterThan(20);
  expectRefusal(await ask(base, `/api/v1/worlds/${world.id}/incidents`));
  expect(reader.closeCode).toBeUndefined();

  store.setFault({ kind: 'none' });
  await expectWhole(base, world);
  await expectWhole(base, unwatched);
  expectLived(world, RECKLESS, reader.snapshots);
});

test('[R15] incidents that could not be saved are reported after their world left memory, and after a restart', async () => {
  const dir = nodes.dir();
  const node = await nodes.withFaultyStore({ DATA_DIR: dir, SHARD_WORLDS: '16' });
  const { twinUrl: base, store } = node;
  const worlds = await Promise.all([4000, 5000, 6000].map((tick) => makeReckless(base, tick)));
  const others = await Promise.all(
    Array.from({ length: 20 }, (_, seed) => makeWorld(base, { seed })),
  );
  store.setFault({ kind: 'fail' });
  for (const { id } of worlds) expectRefusal(await ask(base, `/api/v1/worlds/${id}/incidents`));
  for (const other of others) await stateOf(base, other);
  store.setFault({ kind: 'none' });
  await expectWhole(base, at(worlds, 0));

  store.setFault({ kind: 'fail' });
  await stateOf(base, at(worlds, 1));
  await node.stop();
  const again = await nodes.inProcess({ DATA_DIR: dir });
  for (const world of worlds) await expectWhole(again.twinUrl, world);
});

test('[R40] a world whose first watcher comes while the store is gone is shown once it is back', async () => {
  const { twinUrl, store } = await nodes.withFaultyStore();
  const world = await makeWorld(twinUrl, { seed: 1 });
  store.setFault({ kind: 'gone' });
  const reader = await StreamReader.open(twinUrl, world);
  await until('the hello', () => reader.hello);
  expectRefusal(await ask(twinUrl, `/api/v1/worlds/${world.id}/state`));
  store.setFault({ kind: 'none' });
  await moreFrames([reader], 5);
  await expectWhole(twinUrl, world);
});

test('[R40] its stream ends where the store stays away', async () => {
  const { twinUrl, store } = await nodes.withFaultyStore();
  const world = await makeWorld(twinUrl, { seed: 1 });
  store.setFault({ kind: 'gone' });
  const reader = await StreamReader.open(twinUrl, world);
  await until('the stream is closed', () => reader.closeCode !== undefined);
  expect([reader.closeCode, reader.snapshots]).toEqual([1013, []]);
});

test('[O11] a node whose store fails can be stopped, and has its worlds after the next start', async () => {
  const dir = nodes.dir();
  const node = await nodes.withFaultyStore({ DATA_DIR: dir });
  const { twinUrl: base, store } = node;
  const worlds = await Promise.all([2000, 3000].map((tick) => makeReckless(base, tick)));
  const reader = await StreamReader.open(base, at(worlds, 0));
  await until('frames', () => reader.snapshots.length > 50);
  store.setFault({ kind: 'full' });
  await stateOf(base, at(worlds, 0));
  await node.stop();
  const again = await nodes.inProcess({ DATA_DIR: dir });
  for (const world of worlds) await expectWhole(again.twinUrl, world);
});

test('[R13] changes of one world take effect in the order in which they were accepted, however slow the store', async () => {
  const node = await nodes.withFaultyStore();
  const { twinUrl: base, store } = node;
  const world = await makeWorld(base, { seed: 1 });
  const owned = await node.worlds.load(parseWorldId(world.id) ?? 0);
  if (owned === undefined) throw new Error('unreachable: it was just made');
  const settled: number[] = [];
  const faults: Fault[] = [
    { kind: 'slow', ms: 200 },
    { kind: 'none' },
    { kind: 'fail' },
    { kind: 'slow', ms: 50 },
  ];
  const changes: Promise<number | undefined>[] = [];
  let refusals = 0;
  for (let i = 0; i < 80; i++) {
    const fault = at(faults, Math.floor(i / 10) % faults.length);
    store.setFault(fault);
    const before = refusals;
    const feature = 1 << (i % 12);
    const on = (owned.declared(i % 20) & feature) !== 0;
    const change = owned.change(i % 20, feature, on ? 0 : feature).then(
      () => {
        settled.push(i);
        return i;
      },
      () => {
        refusals++;
        return undefined;
      },
    );
    changes.push(change);
    await systemTime.sleep(10);
    // A store that fails does so until somebody has noticed.
    if (fault.kind === 'fail' && i % 10 === 0) await until('a refusal', () => refusals > before);
  }
  const acknowledged = (await Promise.all(changes)).filter((i) => i !== undefined);
  expect(settled).toEqual(settled.toSorted((a, b) => a - b));
  expect(acknowledged.length).toBeGreaterThan(20);
  expect(acknowledged.length).toBeLessThan(80);
  const journal = changesOf(await journalOf(base, world));
  expect(journal.map(({ car, touched }) => [car, touched])).toEqual(
    acknowledged.map((i) => [i % 20, 1 << (i % 12)]),
  );
  const ticks = journal.map(({ tick }) => tick);
  expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
  await expectWhole(base, world);
});

test('a change that was written is acknowledged even where the store says that it failed', async () => {
  let isLying = false;
  const openStore = async (dir: string): Promise<Store> => {
    const store = await openEmbedded(dir, systemTime);
    const commit: Store['commit'] = async (...asked) => {
      const isDone = await store.commit(...asked);
      if (isLying) throw new StoreUnavailable('failed');
      return isDone;
    };
    return {
      engine: store.engine,
      claims: store.claims,
      heartbeats: store.heartbeats,
      get: (key) => store.get(key),
      list: (prefix, page) => store.list(prefix, page),
      count: (prefix, bounds) => store.count(prefix, bounds),
      commit,
      close: () => store.close(),
    };
  };
  const { twinUrl } = await nodes.inProcess({}, { openStore });
  const world = await makeWorld(twinUrl, { seed: 1 });
  const reader = await StreamReader.open(twinUrl, world);
  const cars = firstCars(world, 3);
  const dice = new Dice(1);
  for (let i = 0; i < 30; i++) {
    isLying = i % 3 === 0;
    await Promise.all(cars.map((car) => switchAndLook(twinUrl, car, dice)));
  }
  isLying = false;
  expect(cars.map(({ refused }) => refused)).toEqual([0, 0, 0]);
  await expectSwitched(twinUrl, world, cars);
  await expectWhole(twinUrl, world);
  expectLived(world, changesOf(await journalOf(twinUrl, world)), reader.snapshots);
});
