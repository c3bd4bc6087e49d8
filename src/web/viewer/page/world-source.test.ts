import { beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../api/types.ts';
import { type LifeListener, LocalLife } from '../life/local-life.ts';
import type { Report, Request } from '../life/messages.ts';
import type { Listener } from '../live/connection.ts';
import { WorldSource } from './world-source.ts';

const frame = (tick: number): Snapshot => ({
  ...{ type: 'snapshot', world: 'w', tick, time: tick / 50 },
  ...{ vehicles: [], lights: [], hazards: [] },
});

/** The worker, the node and the clock, all in the hands of the test. */
class Stage {
  readonly requests: Request[] = [];
  readonly shown: number[] = [];
  readonly mayLoad = Promise.withResolvers<void>();
  report: (report: Report) => void = () => {};
  fail: () => void = () => {};
  node: Listener | undefined;
  isStopped = false;
  isTerminated = false;
  isPastShown = false;
  timers = new Set<{ atMs: number; call: () => void }>();
  #nowMs = 0;
  readonly source: WorldSource;

  constructor(hasWorker = true) {
    this.source = new WorldSource({
      openLife: (listener) => (hasWorker ? this.#life(listener) : undefined),
      mayLoad: () => this.mayLoad.promise,
      openConnection: (listener) => {
        this.node = listener;
        this.isStopped = false;
        return {
          retryNow: () => {},
          stop: () => {
            this.isStopped = true;
          },
        };
      },
      isPastShown: () => this.isPastShown,
      after: (ms, call) => {
        const timer = { atMs: this.#nowMs + ms, call };
        this.timers.add(timer);
        return () => this.timers.delete(timer);
      },
      frame: ({ tick }) => this.shown.push(tick),
      corrected: (frames) => this.shown.push(...frames.map(({ tick }) => tick)),
      fleet: () => {},
    });
  }

  #life(listener: LifeListener): LocalLife {
    const takeListener = (type: string, take: (event: { data: Report }) => void) => {
      if (type === 'message') this.report = (data) => take({ data });
      else this.fail = () => take({ data: { type: 'state', state: 'gone' } });
    };
    return new LocalLife(
      {
        postMessage: (request) => this.requests.push(request),
        addEventListener: takeListener as never,
        terminate: () => {
          this.isTerminated = true;
        },
      },
      listener,
    );
  }

  /** Does what is due within so long, in order, and what that wants to be done later. */
  elapse(ms = 60_000): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.timers].toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > endMs) break;
      this.timers.delete(next);
      this.#nowMs = next.atMs;
      next.call();
    }
    this.#nowMs = endMs;
  }

  live(tick: number): void {
    this.report({ type: 'fleet', fleet: [] });
    this.report({ type: 'state', state: 'living' });
    this.report({ type: 'frame', frame: frame(tick), dueMs: 0 });
  }

  get state() {
    const { from, link } = this.source;
    return [from.value, link.value];
  }
}

describe('the source of what is shown', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });

  it('is the life in the page, and the node is not asked', () => {
    expect(stage.state).toEqual(['nowhere', 'connecting']);
    stage.live(8);
    stage.elapse();
    expect([stage.state, stage.shown, stage.node]).toEqual([['life', 'streaming'], [8], undefined]);
  });

  it('is the node while nothing lives here yet, then the life', async () => {
    stage.elapse();
    await stage.source.decided;
    stage.node?.link('streaming');
    stage.node?.snapshot(frame(4));
    expect(stage.state).toEqual(['node', 'streaming']);
    stage.report({ type: 'frame', frame: frame(5), dueMs: 0 });
    stage.live(8);
    expect([stage.state, stage.shown]).toEqual([
      ['life', 'streaming'],
      [4, 8],
    ]);
    expect(stage.isStopped).toBe(true);
  });

  it('is the node at once for a new world, which is not asked for anything else meanwhile', async () => {
    stage.report({ type: 'met', isNew: true });
    stage.node?.link('streaming');
    stage.node?.snapshot(frame(4));
    expect([stage.state, stage.shown]).toEqual([['nowhere', 'streaming'], [4]]);
    expect(stage.requests).toEqual([]);
    stage.mayLoad.resolve();
    await stage.mayLoad.promise;
    expect(stage.requests).toEqual([{ type: 'load' }]);
    stage.live(8);
    await stage.source.decided;
    expect([stage.state, stage.shown, stage.isStopped]).toEqual([
      ['life', 'streaming'],
      [4, 8],
      true,
    ]);
  });

  it('has one watcher in this page, also while it has two streams', () => {
    stage.report({ type: 'met', isNew: true });
    stage.report({ type: 'watchers', watchers: 2 });
    expect(stage.source.watchers.value).toBe(1);
    stage.live(8);
    stage.report({ type: 'watchers', watchers: 3 });
    expect(stage.source.watchers.value).toBe(3);
  });

  it('is the node of a new world for good where the world cannot live in the page', async () => {
    stage.report({ type: 'met', isNew: true });
    stage.node?.snapshot(frame(4));
    stage.elapse();
    await stage.source.decided;
    stage.node?.snapshot(frame(8));
    expect([stage.state[0], stage.shown]).toEqual(['node', [4, 8]]);
  });

  it('is the life for a world that is not new, without a word with the node', async () => {
    stage.report({ type: 'met', isNew: false });
    stage.mayLoad.resolve();
    await stage.mayLoad.promise;
    expect([stage.requests, stage.node]).toEqual([[{ type: 'load' }], undefined]);
  });

  it('is the node at once where the browser cannot let a world live', () => {
    const without = new Stage(false);
    without.node?.link('polling');
    without.node?.snapshot(frame(4));
    expect(without.state).toEqual(['node', 'polling']);
  });

  it('is the node once the worker has failed', async () => {
    stage.live(8);
    const { life } = stage.source;
    const asked = life?.ask('features', 'A');
    stage.fail();
    await expect(life?.ask('features', 'A')).rejects.toThrow(/has ended/);
    expect([stage.source.life, stage.isTerminated]).toEqual([undefined, true]);
    await expect(asked).rejects.toThrow(/has ended/);
    stage.node?.snapshot(frame(12));
    expect([stage.state[0], stage.shown]).toEqual(['node', [8, 12]]);
  });

  it('[P10] is not called lost where the next stream is there soon, however often that happens', () => {
    const links: string[] = [];
    stage.live(8);
    stage.source.link.subscribe((link) => links.push(link));
    for (const tick of [10, 12, 14]) {
      stage.report({ type: 'state', state: 'alone' });
      stage.elapse(1000);
      stage.live(tick);
      stage.elapse(1000);
    }
    expect([links, stage.shown]).toEqual([['streaming'], [8, 10, 12, 14]]);
    stage.report({ type: 'state', state: 'alone' });
    stage.elapse(3000);
    stage.live(16);
    expect(links).toEqual(['streaming', 'reconnecting', 'streaming']);
  });

  it('is not called lost once the city is gone', () => {
    stage.live(8);
    stage.report({ type: 'state', state: 'alone' });
    stage.report({ type: 'state', state: 'gone' });
    stage.elapse();
    expect(stage.state[1]).toBe('gone');
  });

  it('is not called lost once the node says that the city is gone', () => {
    stage.live(8);
    stage.report({ type: 'state', state: 'alone' });
    stage.elapse(6500);
    stage.report({ type: 'state', state: 'alone' });
    stage.node?.link('gone');
    stage.elapse();
    expect(stage.state[1]).toBe('gone');
  });

  it('goes on alone for some seconds without the node, and is asked for again then', () => {
    stage.live(8);
    stage.report({ type: 'state', state: 'alone' });
    stage.report({ type: 'frame', frame: frame(10), dueMs: 0 });
    stage.elapse(3000);
    expect([stage.state, stage.shown]).toEqual([
      ['life', 'reconnecting'],
      [8, 10],
    ]);
    expect(stage.node).toBeUndefined();
    stage.elapse();
    stage.node?.link('connecting');
    expect(stage.state).toEqual(['life', 'reconnecting']);
    stage.node?.link('streaming');
    stage.node?.snapshot(frame(12));
    stage.report({ type: 'frame', frame: frame(14), dueMs: 0 });
    expect([stage.state, stage.shown]).toEqual([
      ['node', 'streaming'],
      [8, 10, 12],
    ]);
    stage.live(16);
    expect(stage.state).toEqual(['life', 'streaming']);
  });

  it('[P38] stays the life whose past is looked at, until the visitor comes back', () => {
    stage.live(8);
    stage.isPastShown = true;
    stage.report({ type: 'state', state: 'alone' });
    stage.elapse();
    stage.node?.link('streaming');
    stage.node?.snapshot(frame(12));
    stage.report({ type: 'frame', frame: frame(14), dueMs: 0 });
    expect([stage.state, stage.shown]).toEqual([
      ['life', 'streaming'],
      [8, 14],
    ]);
    stage.isPastShown = false;
    stage.node?.snapshot(frame(16));
    expect([stage.state, stage.shown]).toEqual([
      ['node', 'streaming'],
      [8, 14, 16],
    ]);
  });

  it('is the node where the worker cannot let the world live and shows what the node sends', () => {
    stage.live(8);
    stage.report({ type: 'state', state: 'shown' });
    stage.report({ type: 'frame', frame: frame(12), dueMs: Number.NaN });
    stage.elapse();
    expect([stage.state, stage.shown, stage.node]).toEqual([
      ['node', 'streaming'],
      [8, 12],
      undefined,
    ]);
    stage.live(16);
    expect(stage.state).toEqual(['life', 'streaming']);
  });

  it('is the life also where it could not be checked against the node, which is known', () => {
    stage.live(8);
    expect(stage.source.isVerified.value).toBe(true);
    stage.report({ type: 'state', state: 'unverified' });
    stage.report({ type: 'frame', frame: frame(10), dueMs: 0 });
    expect([stage.state, stage.shown]).toEqual([
      ['life', 'streaming'],
      [8, 10],
    ]);
    expect(stage.source.isVerified.value).toBe(false);
    stage.report({ type: 'state', state: 'living' });
    expect(stage.source.isVerified.value).toBe(true);
    stage.report({ type: 'state', state: 'unverified' });
    stage.report({ type: 'state', state: 'alone' });
    stage.elapse();
    stage.node?.snapshot(frame(12));
    expect(stage.source.isVerified.value).toBe(true);
  });

  it('is gone whoever says so, for good', () => {
    stage.live(8);
    stage.report({ type: 'state', state: 'gone' });
    stage.source.retryNow();
    expect(stage.state[1]).toBe('gone');
    expect(stage.requests).toEqual([]);

    const other = new Stage();
    other.elapse();
    other.node?.link('gone');
    other.live(8);
    expect(other.state[1]).toBe('gone');
  });
});
