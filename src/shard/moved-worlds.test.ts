import { describe, expect, it } from 'vitest';
import { BEHIND_TICKS } from '../limits.ts';
import { makeKernel, makeWorld, stepTo } from '../testing/rigs/kernel.ts';
import { loadedWorld, ManualShard } from '../testing/rigs/manual-shard.ts';
import { FREEZE_HOLD } from './protocol.ts';

describe('the scheduler of a world that another node has stepped until now', () => {
  const moved = (lagTicks: number, isWatched = true) => {
    const kernel = makeKernel(1);
    const shard = new ManualShard(kernel);
    const slab = makeWorld(kernel, 0);
    stepTo(kernel, slab, 40);
    const createdAtMs = shard.nowMs - (40 + lagTicks) * 20;
    const start = { number: 1, slab, createdAtMs, sentTick: 40 };
    const world = loadedWorld(kernel, start);
    if (isWatched) shard.scheduler.watch(world, true, false);
    return { shard, world };
  };

  it('makes every frame that its watchers have not got, and then goes on', () => {
    const { shard } = moved(13);
    shard.catchUp();
    expect(shard.frameTicks).toEqual([44, 48, 52]);
    shard.pass(160);
    expect(shard.frameTicks).toEqual([44, 48, 52, 56, 60]);
  });

  it('makes the next one when the last one was sent, whatever is asked of the world', () => {
    const { shard, world } = moved(13);
    shard.isPending = () => shard.frames.length === 1;
    const goal = shard.reach(world, 53);
    shard.catchUp();
    expect([shard.frameTicks, goal.done, world.tick]).toEqual([[44], false, 44]);
    shard.isPending = () => false;
    shard.catchUp();
    expect([shard.frameTicks, goal.done, world.tick]).toEqual([[44, 48, 52], true, 53]);
  });

  it('makes no frame twice, and none that nobody waits for', () => {
    const { shard, world } = moved(0);
    shard.pass(80);
    expect(shard.frameTicks).toEqual([44]);
    shard.scheduler.watch(world, false, false);
    shard.pass(800);
    expect(shard.frameTicks).toEqual([44]);
  });

  it('answers if its watchers do not come, and owes those nothing who come later', () => {
    const { shard, world } = moved(13, false);
    const goal = shard.reach(world, 53);
    shard.settle();
    expect([goal.done, shard.frameTicks]).toEqual([true, []]);
    shard.scheduler.watch(world, true, false);
    shard.pass(160);
    expect(shard.frameTicks).toEqual([56, 60]);
  });

  it('leaves no frame out for two seconds, however late it is then for other worlds', () => {
    const { shard } = moved(13);
    const framesAfter = (ms: number) => {
      const before = shard.frameTicks.length;
      shard.nowMs += ms;
      shard.catchUp();
      return shard.frameTicks.slice(before);
    };
    expect(framesAfter(0)).toEqual([44, 48, 52]);
    expect(framesAfter(560)).toEqual([56, 60, 64, 68, 72, 76, 80]);
    expect(framesAfter(2000)).toEqual([180]);
    expect(framesAfter(560)).toEqual([208]);
  });

  /** Goes on from a copy of tick 33, after the frame of tick 40. */
  const prepared = (dueTick: number) => {
    const kernel = makeKernel(1);
    const shard = new ManualShard(kernel);
    const slab = makeWorld(kernel, 0);
    stepTo(kernel, slab, 33);
    const createdAtMs = shard.nowMs - dueTick * 20;
    const world = loadedWorld(kernel, { number: 1, slab, createdAtMs });
    world.hold(FREEZE_HOLD, 0);
    shard.settle();
    world.resolve(FREEZE_HOLD, []);
    world.follow(40);
    shard.scheduler.watch(world, true, false);
    shard.catchUp();
    return shard.frameTicks;
  };

  it('begins after the last frame that its watchers have got, from a state before that', () => {
    expect(prepared(53)).toEqual([44, 48, 52]);
  });

  it('leaves no frame out because of the age of the copy', () => {
    const ticks = prepared(33 + BEHIND_TICKS + 4);
    expect(ticks).toEqual(Array.from({ length: 15 }, (_, i) => 44 + 4 * i));
  });

  it('makes only the newest if it has stood still for very long', () => {
    const { shard } = moved(400);
    shard.settle();
    expect(shard.frameTicks).toEqual([440]);
  });
});
