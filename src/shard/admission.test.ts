import { describe, expect, it } from 'vitest';
import { ADMISSION_PER_MILLE, FRAME_MS } from '../limits.ts';
import { ShardModel } from '../testing/doubles/shard-model.ts';

/** A crowd that comes at once. */
const CROWD = 1000;
/** Worlds whose frames take all of the thread. */
const allOf = (frameMs: number) => FRAME_MS / frameMs;
/** The whole thread: then only the lateness of frames is a limit. */
const ALL = 1000;

describe('the admission of watched worlds', () => {
  it.each([
    ['fast', 0.022],
    ['slow', 0.09],
  ])(
    '[L16] admits up to the share that it may take while no frame is late, on a %s machine',
    (_, frameMs) => {
      const shard = new ShardModel({ frameMs, limitPerMille: ADMISSION_PER_MILLE });
      shard.pass(120_000, 100);
      const share = shard.worlds / allOf(frameMs);
      expect(share).toBeLessThanOrEqual(ADMISSION_PER_MILLE / 1000 + 0.01);
      expect(share).toBeGreaterThan(ADMISSION_PER_MILLE / 1000 - 0.05);
      expect(shard.lateFrames).toBe(0);
    },
  );

  it('[L32] admits until frames get late where the share is no limit, and none from then on', () => {
    const shard = new ShardModel({ frameMs: 0.09, limitPerMille: ALL + 100 });
    for (let s = 0; s < 600 && shard.lateFrames === 0; s++) shard.pass(1000, 5);
    expect(shard.worlds / allOf(0.09)).toBeGreaterThan(0.95);
    shard.pass(2000, 5);
    const { worlds } = shard;
    shard.pass(60_000, 5);
    expect([shard.isOpen, shard.worlds]).toEqual([false, worlds]);
  });

  it('[L32] goes on below the number at which frames were late, and tries more in rare steps', () => {
    const shard = new ShardModel({ frameMs: 0.09, limitPerMille: ALL + 100 });
    for (let s = 0; s < 600 && shard.lateFrames === 0; s++) shard.pass(1000, 5);
    shard.pass(5000, 5);
    const most = shard.worlds;
    const share = (ms: number) => {
      const [frames, late] = [shard.frames, shard.lateFrames];
      for (let passed = 0; passed < ms; passed += 10_000) {
        shard.pass(10_000, 5);
        // Some watchers always leave.
        shard.leave(10);
      }
      return (shard.lateFrames - late) / (shard.frames - frames);
    };
    share(600_000);
    expect(share(3_600_000)).toBeLessThan(0.1);
    expect(shard.worlds).toBeGreaterThan(0.8 * most);
    expect(shard.worlds).toBeLessThanOrEqual(most);
  });

  it.each([
    ['fast', 0.022, CROWD],
    ['usual', 0.05, CROWD],
    ['slow', 0.09, Math.floor((ADMISSION_PER_MILLE / 1000) * allOf(0.09))],
  ])(
    '[L16] takes a burst of 1,000 on a fresh shard without late frames, on a %s machine',
    (_, frameMs, fit) => {
      const shard = new ShardModel({ frameMs, limitPerMille: ADMISSION_PER_MILLE });
      shard.arrive(CROWD);
      expect(shard.worlds).toBeGreaterThan(0.6 * Math.min(CROWD, fit));
      shard.pass(30_000);
      expect(shard.worlds).toBeGreaterThan(0.95 * fit);
      expect(shard.worlds).toBeLessThanOrEqual(1.02 * fit);
      expect(shard.lateFrames).toBe(0);
    },
  );

  it('[L32] does not collapse under a burst that comes to a thread with half a processor', () => {
    const shard = new ShardModel({
      frameMs: 0.05,
      processorShare: 0.5,
      limitPerMille: ADMISSION_PER_MILLE,
    });
    shard.arrive(CROWD);
    shard.pass(60_000);
    expect(shard.lateFrames / shard.frames).toBeLessThan(0.02);
    expect(shard.worlds / (allOf(0.05) / 2)).toBeGreaterThan(0.5);
  });

  it('admits at once what fits after a restart, since it remembers what a frame costs', () => {
    const first = new ShardModel({ frameMs: 0.05, limitPerMille: ADMISSION_PER_MILLE });
    first.arrive(CROWD);
    expect(first.refused).toBeGreaterThan(0);
    first.pass(60_000);
    const known = first.costs;
    expect(known.frameNs / 50_000).toBeCloseTo(1, 1);
    const second = new ShardModel({ frameMs: 0.05, limitPerMille: ADMISSION_PER_MILLE, known });
    second.arrive(CROWD);
    expect([second.worlds, second.refused]).toEqual([CROWD, 0]);
    second.pass(60_000);
    expect(second.lateFrames).toBe(0);
  });

  it('[L32] keeps all worlds and takes no more when they become expensive', () => {
    const shard = new ShardModel({ frameMs: 0.05, limitPerMille: ADMISSION_PER_MILLE });
    shard.pass(60_000, 20);
    const { worlds } = shard;
    expect(shard.isOpen).toBe(false);
    shard.leave(300);
    shard.pass(60_000);
    expect(shard.isOpen).toBe(true);
    const left = shard.worlds;
    expect(left).toBeLessThan(worlds);
    shard.frameMs = 0.1;
    shard.pass(5000);
    shard.pass(60_000, 20);
    expect([shard.isOpen, shard.worlds]).toEqual([false, left]);
    shard.frameMs = 0.05;
    shard.pass(60_000, 20);
    expect(shard.worlds).toBeGreaterThan(left);
  });
});
