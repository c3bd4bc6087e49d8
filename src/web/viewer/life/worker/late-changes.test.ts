import { expect, test } from 'vitest';
import { CAR_COUNT, F_ALL, TICK_MS } from '../../../../../assembly/layout.ts';
import { builtAssets } from '../../../../../client/testing/built-assets.ts';
import { LockstepDouble } from '../../../../../client/testing/lockstep-double.ts';
import { TestTime } from '../../../../testing/doubles/test-time.ts';
import { Dice } from '../../../../testing/rigs/dice.ts';
import type { Pose, Snapshot } from '../../api/types.ts';
import { emptyWorld, framesAround, interpolateWorld } from '../../live/interpolation.ts';
import { Playback } from '../../live/playback.ts';
import { LocalLife, type WorkerPort } from '../local-life.ts';
import type { Report } from '../messages.ts';
import { LivedHere } from './lived-here.ts';

/** Messages are late by so much at most. */
const LATE_MS = 400;
/** What is displayed is true from so long after a change on. */
const TRUE_AFTER_TICKS = 500 / TICK_MS;
/**
 * From one display to the next a car moves so much otherwise than it truly does. 0.3 m are promised; gliding takes
 * less than a third of it. The changes here would move a car by more at once.
 */
const JUMP_M_MAX = 0.1;
/** Features are switched from this tick on: what is lived must not depend on how fast the page has loaded. */
const FIRST_TICK = 3500;
const DISPLAY_MS = 16;
const ROUNDS = 30;
const SHOWN_EVERY_TICKS = 2;
/** Of computing with fractions of a tick. */
const EXACT_M = 1e-6;

/** What was displayed at once. */
interface Displayed {
  tick: number;
  cars: readonly Pose[];
  /** The tick of the newest change that had been made by then. */
  changedTick: number;
}

/** A page that displays a world that lives in its worker, in one thread, and a node that is a double. */
async function stage() {
  const time = TestTime.standing();
  const node = new LockstepDouble(time, { seed: 5, ageTicks: 3000 });
  await builtAssets(node.city);
  const playback = new Playback();
  let toPage: (event: { data: Report }) => void = () => {};
  let lived: LivedHere | undefined;
  const dependencies = {
    platform: { now: () => time.now(), after: time.after.bind(time), random: () => 0 },
    ...{ openSocket: node.openSocket, isGone: async () => false },
    fetchAssets: () => builtAssets(node.city),
  };
  const report = (data: Report) => toPage({ data: structuredClone(data) });
  const worker: WorkerPort = {
    postMessage(request) {
      if (request.type === 'open') lived = new LivedHere(request, report, dependencies);
      else lived?.take(request);
    },
    addEventListener(type: string, listener: (event: { data: Report }) => void) {
      if (type === 'message') toPage = listener;
    },
    terminate() {},
  };
  const life = new LocalLife(worker, {
    frame: (frame, dueMs) => playback.add(frame, time.now(), dueMs),
    corrected: (frames) => playback.correct(frames, false, time.now()),
    fleet: (fleet) => playback.setFleet(fleet),
    met: () => life.load(),
    state: () => {},
    watchers: () => {},
    failed: () => {},
  });
  life.open(node.id, node.stream_url);
  for (let turns = 0; life.state.value !== 'living'; turns++) {
    if (turns > 1000) throw new Error('that never happens');
    await time.advance(10);
  }
  await time.advance((FIRST_TICK - node.tick) * TICK_MS);
  playback.show(time.now());
  return { time, node, playback };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** What a page displays while features are switched: those of all cars at once, or some of one car. */
async function displayedWhileSwitching({ time, node, playback }: Stage): Promise<Displayed[]> {
  const [dice, lateness] = [new Dice(3), new Dice(4)];
  node.delayMs = () => lateness.below(LATE_MS + 1);
  const displayed: Displayed[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const isOn = round % 4 === 0;
    if (round % 2 === 1) node.change(dice.below(CAR_COUNT), 1 + dice.below(F_ALL), 0);
    else for (let car = 0; car < CAR_COUNT; car++) node.change(car, F_ALL, isOn ? F_ALL : 0);
    const endMs = time.now() + dice.below(1500);
    while (time.now() < endMs) {
      await time.advance(DISPLAY_MS);
      playback.show(time.now());
      const { tick, cars } = playback.shown;
      const poses = cars.map(({ x, y, heading }) => ({ x, y, heading }));
      displayed.push({ tick, cars: poses, changedTick: node.changes.at(-1)?.tick ?? 0 });
    }
  }
  return displayed;
}

/** The cars at ticks, in order, as the page would have displayed them if it had known all changes in time. */
async function truthOf({ node, playback }: Stage, ticks: readonly number[]): Promise<Pose[][]> {
  const first = Math.floor((ticks[0] ?? 0) / SHOWN_EVERY_TICKS) * SHOWN_EVERY_TICKS;
  const world = await node.truth(first);
  const frames: Snapshot[] = [];
  while (world.tick <= (ticks.at(-1) ?? 0) + SHOWN_EVERY_TICKS) {
    frames.push(world.snapshot());
    world.step(SHOWN_EVERY_TICKS);
  }
  world.close();
  return ticks.map((tick) => {
    const shown = { ...emptyWorld(), cars: playback.shown.cars.map((car) => ({ ...car })) };
    const next = Math.floor((tick - first) / SHOWN_EVERY_TICKS) + 1;
    const around = framesAround(frames.slice(next - 1, next + 1), tick);
    if (around !== null) interpolateWorld(shown, ...around, tick);
    return shown.cars;
  });
}

/** How far cars are from where they are truly, in both directions, car by car. */
const offsOf = (cars: readonly Pose[], truth: readonly Pose[]) =>
  cars.map(({ x, y }, i) => ({ x: x - (truth[i]?.x ?? 0), y: y - (truth[i]?.y ?? 0) }));

test('[P42] what is displayed never jumps by a late change, and is true half a second later', async () => {
  const on = await stage();
  const displayed = await displayedWhileSwitching(on);
  const truth = await truthOf(
    on,
    displayed.map(({ tick }) => tick),
  );
  let [moved, jump, untrue, compared] = [0, 0, 0, 0];
  let before: { x: number; y: number }[] | undefined;
  for (const [i, { tick, cars, changedTick }] of displayed.entries()) {
    const offs = offsOf(cars, truth[i] ?? []);
    const farthest = Math.max(...offs.map(({ x, y }) => Math.hypot(x, y)));
    moved = Math.max(moved, farthest);
    for (const [car, { x, y }] of offs.entries()) {
      const was = before?.[car];
      if (was) jump = Math.max(jump, Math.hypot(x - was.x, y - was.y));
    }
    before = offs;
    if (tick < changedTick + TRUE_AFTER_TICKS) continue;
    compared++;
    untrue = Math.max(untrue, farthest);
  }
  // Or the jumps would say nothing.
  expect(moved).toBeGreaterThan(JUMP_M_MAX);
  expect(jump).toBeLessThan(JUMP_M_MAX);
  expect(compared).toBeGreaterThan(100);
  expect(untrue).toBeLessThan(EXACT_M);
});
