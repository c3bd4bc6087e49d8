import { describe, expect, test, vi } from 'vitest';
import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { makeKernel, makeWorld, recordsUntil } from '../../src/testing/rigs/kernel.ts';
import { liveFromJournal } from '../../src/testing/rigs/manual-shard.ts';
import { settled } from '../../src/twin/contact-records.ts';
import { carTypesOf } from '../../src/twin/fleet.ts';
import { JOURNAL_MAX, type NumberedChange } from '../../src/twin/journal.ts';
import { builtAssets } from '../testing/built-assets.ts';
import { journalOf, randomChanges } from '../testing/random-journal.ts';
import { JournalGap } from './lived-journal.ts';
import { LocalWorld } from './local-world.ts';
import { LeasedSlab, SlabPool } from './slab-pool.ts';

const END_TICK = 6600;
/** The seeds of worlds, of their changes and of what comes late. */
const SEEDS = [3, 71];
const CASES = CITIES.flatMap(({ name }, cityIndex) =>
  SEEDS.map((seed) => ({ city: name, cityIndex, seed: seed + cityIndex })),
);

/** A world without changes, which come one by one. */
const bare = (city: string, seed: number) => LocalWorld.create({ city, seed, assets: builtAssets });

const withJournal = (city: string, seed: number, changes: readonly NumberedChange[]) =>
  LocalWorld.create({ journal: journalOf(city, seed, changes), assets: builtAssets });

function hexOf(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

/** The same world in a kernel that has the tables of all cities. */
function reference({ cityIndex, seed }: { cityIndex: number; seed: number }) {
  const kernel = makeKernel(1);
  return { kernel, slab: makeWorld(kernel, seed, cityIndex) };
}

describe('[K1] a local world', () => {
  test.each(CASES)('of $city, seed $seed, is the world of a node, to the bit', async (each) => {
    const { city, seed } = each;
    const changes = randomChanges(seed, END_TICK);
    const { kernel, slab } = reference(each);
    liveFromJournal(kernel, slab, changes, END_TICK);
    const world = await withJournal(city, seed, changes);
    world.step(END_TICK);
    expect(world.tick).toBe(END_TICK);
    expect(world.hash()).toBe(hexOf(kernel.hash(slab)));
    world.close();
  });

  test('is the same in steps of any size', async () => {
    const changes = randomChanges(5, END_TICK);
    const [whole, parts] = [
      await withJournal('grid', 5, changes),
      await withJournal('grid', 5, changes),
    ];
    whole.step(END_TICK);
    const dice = new Dice(9);
    while (parts.tick < END_TICK) {
      parts.step(Math.min(END_TICK - parts.tick, 1 + dice.below(dice.pick([1, 8, 300]))));
    }
    expect(parts.hash()).toBe(whole.hash());
    expect(parts.events()).toEqual(whole.events());
    expect(parts.contacts()).toEqual(whole.contacts());
    expect(whole.contacts().length).toBeGreaterThan(0);
  });

  test('has all contacts and the last events of its life', async () => {
    const [each] = CASES;
    if (each === undefined) throw new Error('there is a case');
    const world = await bare(each.city, each.seed);
    const { kernel, slab } = reference(each);
    for (const car of [1, 2, 3, 4]) {
      expect(world.set(car, { brakes: false, steering: false })).toMatchObject({ car, tick: 1 });
      kernel.apply(slab, 1, car, 0b11, 0);
    }
    const records = recordsUntil(kernel, slab, END_TICK);
    world.step(END_TICK);
    expect(world.hash()).toBe(hexOf(kernel.hash(slab)));
    expect(world.contacts()).toEqual(settled(records));
    expect(world.contacts().length).toBeGreaterThan(1);
    expect(world.events().map(({ seq }) => seq)).toEqual(
      kernel
        .events(slab)
        .slice(-60)
        .map(({ seq }) => seq),
    );
    expect(world.events(1000).map(({ seq }) => seq)).toEqual(
      Array.from({ length: kernel.eventCount(slab) }, (_, i) => i + 1),
    );
  });

  test('refuses what a node would refuse', async () => {
    const journal = journalOf('grid', 1, randomChanges(1, 100));
    const refused = (given: object) =>
      expect(LocalWorld.create({ assets: builtAssets, ...given })).rejects.toMatchObject({
        code: 'invalid_world_options',
      });
    await refused({ seed: -1 });
    await refused({ seed: 1, journal });
    await refused({ journal: { ...journal, changes: [{ tick: 0, car: 20, features: {} }] } });
    await refused({ journal: { ...journal, changes: new Array(JOURNAL_MAX + 1).fill({}) } });
    const world = await bare('grid', 1);
    expect(() => world.set(0, { constructor: false } as object)).toThrow(
      expect.objectContaining({ code: 'unknown_feature' }),
    );
    expect(() => world.set(20, { brakes: false })).toThrow(
      expect.objectContaining({ code: 'unknown_vin' }),
    );
  });

  test('is switched as a car of a node is', async () => {
    const world = await bare('grid', 8);
    const vin = world.fleet[6]?.vin ?? '';
    expect(world.set(vin, { aeb: true })).toBeUndefined();
    expect(world.set(vin, { brakes: false })).toMatchObject({ seq: 1, car: 6 });
    expect(world.set(6, { brakes: false })).toBeUndefined();
    world.step();
    expect(world.features(vin)).toMatchObject({
      declared: { brakes: false },
      effective: { aeb: 'degraded' },
    });
    expect(world.journal()).toEqual({
      ...{ city: 'grid', seed: 8, tick: 1 },
      changes: [{ tick: 1, car: 6, features: { brakes: false } }],
    });
  });
});

describe('[K2] a change that comes late', () => {
  test.each(CASES)('to a world of $city, seed $seed, leads to the same life', async (each) => {
    const { city, seed } = each;
    const changes = randomChanges(seed, END_TICK);
    const inTime = await withJournal(city, seed, changes);
    inTime.step(END_TICK);
    const world = await LocalWorld.create({ city, seed, assets: builtAssets, isFollower: true });
    const dice = new Dice(seed);
    let late = 0;
    const waiting = changes.map((change) => ({
      change,
      // Most by less than half a second, some by more than the images of every four ticks reach.
      arrivesAt: change.tick + dice.below(dice.pick([3, 25, 25, 400])),
    }));
    while (world.tick < END_TICK) {
      while (waiting[0] && waiting[0].arrivesAt <= world.tick) {
        const { change } = waiting.shift() ?? { change: changes[0] as NumberedChange };
        const again = world.change(change);
        expect(again).toBe(Math.max(0, world.tick - change.tick + 1));
        if (again > 0) late++;
      }
      world.step(Math.min(END_TICK - world.tick, 1 + dice.below(4)));
    }
    world.change(...waiting.map(({ change }) => change));
    expect(late).toBeGreaterThan(changes.length / 2);
    expect(world.hash()).toBe(inTime.hash());
    expect(world.events(1000)).toEqual(inTime.events(1000));
    expect(world.contacts()).toEqual(inTime.contacts());
    expect(world.journal()).toEqual(inTime.journal());
    expect(world.selfCheck()).not.toBe(false);
  });

  test.each([0, 20, 300])(
    'brings all of its events, also if they are many, %i ticks late',
    async (late) => {
      const tick = 500;
      const inTime = await withJournal('grid', 6, atOneTick(tick));
      inTime.step(1000);
      const events = inTime.events(1000);
      const numbers = Array.from({ length: events.at(-1)?.seq ?? 0 }, (_, i) => i + 1);
      expect(events.map(({ seq }) => seq)).toEqual(numbers);
      expect(numbers.length).toBeGreaterThan(200);
      const world = await LocalWorld.create({
        ...{ city: 'grid', seed: 6, assets: builtAssets, isFollower: true },
      });
      world.step(tick - 1 + late);
      for (const change of atOneTick(tick)) world.change(change);
      world.step(1000 - world.tick);
      expect(world.hash()).toBe(inTime.hash());
      expect(world.events(1000)).toEqual(events);
    },
  );

  test('is taken once, in order of number and tick', async () => {
    const [first, second, third] = randomChanges(2, 300);
    if (!first || !second || !third) throw new Error('three changes are needed');
    const world = await bare('grid', 2);
    world.step(400);
    expect(world.change(first)).toBe(401);
    const hash = world.hash();
    expect(world.change(first)).toBe(0);
    expect(() => world.change(third)).toThrow(JournalGap);
    expect(() => world.change({ ...second, tick: first.tick - 1 })).toThrow(JournalGap);
    expect(() => world.change(second, first, { ...third, seq: 4 })).toThrow(JournalGap);
    expect([world.hash(), world.seq]).toEqual([hash, 1]);
    expect(world.change(second, third)).toBe(401 - second.tick);
  });
});

describe('[K3] the past of a local world', () => {
  const changes = randomChanges(12, END_TICK);

  test('is at hand at every tick', async () => {
    const world = await withJournal('old-town', 12, changes);
    world.step(END_TICK);
    const { kernel, slab } = reference({ cityIndex: 1, seed: 12 });
    const dice = new Dice(1);
    const ticks = Array.from({ length: 30 }, () => dice.below(END_TICK)).concat(
      0,
      END_TICK,
      2999,
      3000,
    );
    for (const tick of ticks) {
      kernel.create(slab, worldOf(1, 12));
      liveFromJournal(kernel, slab, changes, tick);
      const moment = world.at(tick);
      expect([tick, moment.hash]).toEqual([tick, hexOf(kernel.hash(slab))]);
      expect(moment.snapshot().tick).toBe(tick);
      expect(JSON.parse(new TextDecoder().decode(moment.frame('json')))).toEqual(moment.snapshot());
    }
    expect(world.at(END_TICK).snapshot()).toEqual(world.snapshot());
    for (const tick of [-1, 0.5, END_TICK + 1]) expect(() => world.at(tick)).toThrow(RangeError);
  });

  test('is shown as it turned out after a late change', async () => {
    const world = await bare('grid', 4);
    world.step(1000);
    const before = world.at(990).hash;
    world.change({ seq: 1, tick: 900, car: 3, touched: 1, values: 0 });
    expect(world.at(990).hash).not.toBe(before);
    expect(world.at(899).hash).toBe((await stepped('grid', 4, 899)).hash());
  });

  test('goes on in a fork, without the changes after it', async () => {
    const world = await withJournal('mixed-town', 12, changes);
    world.step(END_TICK);
    const tick = 5003;
    const fork = world.fork(tick);
    expect([fork.tick, fork.hash()]).toEqual([tick, world.at(tick).hash]);
    expect(fork.events(1000)).toEqual(world.events(1000).filter((event) => event.tick <= tick));
    expect(fork.contacts().every((contact) => contact.tick <= tick)).toBe(true);
    const own = fork.set(0, { steering: false, brakes: false });
    fork.step(END_TICK - tick);
    expect(fork.hash()).not.toBe(world.hash());
    const early = changes.filter((change) => change.tick <= tick);
    const wanted = await withJournal('mixed-town', 12, early);
    wanted.step(tick);
    if (own !== undefined) wanted.change(own);
    wanted.step(END_TICK - tick);
    expect(fork.hash()).toBe(wanted.hash());
    expect(fork.at(100).hash).toBe(world.at(100).hash);
  });

  test('goes on in a fork with the same changes as in the world itself', async () => {
    const world = await withJournal('grid', 12, changes);
    world.step(4000);
    const fork = world.fork();
    fork.change(...changes);
    fork.step(3000);
    world.step(3000);
    expect(fork.hash()).toBe(world.hash());
    expect(fork.events()).toEqual(world.events());
    expect(fork.contacts()).toEqual(world.contacts());
  });

  test('is not lived again once the world is closed', async () => {
    const leased = vi.spyOn(SlabPool.prototype, 'lease');
    const released = vi.spyOn(LeasedSlab.prototype, 'release');
    const world = await withJournal('grid', 1, changes);
    world.step(3500);
    const [incident] = world.incidents();
    if (incident === undefined) throw new Error('something has collided');
    world.close();
    const refused = /this world is closed/;
    expect(() => world.at(1000)).toThrow(refused);
    expect(() => world.fork(1000)).toThrow(refused);
    expect(() => world.selfCheck()).toThrow(refused);
    await expect(world.explain(incident.id)).rejects.toThrow(refused);
    await expect(world.replay(incident.id)).rejects.toThrow(refused);
    await expect(world.outlook()).rejects.toThrow(refused);
    expect(leased.mock.calls.length).toBe(1);
    expect(released.mock.calls.length).toBe(1);
    vi.restoreAllMocks();
  });

  test('is lived again and compared, ten seconds of each minute', async () => {
    const world = await withJournal('grid', 1, changes);
    expect(world.selfCheck()).toBeUndefined();
    world.step(3499);
    expect(world.selfCheck()).toBeUndefined();
    world.step(1);
    expect(world.selfCheck()).toBe(true);
    expect(world.selfCheck()).toBeUndefined();
    world.step(3000);
    expect(world.selfCheck()).toBe(true);
  });
});

/** All features of all cars are switched off. */
function atOneTick(tick: number): NumberedChange[] {
  return Array.from({ length: CAR_COUNT }, (_, car) => ({
    ...{ seq: car + 1, tick, car, touched: F_ALL, values: 0 },
  }));
}

function worldOf(cityIndex: number, seed: number) {
  return { cityIndex, seed, carTypes: carTypesOf(seed) };
}

async function stepped(city: string, seed: number, ticks: number): Promise<LocalWorld> {
  const world = await bare(city, seed);
  world.step(ticks);
  return world;
}
