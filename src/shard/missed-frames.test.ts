import { describe, expect, it } from 'vitest';
import { FRAME_TICKS, TICK_MS } from '../../assembly/layout.ts';
import { OWED_TICKS_MAX } from '../limits.ts';
import { makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { ManualShard } from '../testing/rigs/manual-shard.ts';

/** A world that is watched, with its frames up to tick 20; and the ticks of those after that. */
function watched() {
  const kernel = makeKernel(1);
  const shard = new ManualShard(kernel);
  const world = shard.enter(makeWorld(kernel, 0), 1);
  shard.scheduler.watch(world, true, false);
  shard.pass(400);
  const before = shard.frames.length;
  return { shard, world, laterTicks: () => shard.frameTicks.slice(before) };
}

describe('the scheduler of a thread that stood still', () => {
  it('makes each frame that was missed in a short pause, once the one before is sent', () => {
    const { shard, laterTicks } = watched();
    shard.isPending = () => laterTicks().length > 0;
    shard.nowMs += OWED_TICKS_MAX * TICK_MS;
    shard.catchUp();
    expect(laterTicks()).toEqual([24]);
    shard.isPending = () => false;
    shard.catchUp();
    expect(laterTicks()).toEqual([24, 28, 32, 36, 40, 44]);
  });

  it('goes on with the newest frame after a longer pause', () => {
    const { shard, laterTicks } = watched();
    shard.nowMs += (OWED_TICKS_MAX + FRAME_TICKS) * TICK_MS;
    shard.catchUp();
    expect(laterTicks()).toEqual([20 + OWED_TICKS_MAX + FRAME_TICKS]);
  });

  it('makes no frame of the time in which nobody watched', () => {
    const { shard, world, laterTicks } = watched();
    shard.scheduler.watch(world, false, false);
    shard.nowMs += 320;
    shard.scheduler.watch(world, true, false);
    shard.catchUp();
    expect(laterTicks()).toEqual([36]);
  });

  it('makes the newest at once for those who come while an older one is not sent', () => {
    const { shard, world, laterTicks } = watched();
    shard.isPending = () => laterTicks().length === 0;
    shard.nowMs += 160;
    shard.scheduler.watch(world, false, false);
    shard.scheduler.watch(world, true, false);
    shard.catchUp();
    expect(laterTicks()).toEqual([28]);
  });

  it('lets a query go on while the frame that is due was made, but not sent', () => {
    const { shard, world, laterTicks } = watched();
    shard.isPending = () => true;
    shard.nowMs += 40;
    const goal = shard.reach(world, 22);
    // A turn takes as long as its time lasts, which a busy machine may use up.
    for (let turn = 0; turn < 100 && !goal.done; turn++) shard.scheduler.turn();
    expect([goal.done, laterTicks()]).toEqual([true, []]);
  });

  it('makes each frame that was due while a hold was not resolved', () => {
    const { shard, world, laterTicks } = watched();
    world.hold(1, 26);
    shard.pass(240);
    expect(laterTicks()).toEqual([24]);
    world.resolve(1, []);
    shard.scheduler.resume(world);
    shard.catchUp();
    expect(laterTicks()).toEqual([24, 28, 32]);
  });
});
