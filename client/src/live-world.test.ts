import { afterEach, describe, expect, test, vi } from 'vitest';
import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import {
  expectTruth,
  isVerified,
  LATE_MS,
  ofType,
  settle,
  stage,
  statesOf,
  switchAround,
} from '../testing/live-stage.ts';
import { LocalWorld } from './local-world.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('[K5] a live world', () => {
  test.each(['grid', 'old-town', 'mixed-town'])(
    'of %s is that of the node, however late its messages',
    async (city) => {
      const dice = new Dice(city.length);
      const on = stage({
        node: { city, seed: 3 },
        prepare: (node) => {
          node.delayMs = () => dice.below(LATE_MS);
        },
      });
      await on.until(() => isVerified(on));
      await switchAround(on, 40, dice);
      await settle(on);
      await expectTruth(on);
      expect(ofType(on, 'rollback').length).toBeGreaterThan(10);
      expect(statesOf(on)).toEqual(['live', 'verified']);
      expect(ofType(on, 'difference')).toEqual([]);
    },
  );

  test('is two to four ticks behind the node', async () => {
    const on = stage({});
    await on.until(() => isVerified(on));
    const behind: number[] = [];
    for (let look = 0; look < 500; look++) {
      await on.time.advance(7);
      behind.push(on.node.tick - (on.live.world?.tick ?? 0));
    }
    expect(Math.min(...behind)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...behind)).toBeLessThanOrEqual(4);
    await on.time.advance(60_000);
    expect(on.node.tick - (on.live.world?.tick ?? 0)).toBeLessThanOrEqual(4);
  });

  test('takes the least late of its messages for its clock', async () => {
    const dice = new Dice(4);
    const delays: number[] = [];
    const on = stage({
      prepare: (node) => {
        node.delayMs = () => {
          const ms = dice.below(LATE_MS);
          delays.push(ms);
          return ms;
        };
      },
    });
    await on.until(() => isVerified(on));
    await on.time.advance(10_000);
    const aheadMs = (on.node.tick - (on.live.serverTick ?? 0)) * 20;
    // Messages stay in order, so one may be later than its own delay.
    expect(aheadMs).toBeGreaterThanOrEqual(Math.min(...delays) - 1e-6);
    expect(aheadMs).toBeLessThan(LATE_MS / 2);
  });

  test('begins from an image, and knows its past from there on', async () => {
    const on = stage({
      node: { ageTicks: 9000 },
      prepare: (node) => {
        node.change(2, 3, 0);
        node.imageAgeTicks = 700;
      },
    });
    await on.until(() => isVerified(on));
    await switchAround(on, 3, new Dice(8));
    await settle(on);
    await expectTruth(on);
    expect(on.live.world?.firstTick).toBeGreaterThan(8000);
    expect(on.live.world?.features(2).declared.brakes).toBe(false);
  });

  test('tells events and incidents once, when they are half a second old', async () => {
    const on = stage({ node: { seed: 12 } });
    await on.until(() => isVerified(on));
    const from = on.live.world?.tick ?? 0;
    for (let car = 0; car < CAR_COUNT; car++) on.node.change(car, 3, 0);
    const ages: number[] = [];
    on.live.subscribe((event) => {
      const now = on.live.world?.tick ?? 0;
      if (event.type === 'event') ages.push(now - event.event.tick);
      if (event.type === 'incident') ages.push(now - event.incident.tick);
    });
    await on.time.advance(60_000);
    const truth = await on.node.truth(on.live.world?.tick ?? 0);
    const wanted = truth.happened(from, truth.tick - 25);
    const told = ofType(on, 'event').map(({ event }) => event.seq);
    expect(told).toEqual(wanted.events.map(({ seq }) => seq));
    expect(ofType(on, 'incident').map(({ incident }) => incident.id)).toEqual(
      wanted.incidents.map(({ id }) => id),
    );
    expect(wanted.incidents.length).toBeGreaterThan(0);
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(25);
    expect(Math.max(...ages)).toBeLessThan(35);
  });

  test.each([
    ['in time', 0],
    ['late', 300],
  ])('tells events that are many at one tick, if their changes come %s', async (_, lateMs) => {
    const on = stage({});
    await on.until(() => isVerified(on));
    const from = on.live.world?.tick ?? 0;
    for (let car = 0; car < CAR_COUNT; car++) on.node.change(car, F_ALL, 0, lateMs);
    await on.time.advance(5000);
    const truth = await on.node.truth(on.live.world?.tick ?? 0);
    const wanted = truth.happened(from, truth.tick - 25);
    expect(ofType(on, 'event').map(({ event }) => event)).toEqual(wanted.events);
    expect(wanted.events.length).toBeGreaterThan(200);
    truth.close();
  });

  test('is gone on from in a world of its own', async () => {
    const on = stage({});
    const made = LocalWorld.from(on.live);
    await on.until(() => isVerified(on));
    const own = await made;
    own.set(3, { brakes: false });
    own.step(100);
    await on.time.advance(5000);
    await expectTruth(on);
    expect(own.at(own.tick - 100).hash).toBe(on.live.world?.at(own.tick - 100).hash);
    expect(own.hash()).not.toBe(on.live.world?.at(own.tick).hash);
    own.close();
  });

  test('is not disturbed by a listener that throws', async () => {
    const thrown: unknown[] = [];
    vi.stubGlobal('queueMicrotask', (task: () => void) => {
      try {
        task();
      } catch (error) {
        thrown.push(error);
      }
    });
    const on = stage({});
    const before = on.live.subscribe(({ type }) => {
      throw new Error(`no use for ${type}`);
    });
    const after: string[] = [];
    on.live.subscribe(({ type }) => after.push(type));
    await on.until(() => isVerified(on));
    on.node.change(3, 1, 0, 300);
    await on.time.advance(20_000);
    before();
    expect(after).toContain('rollback');
    expect(thrown).toEqual(after.map((type) => new Error(`no use for ${type}`)));
    expect(statesOf(on)).toEqual(['live', 'verified']);
    expect([ofType(on, 'difference'), on.node.queries.length]).toEqual([[], 1]);
    await expectTruth(on);
  });

  test('passes on what the node tells besides: watchers and stored reports', async () => {
    const on = stage({});
    await on.until(() => isVerified(on));
    on.node.stored('i4-0');
    await on.time.advance(100);
    expect(ofType(on, 'stored')).toEqual([{ type: 'stored', incident: 'i4-0', isExplained: true }]);
    expect(on.live.watchers).toBe(1);
  });
});

describe('[K6] the snapshots of a live world', () => {
  test('come 12.5 times a second, or at every tick', async () => {
    const on = stage({});
    await on.until(() => isVerified(on));
    const [frames, ticks] = [on.live.snapshots(), on.live.snapshots({ everyTick: true })];
    const taken: number[][] = [[], []];
    const take = async (from: typeof frames, into: number[] = []) => {
      for await (const { tick, type } of from) into.push(type === 'snapshot' ? tick : -1);
    };
    const done = Promise.all([take(frames, taken[0]), take(ticks, taken[1])]);
    await on.time.advance(2000);
    on.live.close();
    await done;
    const stepsOf = (list: number[] = []) =>
      new Set(list.slice(1).map((tick, i) => tick - (list[i] ?? 0)));
    expect(stepsOf(taken[0])).toEqual(new Set([4]));
    expect(stepsOf(taken[1])).toEqual(new Set([1]));
    expect(taken[0]?.every((tick) => tick % 4 === 0)).toBe(true);
    expect(taken[0]?.length).toBeGreaterThan(20);
    expect(taken[1]?.length).toBeGreaterThan(95);
  });

  test('are the newest for a reader that was away, and end by its signal', async () => {
    const on = stage({});
    await on.until(() => isVerified(on));
    const stop = new AbortController();
    const frames = on.live.snapshots({ signal: stop.signal });
    const first = frames.next();
    await on.time.advance(100);
    expect((await first).done).toBe(false);
    await on.time.advance(60_000);
    const next = await frames.next();
    expect(on.live.world?.tick).toBeLessThan((next.value?.tick ?? 0) + 64 * 4 + 8);
    stop.abort();
    expect((await frames.next()).done).toBe(true);
  });
});
