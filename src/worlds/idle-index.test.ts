import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { TICK_MS } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { LIFE_TICKS } from '../limits.ts';
import { createLog } from '../log.ts';
import type { Key } from '../store/contract.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import type { StandingWorld } from './catch-ups.ts';
import { IdleIndex, type IdleWorld, type IdleWorlds } from './idle-index.ts';
import type { Records } from './records.ts';

const WORLD = 7;
const DUE_SLOT = 60;
const NOW_MS = 100_000;
const LOADER: StandingWorld = {
  ...{ id: 'w', shard: { burstMs: () => 0 }, isBehind: false, behindTicks: 0 },
  catchUp: async () => 0,
};
const catchUps = { add: () => {} };

/**
 * One round over a world that fell due, of which the store is asked while `meanwhile` happens, and
 * which has it in slot `filed`: the worlds dropped, and the entries that alone were removed.
 */
async function sweep(
  meanwhile: (world: { lastTouchMs: number; createdAtMs: number; watcherCount: number }) => void,
  filed: number | null = DUE_SLOT,
  { stopped = false } = {},
) {
  const world = {
    ...{
      number: WORLD,
      id: 'w',
      createdAtMs: 0,
      isRetired: false,
      watcherCount: 0,
      lastTouchMs: 0,
    },
    due: DUE_SLOT,
    forgetReaders: () => {},
    loader: LOADER,
  } satisfies IdleWorld;
  const fallen = [{ key: ['p', 0, 'due', DUE_SLOT, WORLD], world: WORLD }];
  const dropped: number[] = [];
  const strays: Key[] = [];
  const records = {
    due: async () => {
      meanwhile(world);
      return filed ?? undefined;
    },
    removeDue: async (key: Key) => {
      strays.push(key);
    },
  } as unknown as Records;
  const worlds: IdleWorlds = {
    recordsOf: () => records,
    listDue: async (partition) => (partition === 0 ? fallen : []),
    countDue: async () => 0,
    atHand: () => world,
    drop: async (number) => {
      dropped.push(number);
    },
    trim: () => {},
  };
  const clock = new ManualClock(NOW_MS);
  const time = TestTime.standing();
  const log = createLog('silent');
  const idle = new IdleIndex({ time, clock, log, worlds, catchUps, idleMs: 30_000 });
  if (stopped) await idle.stop();
  await idle.sweep();
  return { dropped, strays };
}

it('drops a world that nobody called for the idle time', async () => {
  expect(await sweep(() => {})).toEqual({ dropped: [WORLD], strays: [] });
});

it('leaves what is due to the next start once the node stops', async () => {
  expect((await sweep(() => {}, DUE_SLOT, { stopped: true })).dropped).toEqual([]);
});

it('leaves a world that is called while the store is asked when it falls due', async () => {
  const { dropped } = await sweep((world) => (world.lastTouchMs = NOW_MS));
  expect(dropped).toEqual([]);
});

it.each([
  ['is filed in a later slot', DUE_SLOT + 50],
  ['is filed in another slot that fell due', DUE_SLOT - 1],
  ['is gone', null],
])('removes only the entry of a world that %s', async (_, filed) => {
  const strays = [['p', 0, 'due', DUE_SLOT, WORLD]];
  expect(await sweep(() => {}, filed)).toEqual({ dropped: [], strays });
});

it('[W36] drops a world at the end of its life, even if it is watched', async () => {
  const lifeMs = LIFE_TICKS * TICK_MS;
  const end = (createdAtMs: number) =>
    sweep((world) => Object.assign(world, { createdAtMs, watcherCount: 1 }));
  expect((await end(NOW_MS - lifeMs - 2000)).dropped).toEqual([WORLD]);
  expect((await end(NOW_MS - lifeMs + 2000)).dropped).toEqual([]);
});

it('has worlds brought to now that are far behind when their use is saved, watched or not', async () => {
  const added: string[] = [];
  const worldOf = (id: string, isBehind: boolean, watcherCount = 0) => {
    const world = {
      ...{ number: 1, id, createdAtMs: 0, isRetired: false, watcherCount, lastTouchMs: 0 },
      ...{ due: Number.NaN, forgetReaders: () => {} },
      loader: { ...LOADER, id, isBehind },
    };
    return world satisfies IdleWorld;
  };
  const worlds: IdleWorlds = {
    recordsOf: () => ({ moveDue: async () => {} }) as unknown as Records,
    listDue: async () => [],
    countDue: async () => 0,
    atHand: () => undefined,
    drop: async () => {},
    trim: () => {},
  };
  const catchUps = { add: ({ id }: StandingWorld) => void added.push(id) };
  const base = { time: TestTime.standing(), clock: new ManualClock(0), worlds, catchUps };
  const idle = new IdleIndex({ ...base, log: createLog('silent'), idleMs: 30_000 });
  idle.touched(worldOf('old', true));
  idle.touched(worldOf('young', false));
  idle.touched(worldOf('lived by clients', true, 1));
  await idle.sweep();
  expect(added).toEqual(['old', 'lived by clients']);
});

describe('a world is touched', () => {
  const indexOf = (due: number, fail = false) => {
    const moved: [from: number, to: number][] = [];
    const world = {
      ...{ number: WORLD, id: 'w', createdAtMs: 0, isRetired: false, watcherCount: 0 },
      ...{ lastTouchMs: NOW_MS, due, forgetReaders: () => {} },
      loader: LOADER,
    };
    const records = {
      moveDue: async (_: number, from: number, to: number) => {
        moved.push([from, to]);
        if (fail && moved.length === 1) throw new TwinError('store_unavailable');
      },
    } as unknown as Records;
    const worlds: IdleWorlds = {
      recordsOf: () => records,
      listDue: async () => [],
      countDue: async () => 0,
      atHand: () => world,
      drop: async () => {},
      trim: () => {},
    };
    const time = TestTime.standing();
    const parts = { time, clock: new ManualClock(NOW_MS), worlds };
    const idle = new IdleIndex({ ...parts, catchUps, log: createLog('silent'), idleMs: 30_000 });
    const touch = async () => {
      idle.touched(world);
      idle.touched(world);
      await time.advance(1);
    };
    return { idle, moved, world, touch };
  };
  const touchedOf = async (due: number, fail = false) => {
    const index = indexOf(due, fail);
    await index.touch();
    return index;
  };
  const NOW_SLOT = 130;

  it('[R41] writes it at once where it may be due soon, and once', async () => {
    const { idle, moved } = await touchedOf(DUE_SLOT);
    expect(moved).toEqual([[DUE_SLOT, NOW_SLOT]]);
    await idle.sweep();
    expect(moved).toEqual([[DUE_SLOT, NOW_SLOT]]);
  });

  it('writes it in the next round where it was touched shortly before', async () => {
    const { idle, moved } = await touchedOf(NOW_SLOT - 3);
    expect(moved).toEqual([]);
    await idle.sweep();
    expect(moved).toEqual([[NOW_SLOT - 3, NOW_SLOT]]);
  });

  it('writes nothing of it where it is deleted meanwhile', async () => {
    const { moved, idle, world, touch } = indexOf(DUE_SLOT);
    world.isRetired = true;
    await touch();
    await idle.sweep();
    expect(moved).toEqual([]);
  });

  it('writes a later touch after the one that is being written', async () => {
    const { moved, idle, world } = indexOf(DUE_SLOT);
    idle.touched(world);
    world.lastTouchMs += 5000;
    idle.touched(world);
    await idle.sweep();
    expect(moved).toEqual([
      [DUE_SLOT, NOW_SLOT],
      [NOW_SLOT, NOW_SLOT + 5],
    ]);
  });

  it('writes it in the next round where the store did not take it', async () => {
    const { idle, moved } = await touchedOf(DUE_SLOT, true);
    await idle.sweep();
    expect(moved).toEqual([
      [DUE_SLOT, NOW_SLOT],
      [DUE_SLOT, NOW_SLOT],
    ]);
  });
});

it.each([
  ['leaves it to the store to log that it fails', new TwinError('store_unavailable'), []],
  ['logs what else keeps worlds from being deleted', new Error(), ['could not delete idle worlds']],
])('[R33] %s', async (_, error, expected) => {
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const worlds: IdleWorlds = {
    recordsOf: () => ({}) as Records,
    listDue: () => Promise.reject(error),
    countDue: async () => 0,
    atHand: () => undefined,
    drop: async () => {},
    trim: () => {},
  };
  const time = TestTime.standing();
  const idle = new IdleIndex({
    time,
    clock: new ManualClock(0),
    log,
    worlds,
    catchUps,
    idleMs: 30_000,
  });
  await idle.sweep();
  expect(logged).toEqual(expected);
});
