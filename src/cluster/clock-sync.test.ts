import { expect, test } from 'vitest';
import { NodeClock } from '../clock.ts';
import { createLog } from '../log.ts';
import type { ClusterView } from '../store/contract.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { Dice } from '../testing/rigs/dice.ts';
import type { Time } from '../time.ts';
import { ClockSync, clusterReadingMs } from './clock-sync.ts';

const START_MS = 1_700_000_000_000;
const PARTS = { leaseMs: 6000, log: createLog('silent'), wasSet: () => {} };

/** A heartbeat whose answer took a while on the way there, and on the way back. */
function viewOf(clusterMs: number, time: TestTime, [thereMs, backMs] = [0, 0]): ClusterView {
  const answeredMs = time.now();
  const sentMs = answeredMs - thereMs - backMs;
  return { clockMs: clusterMs - backMs, sentMs, answeredMs, nodes: new Map() };
}

test('the reading of the cluster is taken from the middle of a round trip', async () => {
  const time = TestTime.standing();
  const view = viewOf(START_MS, time, [10, 10]);
  expect(clusterReadingMs(view, time.now())).toBe(START_MS);
  await time.advance(500);
  expect(clusterReadingMs(view, time.now())).toBe(START_MS + 500);
});

test.each([40, -40])('a clock that is %i ms off comes into step slowly', async (offMs) => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS + offMs);
  const sync = new ClockSync(clock, { ...PARTS, time });
  const zeroMs = time.now();
  let last = clock.now();
  for (let second = 1; second <= 10; second++) {
    sync.heard(viewOf(START_MS + time.now() - zeroMs, time));
    await time.advance(1000);
    const passedMs = clock.now() - last;
    expect(passedMs).toBeGreaterThanOrEqual(994);
    expect(passedMs).toBeLessThanOrEqual(1006);
    last = clock.now();
  }
  expect(Math.abs(clock.now() - START_MS - (time.now() - zeroMs))).toBeLessThanOrEqual(1);
  expect(Math.abs(sync.offsetMs)).toBeLessThanOrEqual(1);
  sync.stop();
});

test('one slow answer among fast ones does not count', async () => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS);
  const sync = new ClockSync(clock, { ...PARTS, time });
  sync.heard(viewOf(START_MS, time));
  // All of the delay was on the way back.
  sync.heard(viewOf(START_MS, time, [0, 600]));
  expect(sync.offsetMs).toBe(0);
  await time.advance(5000);
  expect(clock.now()).toBe(START_MS + 5000);
  sync.stop();
});

test('[R42] a clock that is behind by more than a lease follows at once, and no further', async () => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS);
  const set: number[] = [];
  const sync = new ClockSync(clock, { ...PARTS, time, wasSet: (ms) => set.push(ms) });
  sync.heard(viewOf(START_MS, time));
  await time.advance(20_000);
  const clusterMs = START_MS + 20_000 + 800_000;
  sync.heard(viewOf(clusterMs, time, [30, 10]));
  const nowMs = clock.now();
  expect(nowMs).toBeLessThanOrEqual(clusterMs);
  expect(nowMs).toBeGreaterThanOrEqual(clusterMs - 40);
  expect(set).toEqual([nowMs - START_MS - 20_000]);
  await time.advance(10_000);
  expect(Math.abs(sync.offsetMs)).toBeLessThanOrEqual(10);
  sync.stop();
});

test.each([
  [
    'a heartbeat',
    (clock: NodeClock, heard: () => void) => [heard, () => clock.catchUpAfterSuspend()],
  ],
  [
    'the machine',
    (clock: NodeClock, heard: () => void) => [() => clock.catchUpAfterSuspend(), heard],
  ],
])('a sleep that %s tells of first is caught up with once', async (_, inOrder) => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS);
  const sync = new ClockSync(clock, { ...PARTS, time });
  await time.advance(1000);
  time.suspend(100_000);
  for (const tell of inOrder(clock, () => sync.heard(viewOf(START_MS + 101_000, time)))) tell();
  expect(clock.now()).toBe(START_MS + 101_000);
  expect(sync.offsetMs).toBe(0);
  sync.stop();
});

test.each([
  ['is noticed', 4000],
  ['is too short to be noticed', 1500],
])('after a sleep that %s no reading from before it counts', async (_, sleepMs) => {
  const time = TestTime.standing(START_MS);
  const zeroMs = time.now();
  const clock = new NodeClock(time, START_MS);
  const sync = new ClockSync(clock, { ...PARTS, time });
  // Of all heartbeats the first one is the fastest.
  sync.heard(viewOf(START_MS, time));
  await time.advance(1000);
  time.suspend(sleepMs);
  const clusterMs = () => START_MS + sleepMs + time.now() - zeroMs;
  sync.heard(viewOf(clusterMs(), time, [2, 2]));
  await time.advance(400_000);
  expect(Math.abs(clock.now() - clusterMs())).toBeLessThanOrEqual(1);
  sync.stop();
});

test.each([
  ['behind by less than a lease', -5900],
  ['ahead, however far,', 800_000],
])('a clock that is %s is moved slowly', async (_, aheadMs) => {
  const time = TestTime.standing(START_MS);
  const clock = new NodeClock(time, START_MS + aheadMs);
  const sync = new ClockSync(clock, { ...PARTS, time });
  const before = clock.now();
  sync.heard(viewOf(START_MS, time));
  await time.advance(1000);
  expect(Math.abs(clock.now() - before - 1000)).toBeLessThanOrEqual(6);
  sync.stop();
});

/** The time of a machine whose clock runs fast or slow. */
function withDrift(time: TestTime, perMillion: number): Time {
  const startMs = time.now();
  return {
    now: () => time.now() + ((time.now() - startMs) * perMillion) / 1e6,
    wallMs: () => time.wallMs(),
    machineUpMs: () => time.machineUpMs(),
    sleep: (ms) => time.sleep(ms),
    after: (ms, task) => time.after(ms, task),
    every: (ms, task) => time.every(ms, task),
    immediate: (task) => time.immediate(task),
  };
}

/** A node whose heartbeats take these ms at least, there and back; sometimes far longer. */
class DriftingNode {
  readonly clock: NodeClock;
  readonly sync: ClockSync;
  readonly #time: TestTime;
  readonly #own: Time;
  readonly #delays: readonly [thereMs: number, backMs: number];
  readonly #dice: Dice;

  constructor(time: TestTime, perMillion: number, delays: readonly [number, number]) {
    this.#time = time;
    this.#own = withDrift(time, perMillion);
    this.#delays = delays;
    this.#dice = new Dice(1000 + perMillion);
    this.clock = new NodeClock(this.#own, START_MS);
    this.sync = new ClockSync(this.clock, { ...PARTS, time: this.#own });
  }

  async heartbeat(clusterMs: () => number): Promise<void> {
    const [thereMs, backMs] = this.#delays;
    // One of four ways is slow.
    const queueMs = () => this.#dice.below(this.#dice.below(4) === 0 ? 200 : 4) / 10;
    const sentMs = this.#own.now();
    await this.#time.sleep(thereMs + queueMs());
    const clockMs = clusterMs();
    await this.#time.sleep(backMs + queueMs());
    this.sync.heard({ clockMs, sentMs, answeredMs: this.#own.now(), nodes: new Map() });
  }
}

test('clocks that drift by 200 ppm each way, with delays on one way only, stay within 5 ms', async () => {
  const time = TestTime.standing(START_MS);
  const zeroMs = time.now();
  const clusterMs = () => START_MS + time.now() - zeroMs;
  const nodes = [
    new DriftingNode(time, 200, [2.5, 0.5]),
    new DriftingNode(time, -200, [0.5, 2.5]),
    new DriftingNode(time, 0, [1, 1]),
  ];
  let apartMs = 0;
  for (let second = 0; second < 600; second++) {
    for (const node of nodes) void node.heartbeat(clusterMs);
    for (let part = 0; part < 4; part++) {
      await time.advance(250);
      const readings = nodes.map(({ clock }) => clock.now());
      // In the first seconds no heartbeat was fast yet.
      if (second >= 30) apartMs = Math.max(apartMs, Math.max(...readings) - Math.min(...readings));
    }
  }
  for (const { sync } of nodes) sync.stop();
  expect(apartMs).toBeGreaterThan(0);
  expect(apartMs).toBeLessThanOrEqual(5);
}, 30_000);
