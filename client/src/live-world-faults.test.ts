import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { Kernel } from '../../src/kernel/kernel.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { builtAssets } from '../testing/built-assets.ts';
import {
  expectTruth,
  isVerified,
  ofType,
  type Stage,
  settle,
  stage,
  statesOf,
  switchAround,
} from '../testing/live-stage.ts';
import { fetchAssets as fetchHere } from './fetch-assets.ts';
import { SlabPool } from './slab-pool.ts';

/** Between two of the node. */
const PULSE_MS = 15_000;
const MINUTE_TICKS = 3000;
/** The age of a world that takes some turns to live. */
const OLD_TICKS = 20_000;

let logged: MockInstance<typeof console.error>;
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
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

  /** It was told and logged at one tick that the world has come to, and nothing else was. */
  function expectNoticed(on: Stage, reason: string): void {
    const [{ tick } = { tick: -1 }] = ofType(on, 'difference');
    expect(ofType(on, 'difference')).toEqual([{ type: 'difference', tick, reason }]);
    expect(logged.mock.calls).toEqual([[`world ${on.node.id} at tick ${tick}: ${reason}`]]);
    expect(tick).toBeGreaterThan(0);
    expect(tick).toBeLessThanOrEqual(on.node.tick);
  }

  const lastQuery = ({ node }: Stage) => Object.fromEntries(node.queries.at(-1) ?? []);

  test('from where the world starts over with another kernel, which is no difference', async () => {
    const on = await following();
    const seq = on.node.changes.length;
    on.node.startOver('another');
    on.node.endAll(1012);
    await on.time.advance(1);
    await on.until(() => isVerified(on) && ofType(on, 'restart').length > 0);
    expect(lastQuery(on)).toMatchObject({ encoding: 'lockstep', since: String(seq) });
    expect(on.live.world?.firstTick).toBe(on.node.start.tick);
    expect(on.live.world?.firstTick).toBeGreaterThan(0);
    await switchAround(on, 2, new Dice(3));
    await settle(on);
    await expectTruth(on);
    expect(on.node.changes.length).toBeGreaterThan(seq);
    expect([ofType(on, 'difference'), ofType(on, 'restart').length]).toEqual([[], 1]);
  });

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

  test('by a new connection when it is told to, and is not called verified meanwhile', async () => {
    const on = await following();
    on.node.refuses = () => true;
    on.live.reconnect();
    expect([on.live.state, on.node.connectionCount]).toEqual(['reconnecting', 0]);
    await on.time.advance(1000);
    on.node.refuses = () => false;
    await on.until(() => isVerified(on));
    expect(statesOf(on)).toEqual(['reconnecting', 'live', 'verified']);
    await expectTruth(on);
  });

  test('at the present after the computer has slept', async () => {
    const on = await following();
    await on.time.jump(10 * 60_000);
    await on.time.advance(1500);
    expect([on.live.state, on.node.connectionCount]).toEqual(['verified', 1]);
    expect(on.node.tick - (on.live.world?.tick ?? 0)).toBeLessThanOrEqual(4);
    await expectTruth(on);
  });

  test.each([
    ['from a later image if the node has one', 500, 1],
    ['as it was if the node has no later image', undefined, 0],
  ])('after a long sleep: %s', async (_, imageAgeTicks, restarts) => {
    const on = await following();
    on.node.imageAgeTicks = imageAgeTicks;
    for (let car = 0; car < CAR_COUNT; car++) on.node.change(car, 3, 0, 10_000_000);
    await on.time.jump(11 * 60_000);
    on.live.reconnect();
    await on.until(() => isVerified(on) && on.node.tick - (on.live.world?.tick ?? 0) < 5);
    expect(on.node.queries.slice(1).map((query) => query.has('since'))).toEqual([true, false]);
    expect(ofType(on, 'restart')).toHaveLength(restarts);
    expect((on.live.world?.firstTick ?? 0) > 30_000).toBe(restarts === 1);
    const told = ofType(on, 'event').map(({ event }) => event.tick);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    await settle(on);
    await expectTruth(on);
    expect(ofType(on, 'difference')).toEqual([]);
  });

  test('from a new beginning where a change was lost', async () => {
    const on = await following();
    on.node.isLost = ({ type }) => type === 'change';
    on.node.change(9, 3, 0);
    on.node.isLost = () => false;
    await on.time.advance(100);
    on.node.change(10, 3, 0);
    await on.until(() => ofType(on, 'restart').length > 0);
    const { length } = on.node.changes;
    expectNoticed(on, `change ${length} came after ${length - 2}`);
    expect(lastQuery(on)).toEqual({ encoding: 'lockstep' });
    await settle(on);
    expect(on.live.state).toBe('verified');
    await expectTruth(on);
  });

  test.each([
    ['', false],
    [', by a node that does not know the hash of the journal', true],
  ])(
    'from a new beginning where a pulse tells of a change that never comes%s',
    async (_, noHash) => {
      const on = await following();
      on.node.knowsNoHash = noHash;
      on.node.isLost = ({ type }) => type === 'change';
      on.node.change(9, 3, 0);
      on.node.isLost = () => false;
      await on.until(() => ofType(on, 'difference').length > 0);
      on.node.knowsNoHash = false;
      await on.until(() => ofType(on, 'restart').length > 0);
      expectNoticed(on, `change ${on.node.changes.length} did not come`);
      await settle(on);
      await expectTruth(on);
    },
  );

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
    expectNoticed(on, 'the journals differ');
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
    expectNoticed(on, 'ten seconds, lived again, led elsewhere');
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
    // What lasts is told with each pulse, and is no news.
    on.events.length = 0;
    logged.mockClear();
    await on.time.advance(4 * PULSE_MS);
    expect(ofType(on, 'difference').length).toBeGreaterThan(3);
    expect(logged.mock.calls.length).toBeLessThanOrEqual(1);
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

  test('as the node shows it if its assets are spoiled, and says so', async () => {
    vi.stubGlobal('fetch', async () => Response.json({}));
    const on = stage({ dependencies: { fetchAssets: fetchHere } });
    await on.until(() => on.live.state === 'fallback');
    const line = new RegExp(
      `^world ${on.node.id} at tick \\d+: it cannot be lived here: /\\S+ is spoiled$`,
    );
    expect(logged.mock.calls).toEqual([[expect.stringMatching(line)]]);
  });

  test('as the node shows it, and tries again every ten minutes', async () => {
    let [asked, hasAssets] = [0, false];
    const fetchAssets = async () => {
      asked++;
      if (!hasAssets) throw new Error('no route');
      return builtAssets('grid');
    };
    const on = stage({ dependencies: { fetchAssets } });
    await on.until(() => on.live.state === 'fallback');
    const before = asked;
    await on.time.advance(650_000);
    expect(asked).toBeGreaterThan(before);
    expect(on.live.state).toBe('fallback');
    hasAssets = true;
    await on.time.advance(650_000);
    expect(isVerified(on)).toBe(true);
    await on.time.advance(650_000);
    await expectTruth(on);
    expect(statesOf(on)).toEqual(['fallback', 'live', 'verified']);
  });

  test('once its assets can be had', async () => {
    const fetchAssets = vi.fn(() => builtAssets('grid'));
    fetchAssets.mockRejectedValueOnce(new Error('no route'));
    const on = stage({ dependencies: { fetchAssets } });
    await on.until(() => isVerified(on));
    expect(statesOf(on)).toEqual(['live', 'verified']);
  });

  /** Does something once while a world catches up with an old one; tells how many ticks were stepped. */
  function inCatchUp(task: () => void): { stepped: number } {
    const { step } = Kernel.prototype;
    const count = { stepped: 0 };
    let isDone = false;
    vi.spyOn(Kernel.prototype, 'step').mockImplementation(function (this: Kernel, slab, ticks) {
      if (!isDone && this.tick(slab) > OLD_TICKS / 5) {
        isDone = true;
        task();
      }
      const stepped = step.call(this, slab, ticks);
      count.stepped += stepped;
      return stepped;
    });
    return count;
  }

  test('without living to its end what a lost connection has begun', async () => {
    const on = stage({ node: { ageTicks: OLD_TICKS } });
    const count = inCatchUp(() => on.live.reconnect());
    await on.until(() => isVerified(on));
    expect(on.node.queries.length).toBe(2);
    expect(count.stepped).toBeGreaterThan(OLD_TICKS * 1.2);
    expect(count.stepped).toBeLessThan(OLD_TICKS * 1.4);
    await expectTruth(on);
  });

  test('without the memory of a beginning that ended in a trap', async () => {
    const lease = vi.spyOn(SlabPool.prototype, 'lease');
    inCatchUp(() => {
      throw new WebAssembly.RuntimeError('unreachable');
    });
    const on = stage({ node: { ageTicks: OLD_TICKS } });
    await on.until(() => isVerified(on));
    const [first, second] = lease.mock.results.map(({ value }) => value.isReleased);
    expect([first, second]).toEqual([true, false]);
    await expectTruth(on);
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
