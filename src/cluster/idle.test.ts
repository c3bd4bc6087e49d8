import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { IdleIndex } from './idle.ts';
import type { Records } from './records.ts';
import type { OwnedWorld } from './world.ts';

const WORLD = 7;
const DUE_SLOT = 60;
const NOW_MS = 100_000;

/** One round over a world that fell due, of which the store is asked while `meanwhile` happens. */
async function sweep(meanwhile: (world: OwnedWorld) => void): Promise<number[]> {
  const world = { number: WORLD, dropped: false, watcherCount: 0, lastTouchMs: 0 } as OwnedWorld;
  const fallen = [{ key: ['p', 0, 'due', DUE_SLOT, WORLD], world: WORLD }];
  const records = {
    fallenDue: async (partition: number) => (partition === 0 ? fallen : []),
    due: async () => {
      meanwhile(world);
      return DUE_SLOT;
    },
  } as unknown as Records;
  const dropped: number[] = [];
  const idle = new IdleIndex({
    now: () => NOW_MS,
    idleMs: 30_000,
    records: () => records,
    log: createLog('silent'),
    atHand: () => world,
    forget: async (number) => {
      dropped.push(number);
    },
    saved: () => {},
  });
  await idle.sweep();
  return dropped;
}

it('drops a world that nobody called for the idle time', async () => {
  expect(await sweep(() => {})).toEqual([WORLD]);
});

it('leaves a world that is called while the store is asked when it falls due', async () => {
  expect(await sweep((world) => (world.lastTouchMs = NOW_MS))).toEqual([]);
});
