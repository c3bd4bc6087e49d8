import { afterEach, describe, expect, test, vi } from 'vitest';
import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { Kernel } from '../../src/kernel/kernel.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { builtAssets } from '../testing/built-assets.ts';
import {
  expectTruth,
  isVerified,
  LATE_MS,
  ofType,
  type Stage,
  settle,
  stage,
  statesOf,
  switchAround,
} from '../testing/live-stage.ts';
import { LocalWorld } from './local-world.ts';

/** Between two of the node. */
const PULSE_MS = 15_000;
const MINUTE_TICKS = 3000;

afterEach(() => {
  vi.restoreAllMocks();
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

describe('[K7] a live world goes on', () => {
  /** A client that follows a node, some changes made. */
  async function following(options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
    const on = stage(options);
    await on.until(() => isVerified(on));
    await switchAround(on, 2, new Dice(2));
    await settle(on);
    on.events.length = 0;
    return on;
  }

  const lastQuery = ({ node }: Stage) => Object.fromEntries(node.queries.at(-1) ?? []);

  test('where it was when the connection ends, and gets what it has missed', async () => {
    const on = await following();
    on.node.endAll(1012);
    await on.time.advance(1);
    expect([on.live.state, on.node.connectionCount]).toEqual(['reconnecting', 0]);
    const { tick = 0 } = on.live.world ?? {};
    on.node.change(4, 3, 0);
    on.node.change(5, 3, 1);
    await on.until(() => isVerified(on));
    expect(lastQuery(on)).toMatchObject({
      encoding: 'lockstep',
      since: String(on.node.changes.length - 2),
    });
    expect(on.live.world?.tick).toBeGreaterThan(tick);
    await settle(on);
    await expectTruth(on);
    expect(ofType(on, 'restart')).toEqual([]);
  });

  test('for 40 s at most without a word of the node, and then from where the node is', async () => {
    const on = await following();
    on.node.isLost = () => true;
    const { tick = 0 } = on.live.world ?? {};
    await on.time.advance(3000);
    expect(on.live.world?.tick).toBeGreaterThan(tick + 100);
    on.node.refuses = () => true;
    await on.time.advance(120_000);
    expect(on.live.state).toBe('reconnecting');
    const stood = on.live.world?.tick ?? 0;
    expect(stood).toBeLessThanOrEqual(tick + 2001);
    on.node.refuses = () => false;
    on.node.isLost = () => false;
    await on.until(() => isVerified(on));
    await settle(on);
    await expectTruth(on);
    expect(on.live.world?.tick).toBeGreaterThan(stood + 3000);
    expect(ofType(on, 'restart')).toEqual([]);
  });

  test('at the present after the computer has slept', async () => {
    const on = await following();
    await on.time.jump(10 * 60_000);
    await on.time.advance(1500);
    expect([on.live.state, on.node.connectionCount]).toEqual(['verified', 1]);
    expect(on.node.tick - (on.live.world?.tick ?? 0)).toBeLessThanOrEqual(4);
    await expectTruth(on);
  });

  test('from a new beginning where a change was lost', async () => {
    const on = await following();
    on.node.isLost = ({ type }) => type === 'change';
    on.node.change(9, 3, 0);
    on.node.isLost = () => false;
    await on.time.advance(100);
    on.node.change(10, 3, 0);
    await on.until(() => ofType(on, 'restart').length > 0);
    expect(lastQuery(on)).toEqual({ encoding: 'lockstep' });
    await settle(on);
    expect(on.live.state).toBe('verified');
    await expectTruth(on);
  });

  test('from a new beginning where a pulse tells of a change that never comes', async () => {
    const on = await following();
    on.node.isLost = ({ type }) => type === 'change';
    on.node.change(9, 3, 0);
    on.node.isLost = () => false;
    await on.until(() => ofType(on, 'restart').length > 0);
    await settle(on);
    await expectTruth(on);
  });

  test('undisturbed where a pulse overtakes its change', async () => {
    const on = await following();
    on.node.change(9, 3, 0, 1500);
    on.node.pulse();
    await on.time.advance(1400);
    expect(on.live.world?.seq).toBe(on.node.changes.length - 1);
    await settle(on);
    await expectTruth(on);
    expect(ofType(on, 'difference')).toEqual([]);
  });

  test('from a new beginning where the node has lost its last changes', async () => {
    const on = await following();
    on.node.loseTail(2);
    await on.time.advance(PULSE_MS);
    expect(ofType(on, 'difference')).toEqual([
      { type: 'difference', reason: 'the journals differ' },
    ]);
    await settle(on);
    expect(ofType(on, 'restart')).toHaveLength(1);
    expect(on.live.state).toBe('verified');
    await expectTruth(on);
  });

  test('from a new beginning, in a new kernel, where ten seconds led elsewhere', async () => {
    const on = await following();
    // The second time its ticks are lived they turn out as they should.
    const { step } = Kernel.prototype;
    let isRight = false;
    vi.spyOn(Kernel.prototype, 'step').mockImplementation(function (this: Kernel, slab, ticks) {
      const stepped = step.call(this, slab, ticks);
      const tick = this.tick(slab);
      if (!isRight && tick > MINUTE_TICKS + 200) {
        isRight = true;
        this.apply(slab, tick + 1, 0, F_ALL, 0);
      }
      return stepped;
    });
    await on.until(() => isRight);
    await on.time.advance(PULSE_MS);
    expect(ofType(on, 'difference')).toEqual([
      { type: 'difference', reason: 'ten seconds led elsewhere' },
    ]);
    expect(ofType(on, 'restart')).toHaveLength(1);
    expect(on.live.state).toBe('verified');
    await expectTruth(on);
  });

  test('as the node shows it after a second difference, and tries again after ten minutes', async () => {
    const on = await following();
    on.node.isSpoiled = true;
    await on.time.advance(PULSE_MS);
    expect(ofType(on, 'restart')).toHaveLength(1);
    await on.until(() => on.live.state === 'fallback');
    expect(ofType(on, 'difference').length).toBeGreaterThanOrEqual(2);
    expect(on.live.world).toBeUndefined();
    const frames = on.live.snapshots();
    const next = frames.next();
    await on.time.advance(200);
    const { value } = await next;
    const truth = await on.node.truth(value?.tick ?? 0);
    expect(value).toEqual(truth.snapshot());
    expect(on.live.snapshot()?.tick).toBeGreaterThanOrEqual(truth.tick);
    on.node.isSpoiled = false;
    await on.time.advance(600_000);
    await on.until(() => isVerified(on));
    expect(on.node.connectionCount).toBe(1);
    await settle(on);
    await expectTruth(on);
    await frames.return();
  });

  test('unverified where the node refuses its snapshots, until they agree again', async () => {
    const on = await following();
    on.node.isSpoiled = true;
    on.node.refuses = (encoding) => encoding !== 'lockstep';
    await on.until(() => on.live.state === 'unverified');
    await switchAround(on, 20, new Dice(3));
    await settle(on);
    await expectTruth(on);
    expect(on.live.state).toBe('unverified');
    on.node.isSpoiled = false;
    await on.until(() => isVerified(on));
    await expectTruth(on);
  });

  test('as the node shows it if its assets cannot be had', async () => {
    const fetchAssets = vi.fn(() => Promise.reject(new Error('no route')));
    const on = stage({ dependencies: { fetchAssets } });
    await on.until(() => on.live.state === 'fallback');
    expect(fetchAssets.mock.calls.length).toBeGreaterThan(1);
    await on.live.ready;
  });

  test('once its assets can be had', async () => {
    const fetchAssets = vi.fn(() => builtAssets('grid'));
    fetchAssets.mockRejectedValueOnce(new Error('no route'));
    const on = stage({ dependencies: { fetchAssets } });
    await on.until(() => isVerified(on));
    expect(statesOf(on)).toEqual(['live', 'verified']);
  });

  test('until it is gone', async () => {
    const on = await following();
    const read = async () => {
      for await (const { tick } of on.live.snapshots()) expect(tick).toBeGreaterThan(0);
    };
    const end = expect(read()).rejects.toMatchObject({ code: 'unknown_world' });
    on.node.isGone = true;
    on.node.endAll(1013);
    await on.until(() => on.live.state === 'ended');
    await end;
    const never = stage({
      prepare: (node) => {
        node.isGone = true;
      },
    });
    await never.until(() => never.live.state === 'ended');
    await expect(never.live.ready).rejects.toMatchObject({ code: 'unknown_world' });
  });

  test('in no way after it was closed', async () => {
    const on = await following();
    const { world } = on.live;
    on.live.close();
    expect([on.live.state, on.live.world, on.node.connectionCount]).toEqual([
      'ended',
      undefined,
      0,
    ]);
    expect(() => world?.snapshot()).toThrow('closed');
    await on.time.advance(1000);
    expect(statesOf(on)).toEqual(['ended']);
  });
});
