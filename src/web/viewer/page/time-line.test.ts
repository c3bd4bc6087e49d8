import { type Signal, signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FLEET, LifeDouble } from '../../../testing/doubles/life-double.ts';
import type { Life } from '../life/life.ts';
import { TimeLine, windowOf, zoomsFor } from './time-line.ts';

const said: string[] = [];
vi.mock('../../common/toasts.tsx', () => ({ showToast: (text: string) => said.push(text) }));
vi.mock('../../common/media.ts', () => ({ prefersReducedMotion: signal(false) }));

const EARLIER = { tick: 0, kind: 'earlier', message: 'a crash', incident: 'i7-0' } as const;
let life: LifeDouble;
let known: Signal<Life | null>;
let liveTick: number;
let line: TimeLine;
beforeEach(() => {
  said.length = 0;
  life = new LifeDouble();
  life.extent.value = [0, 60_000];
  liveTick = 59_992;
  known = signal<Life | null>(life);
  const parts = { life: known, earlierMarks: signal([EARLIER]), fleet: signal(FLEET) };
  line = new TimeLine({ ...parts, liveTick: () => liveTick });
});

async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

/** So much of the display, ten times a second, while the world goes on. */
async function watch(seconds: number): Promise<void> {
  for (let i = 0; i < seconds * 10; i++) {
    liveTick += 5;
    life.extent.value = [0, liveTick + 8];
    line.advance(0.1);
    await settled();
  }
}

describe('a moment of the past', () => {
  test('is shown as it was, and stands still', async () => {
    line.seek(30_002);
    await settled();
    expect(line.show()).toBe(true);
    expect([line.shown.tick, line.shown.cars[1]?.x]).toEqual([30_002, 30_002]);
    expect(line.player.frame.value?.tick).toBe(30_000);
    await watch(2);
    expect(line.player.tick.value).toBe(30_002);
    expect([line.isPast.value, line.isOpen.value]).toEqual([true, true]);
    expect(line.agoTicks.value).toBe(60_100 - 30_002);
  });

  test('is not shown before its frames are there: the live world is', () => {
    line.seek(30_000);
    expect(line.show()).toBe(false);
  });

  test('follows a thumb that is dragged, as its frames arrive', async () => {
    line.seek(30_000);
    await settled();
    const shown = () => [line.show(), line.shown.tick, line.player.frame.value?.tick];
    expect(shown()).toEqual([true, 30_000, 30_000]);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    life.gate = first.promise;
    line.seek(40_000);
    await settled();
    expect(shown()).toEqual([true, 30_000, 30_000]);
    line.seek(50_000);
    life.gate = second.promise;
    first.resolve();
    await settled();
    expect(shown()).toEqual([true, 40_004, 40_004]);
    second.resolve();
    await settled();
    expect(shown()).toEqual([true, 50_000, 50_000]);
  });

  test('of an earlier visit is not shown in the next one', async () => {
    line.seek(30_000);
    await settled();
    expect(line.show()).toBe(true);
    line.goLive();
    line.seek(20_000);
    expect(line.show()).toBe(false);
    await settled();
    expect([line.show(), line.shown.tick]).toEqual([true, 20_000]);
  });

  test.each([0.25, 0.5, 1, 2, 4, 8, 16] as const)('is played at %s ×', async (speed) => {
    line.seek(20_000);
    line.player.speed.value = speed;
    line.toggle();
    await settled();
    await watch(4);
    expect(line.player.exactTick).toBeCloseTo(20_000 + 200 * speed, 5);
    line.show();
    expect(line.shown.cars[0]?.x).toBeCloseTo(20_000 + 200 * speed, 5);
    line.toggle();
    await watch(1);
    expect(line.player.exactTick).toBeCloseTo(20_000 + 200 * speed, 5);
  });

  test('waits for frames that come late', async () => {
    line.seek(20_000);
    await settled();
    let open = () => {};
    life.gate = new Promise((resolve) => {
      open = resolve;
    });
    line.player.speed.value = 16;
    line.toggle();
    await watch(3);
    const stoppedAt = line.player.exactTick;
    expect(stoppedAt).toBeLessThan(20_300);
    open();
    await watch(1);
    expect(line.player.exactTick).toBeGreaterThan(stoppedAt + 500);
  });

  test('becomes live when it is played up to now', async () => {
    line.seek(liveTick - 400);
    line.player.speed.value = 16;
    line.toggle();
    await settled();
    await watch(2);
    expect([line.isPast.value, line.show()]).toEqual([false, false]);
  });

  test('is left for what is live at the end of the line, and by a button', () => {
    line.seek(30_000);
    line.seek(60_000);
    expect(line.isPast.value).toBe(false);
    line.seek(30_000);
    line.goLive();
    expect([line.isPast.value, line.isOpen.value]).toEqual([false, false]);
  });

  test('cannot be had: says why, and stops', async () => {
    life.failure = new Error('The worker has ended.');
    line.seek(30_000);
    line.toggle();
    await settled();
    expect(line.player.failure.value).toBe('The worker has ended.');
    expect(line.player.isPlaying.value).toBe(false);
  });

  test('is left where nothing of the past is known any more', () => {
    line.seek(30_000);
    life.extent.value = undefined;
    expect(line.isPast.value).toBe(false);
    expect(said).toEqual(['The past of this city cannot be shown now.']);
  });

  test('is asked for again where the past may have turned out otherwise, and shown meanwhile', async () => {
    line.seek(30_000);
    await settled();
    const before = life.asked.length;
    life.edition.value++;
    expect(line.show()).toBe(true);
    await settled();
    expect(life.asked.slice(before)).toEqual([[30_000, 30_004]]);
    expect(line.show()).toBe(true);
  });

  test('asks for nothing beside it while it stands, so that the next one comes at once', async () => {
    for (const tick of [10_000, 20_000, 30_000]) line.seek(tick);
    await settled();
    expect(life.asked).toEqual([
      [10_000, 10_004],
      [30_000, 30_004],
    ]);
  });

  test('has the events before it, the newest request counts', async () => {
    for (const tick of [100, 200, 300]) void line.readEvents(tick);
    await settled();
    expect(life.eventsAsked).toEqual([100, 300]);
    expect(line.events.value[0]?.message).toBe('the last one before 300');
  });
});

describe('the live world', () => {
  test('stops where it is, and steps back from there', () => {
    line.toggle();
    expect(line.player.tick.value).toBe(liveTick);
    expect([line.isPast.value, line.player.isPlaying.value]).toEqual([true, false]);
    line.step(-100);
    expect(line.player.tick.value).toBe(liveTick - 100);
  });

  test('has one step back, and none forward', () => {
    line.step(20);
    expect(line.isPast.value).toBe(false);
    line.step(-4);
    expect(line.isPast.value).toBe(true);
  });

  test('has no line while nothing is known', () => {
    life.extent.value = undefined;
    line.seek(3000);
    line.toggle();
    expect([line.extent.value, line.isPast.value]).toEqual([undefined, false]);
  });
});

test('marks of what was before the life stand with those of it', () => {
  const own = { tick: 300, kind: 'hazard', message: 'a deer', incident: null } as const;
  life.marks.value = [own];
  expect(line.marks.value).toEqual([EARLIER, own]);
});

test('a mark is reached two seconds before it, and plays', async () => {
  line.jumpTo(30_000);
  expect([line.player.tick.value, line.player.isPlaying.value]).toEqual([29_900, true]);
  line.jumpTo(20);
  expect(line.player.tick.value).toBe(0);
});

describe('a link to a moment', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('opens it, stopped, once the life is known', async () => {
    life.extent.value = undefined;
    line.openAt(12_345);
    await settled();
    expect(line.isPast.value).toBe(false);
    life.extent.value = [0, 60_000];
    await settled();
    expect([line.player.tick.value, line.player.isPlaying.value]).toEqual([12_345, false]);
    line.goLive();
    life.extent.value = [0, 60_100];
    await vi.advanceTimersByTimeAsync(60_000);
    expect([line.isPast.value, said]).toEqual([false, []]);
  });

  test.each([
    [90_000, 'The link leads to a moment 10 min after now. You see it live.'],
    [400, 'The link leads to a moment 12 s before what is known of this city. You see it live.'],
    [12.5, 'The link leads to no moment of this city. You see it live.'],
  ])('to tick %s says that it is none', async (tick, words) => {
    life.extent.value = [1000, 60_000];
    line.openAt(tick);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([line.isPast.value, said]).toEqual([false, [words]]);
  });

  test.each([
    ['sought another moment', () => line.seek(50_000), 50_000],
    ['gone live', () => line.goLive(), undefined],
    ['stopped the live world', () => line.toggle(), 59_992],
    ['turned to something else', () => line.dropLink(), undefined],
    ['followed another link', () => line.openAt(10_000), 10_000],
  ])('leads nowhere once the visitor has %s', async (_, act, tick) => {
    life.extent.value = [30_000, 60_000];
    line.openAt(12_345);
    act();
    life.extent.value = [0, 60_050];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(line.isPast.value ? line.player.tick.value : undefined).toBe(tick);
    expect(said).toEqual([]);
  });

  test('opens it once the beginning of the life is known too', async () => {
    life.extent.value = [30_000, 60_000];
    line.openAt(12_345);
    await settled();
    expect(line.isPast.value).toBe(false);
    life.extent.value = [0, 60_050];
    await settled();
    expect([line.isPast.value, line.player.tick.value]).toEqual([true, 12_345]);
  });

  test('is given up where the past stays unknown', async () => {
    known.value = null;
    line.openAt(12_345);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(said.length).toBe(1);
    known.value = life;
    await settled();
    expect(line.isPast.value).toBe(false);
  });
});

test('the line shows what was chosen, or more where the moment is farther back', () => {
  const life = [0, 300_000] as const;
  expect(windowOf(life, 'last-5-min', 299_000)).toEqual([285_000, 300_000]);
  expect(windowOf(life, 'last-5-min', 250_000)).toEqual([210_000, 300_000]);
  expect(windowOf(life, 'last-30-min', 1000)).toEqual([0, 300_000]);
  expect(windowOf([0, 5000], 'last-30-min', 4000)).toEqual([0, 5000]);
  expect(zoomsFor(life)).toEqual(['last-5-min', 'last-30-min', 'life']);
  expect(zoomsFor([0, 20_000])).toEqual(['last-5-min', 'life']);
  expect(zoomsFor([0, 5000])).toEqual(['life']);
});
