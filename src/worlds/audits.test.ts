import { expect, test } from 'vitest';
import {
  AUDIT_TICKS,
  AUDITED_ONE_IN,
  CATCH_UP_SHARE,
  LAG_TICKS,
  LOCKSTEP_LAG_TICKS,
} from '../limits.ts';
import { createLog } from '../log.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { CatchUps, type StandingWorld } from './catch-ups.ts';
import { WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

const NOW_MS = 1000;

/** How far behind a world may be, ticks: one that is audited, if nothing speaks against it. */
function lagOf({
  number = 7 * AUDITED_ONE_IN,
  lockstepCount = 1,
  quarantinedMs = 0,
  admits = true,
  isDraining = false,
}): number {
  let due = 0;
  const parts = {
    world: { number },
    demand: { lockstepCount, frameWatcherCount: 0 },
    guard: { untilMs: quarantinedMs },
    residency: { isRetired: false },
    ticks: { reached: 0, due: () => due },
    shared: { clock: { now: () => NOW_MS }, shard: { admits }, isDraining: () => isDraining },
  } as unknown as WorldParts;
  const loader = new WorldLoader(parts, () => {});
  while (!loader.isBehind && due < 2 * LOCKSTEP_LAG_TICKS) due += 1000;
  return due - 1000;
}

test('[Y10] of the worlds that are lived by their clients one in a thousand is audited', () => {
  const lags = Array.from({ length: 3 * AUDITED_ONE_IN }, (_, number) => lagOf({ number }));
  expect(lags.filter((lag) => lag === AUDIT_TICKS)).toHaveLength(3);
  expect(lags.filter((lag) => lag === LOCKSTEP_LAG_TICKS)).toHaveLength(lags.length - 3);
});

test('[Y10] none is audited that nobody lives or that is quarantined, or where there is no time for it', () => {
  expect(lagOf({})).toBe(AUDIT_TICKS);
  expect(lagOf({ lockstepCount: 0 })).toBe(LAG_TICKS);
  expect(lagOf({ admits: false })).toBe(LOCKSTEP_LAG_TICKS);
  expect(lagOf({ isDraining: true })).toBe(LOCKSTEP_LAG_TICKS);
  expect(lagOf({ quarantinedMs: NOW_MS + 1 })).toBeGreaterThan(LOCKSTEP_LAG_TICKS);
});

test('[Y10] however many are audited, they take a tenth of the time of their shard', async () => {
  const time = TestTime.standing();
  const catchUps = new CatchUps({ time, log: createLog('silent') });
  const shard = { burstMs: (ticks: number) => ticks * 0.0034 };
  let workedMs = 0;
  class Audited implements StandingWorld {
    readonly id = 'w';
    readonly shard = shard;
    reachedMs = time.now();

    get behindTicks(): number {
      return (time.now() - this.reachedMs) / 20;
    }

    get isBehind(): boolean {
      return this.behindTicks > AUDIT_TICKS;
    }

    async catchUp(): Promise<number> {
      const { behindTicks } = this;
      this.reachedMs = time.now();
      workedMs += shard.burstMs(behindTicks);
      await time.sleep(shard.burstMs(behindTicks));
      return behindTicks;
    }
  }
  // Three times as many as that is enough for.
  const worlds = Array.from({ length: 1800 }, () => new Audited());
  const fromMs = time.now();
  for (let minute = 0; minute < 10; minute++) {
    for (const world of worlds) if (world.isBehind) catchUps.add(world);
    await time.advance(60_000);
  }
  catchUps.stop();
  const share = workedMs / (time.now() - fromMs);
  expect(share).toBeGreaterThan(0.7 * CATCH_UP_SHARE);
  expect(share).toBeLessThanOrEqual(CATCH_UP_SHARE);
});
