import { describe, expect, it } from 'vitest';
import { LifeDouble } from '../../../testing/doubles/life-double.ts';
import { FrameBuffer } from './frame-buffer.ts';

const KNOWN = [0, 10_000] as const;

/** Lets what is asked for arrive. */
async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

function bufferOf(life: LifeDouble) {
  life.extent.value = KNOWN;
  const failures: unknown[] = [];
  const buffer = new FrameBuffer(
    (part, everyTicks) => life.frames(part, everyTicks),
    () => {},
    (error) => failures.push(error),
  );
  return { buffer, failures, ticks: () => buffer.frames.map(({ tick }) => tick) };
}

describe('frames around a moment', () => {
  it('come first for the moment, then for what follows, without a gap', async () => {
    const life = new LifeDouble();
    const { buffer, ticks } = bufferOf(life);
    buffer.want(1001, 100, KNOWN);
    await settled();
    expect(life.asked[0]).toEqual([1000, 1004]);
    expect(life.asked.length).toBe(2);
    expect(ticks()).toEqual(Array.from({ length: 27 }, (_, i) => 1000 + 4 * i));
    expect([buffer.has(1103), buffer.has(1106), buffer.reach(1001)]).toEqual([true, false, 1104]);
    expect(buffer.at(1003)?.tick).toBe(1000);
  });

  it('are asked for in chunks while it plays, not one by one', async () => {
    const life = new LifeDouble();
    const { buffer } = bufferOf(life);
    for (let tick = 1000; tick < 2000; tick += 3) {
      buffer.want(tick, 100, KNOWN);
      await settled();
      expect(buffer.reach(tick)).toBeGreaterThan(tick);
    }
    expect(life.asked.length).toBeLessThan(25);
    // What is long past is forgotten.
    expect(buffer.frames[0]?.tick).toBeGreaterThan(1300);
  });

  it('are asked for the newest stop only, and for one at a time', async () => {
    const life = new LifeDouble();
    let open = () => {};
    life.gate = new Promise((resolve) => {
      open = resolve;
    });
    const { buffer, ticks } = bufferOf(life);
    for (const tick of [400, 800, 1200, 1600, 2000]) buffer.want(tick, 100, KNOWN);
    expect(life.asked).toEqual([[400, 404]]);
    open();
    await settled();
    expect(life.asked.slice(0, 2)).toEqual([
      [400, 404],
      [2000, 2004],
    ]);
    expect(ticks()[0]).toBe(2000);
  });

  it('reach from the first to the last tick that is known', async () => {
    const life = new LifeDouble();
    const { buffer, ticks } = bufferOf(life);
    buffer.want(9_999, 100, [5, 9_999]);
    await settled();
    expect(ticks()).toEqual([9_996]);
    buffer.want(0, 4, [5, 9_999]);
    await settled();
    expect(ticks()[0]).toBe(8);
  });

  it('are not asked for again where they cannot be had, unless somebody wants that', async () => {
    const life = new LifeDouble();
    const { buffer, failures, ticks } = bufferOf(life);
    life.failure = new Error('no');
    buffer.want(400, 100, KNOWN);
    await settled();
    buffer.want(400, 100, KNOWN);
    await settled();
    expect([failures.length, life.asked.length]).toEqual([1, 1]);
    life.failure = undefined;
    buffer.retry();
    buffer.want(400, 100, KNOWN);
    await settled();
    expect(ticks()[0]).toBe(400);
  });

  it('are wanted elsewhere when the first ones fail: nobody is told', async () => {
    const life = new LifeDouble();
    const { buffer, failures, ticks } = bufferOf(life);
    let fail = () => {};
    life.gate = new Promise((_, reject) => {
      fail = () => reject(new Error('no'));
    });
    buffer.want(400, 100, KNOWN);
    buffer.want(800, 100, KNOWN);
    fail();
    life.gate = Promise.resolve();
    await settled();
    expect(failures).toEqual([]);
    expect(ticks()[0]).toBe(800);
  });
});
