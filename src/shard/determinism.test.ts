import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { liveFromJournal, loadedWorld, ManualShard } from '../testing/rigs/manual-shard.ts';
import type { NumberedChange } from '../twin/journal.ts';

const SEED = 4711;
const END_TICK = 12_000;

/** Small, seeded numbers for tests: not a source of randomness of the product. */
function numbers(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** A busy journal: a change every 150 ticks or so, some of them at the same tick. */
function journal(seed: number, end: number): NumberedChange[] {
  const next = numbers(seed);
  const changes: NumberedChange[] = [];
  let tick = 0;
  for (let seq = 1; tick < end; seq++) {
    const touched = 1 + next(F_ALL);
    changes.push({ seq, tick, car: next(CAR_COUNT), touched, values: touched & next(F_ALL + 1) });
    tick += next(4) === 0 ? 0 : next(200);
  }
  return changes;
}

const CHANGES = journal(1, END_TICK - 100);

/** Hash of the world stepped tick by tick, changes included. */
function expected(tick = END_TICK): bigint {
  const kernel = makeKernel(1);
  const slab = makeWorld(kernel, SEED);
  liveFromJournal(kernel, slab, CHANGES, tick);
  return kernel.hash(slab);
}

describe('[T11] a world is its seed and its journal', () => {
  const hash = expected();

  it('is not the same world without its journal', () => {
    const kernel = makeKernel(1);
    const slab = makeWorld(kernel, SEED);
    liveFromJournal(kernel, slab, [], END_TICK);
    expect(kernel.hash(slab)).not.toBe(hash);
  });

  it('comes out the same in visits of four ticks', () => {
    const kernel = makeKernel(1);
    const shard = new ManualShard(kernel);
    const world = shard.enter(makeWorld(kernel, SEED), 1, 0, CHANGES);
    shard.scheduler.watch(world, true, false);
    shard.pass(END_TICK * 20);
    expect(world.tick).toBe(END_TICK);
    expect(kernel.hash(world.slab)).toBe(hash);
    expect(shard.frameTicks).toEqual(Array.from({ length: END_TICK / 4 + 1 }, (_, i) => i * 4));
  });

  it('[T3] comes out the same in bursts of any size', () => {
    const next = numbers(2);
    const kernel = makeKernel(1);
    const world = new ManualShard(kernel).enter(makeWorld(kernel, SEED), 1, 0, CHANGES);
    while (world.tick < END_TICK) {
      const target = Math.min(END_TICK, world.tick + 1 + next(700));
      while (world.tick < target) world.advance(target, 1 + next(90));
    }
    expect(kernel.hash(world.slab)).toBe(hash);
  });

  it('comes out the same in one burst beside 1,000 others', () => {
    const kernel = makeKernel(1001);
    const shard = new ManualShard(kernel);
    const others = Array.from({ length: 1000 }, (_, i) =>
      shard.enter(makeWorld(kernel, i), i + 2, END_TICK),
    );
    const world = shard.enter(makeWorld(kernel, SEED), 1, END_TICK, CHANGES);
    for (const other of others) shard.reach(other, 40);
    const goal = shard.reach(world, END_TICK);
    shard.settle();
    expect(goal.done).toBe(true);
    expect(others.every(({ tick }) => tick === 40)).toBe(true);
    expect(kernel.hash(world.slab)).toBe(hash);
  });

  it('comes out the same with its changes in flight while it is watched', () => {
    const next = numbers(3);
    const kernel = makeKernel(1);
    const shard = new ManualShard(kernel);
    const given = CHANGES.filter(({ tick }) => tick === 0);
    const world = shard.enter(makeWorld(kernel, SEED), 1, 0, given);
    const waiting = CHANGES.slice(given.length);
    const held: NumberedChange[] = [];
    const accept = () => {
      const now = world.tickAt(shard.nowMs);
      while ((waiting[0]?.tick ?? Number.POSITIVE_INFINITY) <= now + 2) {
        const change = waiting.shift() as NumberedChange;
        world.hold(change.seq, change.tick);
        held.push(change);
      }
      // The store takes its time: some changes become durable long after their tick was due.
      while (held.length > 0 && next(12) === 0) {
        const change = held.shift() as NumberedChange;
        world.resolve(change.seq, [change]);
        shard.scheduler.resume(world);
      }
    };
    shard.onDrain = accept;
    accept();
    shard.scheduler.watch(world, true, false);
    for (let ms = 0; ms < END_TICK * 20; ms += 8) shard.pass(8, 8);
    for (let turns = 0; world.tick < END_TICK && turns < 10_000; turns++) shard.settle();
    expect(world.tick).toBe(END_TICK);
    expect(kernel.hash(world.slab)).toBe(hash);
    const ticks = shard.frameTicks;
    expect([...ticks].sort((a, b) => a - b)).toEqual(ticks);
  });

  it('[R22] comes out the same through an image and a restore every 1,000 ticks', () => {
    let [kernel, seq] = [makeKernel(1), 0];
    let slab = makeWorld(kernel, SEED);
    for (let tick = 1000; tick <= END_TICK; tick += 1000) {
      const changes = CHANGES.filter((change) => change.seq > seq);
      const world = loadedWorld(kernel, { number: 1, slab, seq, changes });
      while (world.tick < tick) world.advance(tick, 400);
      const image = world.imageNow();
      seq = image.seq;
      kernel = makeKernel(1);
      slab = kernel.acquire() ?? 0;
      kernel.restore(slab, image.bytes);
    }
    expect(kernel.hash(slab)).toBe(hash);
  });

  it('[T4] comes out the same in another process, from its journal', () => {
    const script = fileURLToPath(new URL('../testing/rigs/live-journal.ts', import.meta.url));
    const given = JSON.stringify({ seed: SEED, tick: END_TICK, changes: CHANGES });
    const printed = execFileSync(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      script,
      given,
    ]);
    expect(printed.toString()).toBe(hash.toString(16));
  });

  it('keeps its images at ticks divisible by 400, each of them exact', () => {
    const kernel = makeKernel(2);
    const world = new ManualShard(kernel).enter(makeWorld(kernel, SEED), 1, 0, CHANGES);
    while (world.tick < 2500) world.advance(2500, 70);
    expect(world.images.map(({ tick }) => tick)).toEqual([1600, 2000, 2400]);
    const copy = kernel.acquire() ?? 0;
    for (const { tick, bytes } of world.images) {
      kernel.restore(copy, bytes);
      expect(kernel.hash(copy)).toBe(expected(tick));
    }
  });
});

describe('queried once', () => {
  it('[T6] a world is field by field the one that was watched for 20 minutes', () => {
    const kernel = makeKernel(2);
    const shard = new ManualShard(kernel);
    const watched = shard.enter(makeWorld(kernel, 77), 1);
    const alone = shard.enter(makeWorld(kernel, 77), 2);
    shard.scheduler.watch(watched, false, true);
    shard.pass(20 * 60_000, 8);
    expect(watched.tick).toBe(60_000);
    expect(alone.tick).toBe(0);
    shard.reach(alone, 60_000);
    shard.settle();
    expect(kernel.pack(alone.slab).slice()).toEqual(kernel.pack(watched.slab));
    expect(kernel.events(alone.slab)).toEqual(kernel.events(watched.slab));
    expect(kernel.hash(alone.slab)).toBe(kernel.hash(watched.slab));
  });
});
