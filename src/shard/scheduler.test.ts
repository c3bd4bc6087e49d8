import { describe, expect, it } from 'vitest';
import { FRAME_TICKS } from '../../assembly/layout.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { makeKernel, makeWorld, stepTo } from '../testing/rigs/kernel.ts';
import { loadedWorld, ManualShard } from '../testing/rigs/manual-shard.ts';
import { systemTime } from '../time.ts';

function setUp(count: number, ageTicks = 0, slabs = count) {
  const kernel = makeKernel(slabs);
  const shard = new ManualShard(kernel);
  const worlds = Array.from({ length: count }, (_, i) =>
    shard.enter(makeWorld(kernel, i), i + 1, ageTicks),
  );
  const [first, second] = worlds;
  if (first === undefined) throw new RangeError('at least one world');
  return { kernel, shard, worlds, first, second: second ?? first };
}

describe('the scheduler', () => {
  it('steps no world that is not in use', () => {
    const { shard, worlds } = setUp(3);
    shard.pass(10_000);
    expect(worlds.map(({ tick }) => tick)).toEqual([0, 0, 0]);
    expect(shard.scheduler.turn()).toBeUndefined();
  });

  it('makes one frame each 80 ms of a watched world, and none after the last watcher left', () => {
    const { shard, first } = setUp(1);
    shard.scheduler.watch(first, true, false);
    shard.pass(800);
    expect(shard.frameTicks).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40]);
    shard.scheduler.watch(first, false, false);
    shard.pass(800);
    expect(shard.frames).toHaveLength(11);
    expect(shard.scheduler.turn()).toBeUndefined();
  });

  it('makes the frames of a world about 80 ms apart, however many turns follow a wake-up', () => {
    const { shard, worlds } = setUp(20);
    const madeMs = worlds.map((): number[] => []);
    const turn = () => {
      const before = shard.frames.length;
      const waitMs = shard.scheduler.turn();
      for (const { world } of shard.frames.slice(before)) madeMs[world - 1]?.push(shard.nowMs);
      return waitMs ?? 80;
    };
    for (const [i, world] of worlds.entries()) {
      const createdAtMs = shard.nowMs;
      worlds[i] = loadedWorld(shard.kernel, { number: i + 1, slab: world.slab, createdAtMs });
      shard.scheduler.watch(worlds[i], true, false);
      turn();
      shard.nowMs += 4;
    }
    const fromMs = shard.nowMs + 80;
    // As if commands came, or the worlds took some turns: now none, now many.
    for (let wakes = 0; shard.nowMs < fromMs + 2400; wakes++) {
      let waitMs = turn();
      for (let turns = 0; turns < wakes % 7; turns++) {
        shard.nowMs += 3;
        waitMs = turn();
      }
      shard.nowMs += Math.max(1, waitMs);
    }
    for (const times of madeMs) {
      const steady = times.filter((ms) => ms >= fromMs);
      const gaps = steady.slice(1).map((ms, i) => ms - (steady[i] ?? 0));
      expect(gaps.length).toBeGreaterThan(20);
      expect(Math.max(...gaps)).toBeLessThan(80 + 12);
      expect(Math.min(...gaps)).toBeGreaterThan(80 - 12);
    }
  });

  it('makes no frame twice when a second encoding is wanted', () => {
    const { shard, first } = setUp(1);
    shard.scheduler.watch(first, true, false);
    shard.pass(160);
    shard.scheduler.watch(first, true, true);
    shard.pass(160);
    expect(shard.frameTicks).toEqual([0, 4, 8, 12, 16]);
  });

  it('steps no world further than one tick beyond the published clock', () => {
    const { shard, first } = setUp(1);
    shard.publishedMs = shard.nowMs;
    shard.scheduler.watch(first, true, false);
    for (let ms = 0; ms < 1000; ms += 4) {
      shard.nowMs += 4;
      shard.scheduler.turn();
    }
    expect(first.tick).toBeLessThanOrEqual(1);
    shard.publishedMs = shard.nowMs;
    shard.pass(80);
    expect(first.tick).toBe(first.frameTickAt(shard.publishedMs));
  });

  it('stops a world before a hold, lets the others go on, and goes on when it is resolved', () => {
    const { shard, first, second } = setUp(2);
    for (const each of [first, second]) shard.scheduler.watch(each, true, false);
    shard.pass(400);
    first.hold(1, 30);
    shard.pass(800);
    expect(first.tick).toBe(28);
    expect(second.tick).toBe(60);
    first.resolve(1, []);
    shard.scheduler.resume(first);
    shard.pass(80);
    expect(first.tick).toBe(64);
  });

  it.each([
    ['a little', 240],
    ['so much that it catches up', 4000],
  ])('[R32] makes the last frame before a hold also if it is late by %s', (_lag, lagMs) => {
    const { shard, first } = setUp(1);
    shard.scheduler.watch(first, true, false);
    shard.pass(400);
    first.hold(1, 31);
    shard.nowMs += lagMs;
    shard.catchUp();
    expect(shard.frameTicks.at(-1)).toBe(28);
    const goal = shard.reach(first, 30);
    shard.settle();
    expect([goal.done, first.tick, shard.frameTicks.at(-1)]).toEqual([true, 30, 28]);
    first.resolve(1, []);
    shard.scheduler.resume(first);
    shard.settle();
    expect(shard.frameTicks.at(-1)).toBe(20 + lagMs / 20);
  });

  it('resolves holds in any order and only goes as far as the earliest that is left', () => {
    const { shard, first } = setUp(1, 200);
    first.hold(1, 50);
    first.hold(2, 80);
    const goal = shard.reach(first, 100);
    shard.settle();
    expect(first.tick).toBe(49);
    first.resolve(2, [{ seq: 2, tick: 80, car: 0, touched: 1, values: 0 }]);
    shard.settle();
    expect(first.tick).toBe(49);
    first.resolve(1, [{ seq: 1, tick: 50, car: 0, touched: 1, values: 0 }]);
    shard.settle();
    expect(first.tick).toBe(100);
    expect(goal.done).toBe(true);
  });

  it('shares the burst of a world among all that ask for it', () => {
    const { shard, first } = setUp(1, 5000);
    const goals = [3000, 5000, 100].map((tick) => shard.reach(first, tick));
    shard.settle();
    expect(goals.every(({ done }) => done)).toBe(true);
    expect(first.tick).toBe(5000);
  });

  it('gives up a world that cannot be read, for all its goals', () => {
    const { shard, first, second } = setUp(2, 500);
    const outcomes: string[] = [];
    for (const [i, tick] of [400, 400, 450].entries()) {
      shard.scheduler.reach(first, {
        tick,
        sinceMs: shard.nowMs,
        background: false,
        reached: () => {
          outcomes.push(`${i} reached`);
          throw new Error('not to be read');
        },
        lost: () => outcomes.push(`${i} lost`),
      });
    }
    const other = shard.reach(second, 400);
    shard.settle();
    expect(outcomes.toSorted()).toEqual(['0 lost', '0 reached', '1 lost', '2 lost']);
    expect(shard.trapped).toEqual([first.number]);
    expect(other.done).toBe(true);
  });

  it('reaches a goal of a watched world with the frame of its tick', () => {
    const kernel = makeKernel(1);
    // One slice has to do it: its time must not run out while another process has the processor.
    const shard = new ManualShard(kernel, { time: TestTime.standing() });
    const first = shard.enter(makeWorld(kernel, 0), 1);
    shard.scheduler.watch(first, true, false);
    shard.pass(400);
    for (let frame = 24; frame <= 60; frame += 4) {
      shard.nowMs += 80;
      const goal = shard.reach(first, frame);
      shard.scheduler.turn();
      expect([frame, goal.done]).toEqual([frame, true]);
    }
  });

  it('leaves spare time to counterfactual work, beside bursts too', () => {
    const spare = { left: 100, slices: 0 };
    const kernel = makeKernel(2);
    let nowMs = 0;
    // Whoever reads the time takes some.
    const time = { ...systemTime, now: () => (nowMs += 0.05) };
    const shard = new ManualShard(kernel, {
      time,
      counterfactuals: {
        work: (endMs, urgentOnly) => {
          if (urgentOnly || endMs <= time.now() || spare.left === 0) return;
          spare.left--;
          spare.slices++;
        },
        get isBusy() {
          return spare.left > 0;
        },
      },
    });
    const hot = shard.enter(makeWorld(kernel, 0), 1);
    const burst = shard.enter(makeWorld(kernel, 1), 2, 30_000);
    expect(shard.scheduler.turn()).toBe(0);
    expect(spare.slices).toBe(1);
    shard.scheduler.watch(hot, true, false);
    const goal = shard.reach(burst, 30_000);
    // Bursts go first, but what is behind them is not put off until they end.
    while (spare.slices < 3 && !goal.done) shard.scheduler.turn();
    expect([spare.slices >= 3, goal.done]).toEqual([true, false]);
    shard.settle();
    expect([goal.done, spare.left]).toEqual([true, 0]);
  });

  it('[I35] does urgent counterfactual work and bursts in turns', () => {
    let urgentTurns = 0;
    let burstTurns = 0;
    const kernel = makeKernel(1);
    const shard = new ManualShard(kernel, {
      counterfactuals: {
        work: (endMs, urgentOnly) => {
          if (urgentOnly && endMs > systemTime.now()) urgentTurns++;
          while (systemTime.now() < endMs);
        },
        isBusy: true,
      },
    });
    const world = shard.enter(makeWorld(kernel, 0), 1, 5000);
    const goal = shard.reach(world, 5000);
    let turns = 0;
    for (; !goal.done && turns < 5000; turns++) {
      const { tick } = world;
      shard.scheduler.turn();
      if (world.tick > tick) burstTurns++;
    }
    expect(goal.done).toBe(true);
    // Of forty slices 24 begin with bursts, 12 with urgent work, 4 with all the rest.
    expect(urgentTurns).toBeGreaterThan(turns / 5);
    expect(burstTurns).toBeGreaterThan(turns / 2.5);
  });

  it('finishes a short burst before a long one that was asked for first', () => {
    const { shard, first, second } = setUp(2, 90_000);
    const long = shard.reach(first, 90_000);
    shard.scheduler.turn();
    const short = shard.reach(second, 50);
    for (let turns = 0; !short.done && turns < 20; turns++) shard.scheduler.turn();
    expect(short.done).toBe(true);
    expect(long.done).toBe(false);
  });

  it('works on a long burst in some slices, however many short ones keep coming', () => {
    const { shard, worlds, first } = setUp(200, 90_000);
    const long = shard.reach(first, 20_000);
    const others = worlds.slice(1);
    for (let turns = 0; !long.done && turns < 4000; turns++) {
      shard.nowMs += 1;
      const other = others[turns % others.length];
      if (other !== undefined) shard.reach(other, other.tick + 400);
      shard.scheduler.turn();
    }
    expect(long.done).toBe(true);
  });

  it('brings a watched world to now before other work, also where it was on its way in the background', () => {
    const kernel = makeKernel(1);
    const shard = new ManualShard(kernel, { counterfactuals: { work: () => {}, isBusy: true } });
    const first = shard.enter(makeWorld(kernel, 0), 1, 20_000);
    shard.scheduler.turn();
    const background = shard.reach(first, 20_000, true);
    for (let turns = 0; turns < 20; turns++) shard.scheduler.turn();
    expect(background.done).toBe(false);
    shard.scheduler.watch(first, true, false);
    for (let turns = 0; shard.frames.length === 0 && turns < 4000; turns++) {
      shard.nowMs += 1;
      shard.scheduler.turn();
    }
    expect(shard.frames.length).toBeGreaterThan(0);
  });

  it('lets a burst go on beside hot worlds that would take the whole thread', () => {
    const { kernel, shard, first } = setUp(1, 2000, 400);
    const model = makeWorld(kernel, 0);
    stepTo(kernel, model, 2000);
    const image = kernel.image(model);
    for (let number = 2; number < 400; number++) {
      const slab = kernel.acquire() ?? -1;
      kernel.restore(slab, image);
      shard.scheduler.watch(shard.enter(slab, number, 2000), true, false);
    }
    const goal = shard.reach(first, 2000);
    for (let turns = 0; !goal.done && turns < 3000; turns++) {
      // Time runs so fast that some frame is due at every turn.
      shard.nowMs += 40;
      shard.scheduler.turn();
    }
    expect(goal.done).toBe(true);
  });

  it('[L16] makes every frame of the worlds that it admitted, beside work for twice its time', () => {
    const kernel = makeKernel(24);
    let fineMs = 0;
    const now = () => (fineMs += 0.05);
    const shard = new ManualShard(kernel, { time: { ...systemTime, now } });
    const enter = (i: number, ageTicks: number) =>
      shard.enter(makeWorld(kernel, i), i + 1, ageTicks);
    const hot = Array.from({ length: 4 }, (_, i) => enter(i, 2000));
    for (const world of hot) shard.scheduler.watch(world, true, false);
    shard.settle();
    shard.frames.length = 0;
    const late = Array.from({ length: 20 }, (_, i) => enter(4 + i, 8000));
    const goals = late.map((world) => shard.reach(world, 8000));
    for (let tick = 2004; tick <= 2100; tick += FRAME_TICKS) {
      // A slice that begins with bursts may leave frames to the next one, but not to a later one.
      for (let slice = 0; slice < 8; slice++) {
        shard.nowMs += slice % 2 === 0 ? 20 : 0;
        shard.scheduler.turn();
      }
      expect(shard.frames.splice(0)).toEqual(hot.map(({ number }) => ({ world: number, tick })));
    }
    const doneCount = goals.filter(({ done }) => done).length;
    expect(doneCount).toBeGreaterThan(0);
    expect(doneCount).toBeLessThanOrEqual(goals.length / 2);
  });

  it('[S19] makes about as many frames of each world if all need more than its time', () => {
    const kernel = makeKernel(100);
    let fineMs = 0;
    const shard = new ManualShard(kernel, { time: { ...systemTime, now: () => fineMs } });
    shard.onMoved = () => (fineMs += 0.8);
    const worlds = Array.from({ length: 100 }, (_, i) =>
      shard.enter(makeWorld(kernel, i), i + 1, 0),
    );
    for (const world of worlds) shard.scheduler.watch(world, true, false);
    shard.settle();
    shard.frames.length = 0;
    const [turns, turnMs] = [2000, 2];
    for (let turn = 0; turn < turns; turn++) {
      shard.nowMs += turnMs;
      shard.scheduler.turn();
    }
    const counts = worlds.map(
      ({ number }) => shard.frames.filter(({ world }) => world === number).length,
    );
    const dueCount = (turns * turnMs) / 80;
    expect(Math.max(...counts)).toBeLessThan(0.9 * dueCount);
    expect(Math.min(...counts)).toBeGreaterThan(0.5 * dueCount);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
  });

  it('catches up with a world that is watched after a long time before its first frame', () => {
    const { shard, first } = setUp(1, 30_000);
    shard.scheduler.watch(first, true, false);
    shard.settle();
    expect(shard.frameTicks).toEqual([30_000]);
    shard.pass(160);
    expect(shard.frameTicks).toEqual([30_000, 30_004, 30_008]);
  });

  it('makes up for a frame that the published clock kept back as soon as it has moved', () => {
    const { shard, first } = setUp(1);
    shard.scheduler.watch(first, true, false);
    shard.pass(72);
    shard.publishedMs = shard.nowMs - 20;
    shard.pass(28);
    expect(shard.frameTicks).toEqual([0]);
    shard.publishedMs = undefined;
    shard.pass(4);
    expect(shard.frameTicks).toEqual([0, 4]);
  });

  it('waits for the published clock without spinning, and works on other worlds meanwhile', () => {
    const { shard, first, second } = setUp(2, 100);
    const ahead = shard.reach(first, 150);
    let next = shard.scheduler.turn();
    while (first.tick <= 100) next = shard.scheduler.turn();
    expect(next).toBeGreaterThan(0);
    const other = shard.reach(second, 100);
    shard.settle();
    expect([ahead.done, other.done]).toEqual([false, true]);
    shard.pass(1100);
    expect(ahead.done).toBe(true);
  });

  it('keeps images of a world while it moves, and none afterwards', () => {
    const { shard, first } = setUp(1, 2001);
    shard.reach(first, 2001);
    shard.settle();
    expect(first.images).toEqual([]);
    shard.scheduler.watch(first, true, false);
    shard.pass(10_000, 20);
    expect(first.images.map(({ tick }) => tick)).toEqual([2400]);
    shard.scheduler.watch(first, false, false);
    expect(first.images).toEqual([]);
  });

  it('keeps an image of the beginning of a world that is watched from there', () => {
    const { shard, first } = setUp(1);
    shard.scheduler.watch(first, true, false);
    shard.pass(8000, 20);
    expect(first.images.map(({ tick }) => tick)).toEqual([0, 400]);
  });

  it('loses the goals of a world that leaves', () => {
    const { shard, first } = setUp(1, 1000);
    let lost = 0;
    const goal = {
      tick: 900,
      sinceMs: 0,
      background: false,
      reached: () => {},
      lost: () => lost++,
    };
    shard.scheduler.reach(first, goal);
    shard.scheduler.remove(first);
    shard.settle();
    expect(lost).toBe(1);
    expect(first.tick).toBe(0);
  });
});
