import { type Signal, signal } from '@preact/signals';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FLEET, LifeDouble } from '../../../testing/doubles/life-double.ts';
import { RequestError } from '../../common/request.ts';
import { WhatIf } from './what-if.ts';

const forked = vi.fn(async (_fork: unknown) => ({
  id: 'new',
  fleet: [{ vin: 'X' }, { vin: 'Y' }],
}));
const readJournal = vi.fn(async () => ({ changes }));
const changes = [
  { tick: 100, car: 1, features: { aeb: false } },
  { tick: 9000, car: 0, features: { brakes: false } },
];
vi.mock('../api/twin.ts', () => ({
  forkWorld: (fork: unknown) => forked(fork),
  readJournal: () => readJournal(),
}));
vi.mock('../../common/media.ts', () => ({ prefersReducedMotion: signal(false) }));

const FROM = 5002;
/** A minute. */
const SPAN = 3000;

let life: LifeDouble;
let lives: Signal<LifeDouble | null>;
let whatIf: WhatIf;
const went: string[] = [];
beforeEach(() => {
  went.length = 0;
  forked.mockClear();
  life = new LifeDouble();
  life.extent.value = [0, 60_000];
  lives = signal<LifeDouble | null>(life);
  whatIf = new WhatIf({
    ...{ world: 'w', life: lives, fleet: signal(FLEET) },
    go: (url) => went.push(url),
  });
});

async function settled(): Promise<void> {
  for (let i = 0; i < 60; i++) await Promise.resolve();
}

/** So much of the display, ten times a second. */
async function watch(seconds: number): Promise<void> {
  for (let i = 0; i < seconds * 10; i++) {
    whatIf.advance(0.1);
    whatIf.show();
    await settled();
  }
}

const brakesOff = (...vins: string[]) => whatIf.switchTo(vins, { brakes: false });

describe('a copy', () => {
  test('begins as the world was, and stands still', async () => {
    await whatIf.open(FROM);
    await watch(1);
    expect(life.branches.map(({ fromTick }) => fromTick)).toEqual([FROM]);
    expect(whatIf.shown.tick).toBe(5004);
    expect(whatIf.shown.ghosts).toEqual([]);
    expect(whatIf.collisions.value).toEqual([]);
  });

  test('knows what was switched before', async () => {
    await whatIf.open(FROM);
    const isOn = (vin: string, name: string) => whatIf.isOn(vin, name);
    expect([isOn('B', 'aeb'), isOn('B', 'brakes'), isOn('A', 'brakes')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('knows it also if something is switched before the answer, and not of the copy before', async () => {
    const answers: (() => void)[] = [];
    const later = async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return { changes };
    };
    readJournal.mockImplementationOnce(later).mockImplementationOnce(later);
    void whatIf.open(9000);
    void whatIf.open(FROM);
    await brakesOff('C');
    for (const answer of answers.reverse()) answer();
    await settled();
    expect([whatIf.isOn('B', 'aeb'), whatIf.isOn('A', 'brakes')]).toEqual([false, true]);
  });

  test('asks again for what was switched before where that could not be read, until it is closed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    readJournal.mockRejectedValueOnce(new RequestError(503, 'Not now.'));
    await whatIf.open(FROM);
    expect(whatIf.isOn('B', 'aeb')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(5000);
    expect(whatIf.isOn('B', 'aeb')).toBe(false);

    readJournal.mockRejectedValueOnce(new RequestError(503, 'Not now.'));
    await whatIf.open(FROM);
    whatIf.close();
    const asked = readJournal.mock.calls.length;
    await vi.advanceTimersByTimeAsync(5000);
    expect(readJournal.mock.calls.length).toBe(asked);
  });

  test('plays what comes of a switch, with the world as ghosts', async () => {
    await whatIf.open(FROM);
    await brakesOff('B');
    expect(whatIf.isOn('B', 'brakes')).toBe(false);
    whatIf.player.toggle();
    await watch(2);
    const { tick, cars, ghosts } = whatIf.shown;
    expect(tick).toBeGreaterThan(5090);
    expect(cars[1]?.x).toBeCloseTo(tick + 1);
    expect([ghosts.length, ghosts[1]?.vin, ghosts[1]?.x]).toEqual([3, 'B', tick]);
  });

  test('is compared with what has happened', async () => {
    life.collisions = [5400, 7000, FROM + SPAN + 500];
    life.happened = [4000, 5600];
    await whatIf.open(FROM);
    await brakesOff('A', 'B');
    expect(whatIf.collisions.value.map(({ tick }) => tick)).toEqual([5400, 7000]);
    expect(whatIf.without.value).toBe(1);
    expect(life.branches.filter(({ isClosed }) => !isClosed).length).toBe(1);
  });

  test('gives way to the next one however fast features are switched', async () => {
    await whatIf.open(60_000);
    await Promise.all([brakesOff('A'), brakesOff('B'), brakesOff('C'), brakesOff('A', 'B')]);
    const open = life.branches.filter(({ isClosed }) => !isClosed);
    expect(open.map(({ switchings }) => switchings.length)).toEqual([0, 3]);
    expect(life.openMost).toBe(2);
  });

  test('of now is compared with how the world goes on by itself', async () => {
    life.collisions = [60_100];
    await whatIf.open(60_000);
    await brakesOff('A');
    expect([whatIf.collisions.value.length, whatIf.without.value]).toEqual([1, 0]);
    const open = life.branches.filter(({ isClosed }) => !isClosed);
    expect(open.map(({ switchings }) => switchings.length)).toEqual([0, 1]);
    whatIf.player.toggle();
    await watch(2);
    expect(whatIf.shown.ghosts[0]?.x).toBeCloseTo(whatIf.shown.tick);
  });

  test('is made anew from the moment at which something else is switched', async () => {
    await whatIf.open(FROM);
    await brakesOff('B');
    whatIf.player.toggle();
    await watch(4);
    whatIf.player.toggle();
    const moment = Math.floor(whatIf.player.exactTick);
    await whatIf.switchTo(['C'], { aeb: false });
    whatIf.player.seek(FROM);
    await settled();
    await whatIf.switchTo(['C'], { esc: false });
    // What was switched later is forgotten.
    const [last] = life.branches.slice(-1);
    expect(last?.switchings).toEqual([
      { tick: FROM + 3, vin: 'B', features: { brakes: false } },
      { tick: FROM + 3, vin: 'C', features: { esc: false } },
    ]);
    expect(moment).toBeGreaterThan(5150);
    expect(life.branches.at(-2)?.switchings.at(-1)).toEqual({
      ...{ tick: moment + 1, vin: 'C', features: { aeb: false } },
    });
    expect(life.branches.slice(0, -1).every(({ isClosed }) => isClosed)).toBe(true);
  });

  test('is as it was once all is taken back', async () => {
    life.collisions = [5400];
    await whatIf.open(FROM);
    await brakesOff('A');
    expect(whatIf.collisions.value.length).toBe(1);
    await whatIf.reset();
    expect(whatIf.collisions.value).toEqual([]);
    expect(whatIf.isOn('A', 'brakes')).toBe(true);
    await watch(1);
    expect(whatIf.shown.ghosts).toEqual([]);
  });

  test('stops at the end of its minute, and goes on for another one', async () => {
    life.collisions = [FROM + SPAN + 500];
    await whatIf.open(FROM);
    await brakesOff('A');
    whatIf.player.speed.value = 16;
    whatIf.player.toggle();
    await watch(5);
    expect([whatIf.player.isPlaying.value, whatIf.player.isAtEnd]).toEqual([false, true]);
    expect(whatIf.collisions.value.length).toBe(0);
    await whatIf.goOn();
    await watch(5);
    expect(whatIf.player.exactTick).toBe(FROM + 2 * SPAN + 2 - 4);
    expect(whatIf.collisions.value.length).toBe(1);
    expect(whatIf.passed.value?.tick).toBe(FROM + SPAN + 500);
  });

  test('jumps to just before a collision', async () => {
    await whatIf.open(FROM);
    whatIf.jumpTo(6000);
    expect([whatIf.player.tick.value, whatIf.player.isPlaying.value]).toEqual([5900, true]);
  });

  test('ends with all of its branches', async () => {
    await whatIf.open(60_000);
    whatIf.close();
    await settled();
    expect(life.branches.length).toBe(2);
    expect(life.branches.every(({ isClosed }) => isClosed)).toBe(true);
    expect([whatIf.isOpen.value, whatIf.show()]).toEqual([false, false]);
  });

  test('says why there is none', async () => {
    life.failure = new Error('There is no room for a copy.');
    await whatIf.open(FROM);
    expect(whatIf.failure.value).toBe('There is no room for a copy.');
  });
});

describe('a comparison', () => {
  const state = () => [whatIf.without.value, whatIf.isComparing.value, whatIf.failure.value];

  test('is not known while the world does not live here, and comes back when asked again', async () => {
    life.happened = [FROM + 1, FROM + SPAN + 1];
    await whatIf.open(FROM);
    await brakesOff('A');
    expect(state()).toEqual([1, false, '']);
    lives.value = null;
    await whatIf.goOn();
    expect(state()).toEqual([null, false, 'The world does not live in this browser.']);
    lives.value = life;
    await whatIf.goOn();
    expect(state()).toEqual([2, false, '']);
  });

  test('that has failed is made again with the next switch', async () => {
    life.failure = new Error('There is no room for a copy.');
    await whatIf.open(60_000);
    expect(state()).toEqual([null, false, 'There is no room for a copy.']);
    expect(whatIf.areKnown.value).toBe(false);
    life.failure = undefined;
    await brakesOff('A');
    expect(state()).toEqual([0, false, '']);
    expect(whatIf.areKnown.value).toBe(true);
  });
});

describe('made real', () => {
  test('is a fork with the changes of the branch, which is gone to', async () => {
    await whatIf.open(FROM);
    await brakesOff('B');
    await whatIf.makeReal(1);
    const changes = [{ tick: FROM + 3, car: 1, features: { brakes: false } }];
    expect(forked.mock.calls).toEqual([[{ world: 'w', tick: FROM, changes }]]);
    expect(went).toEqual(['/worlds/new#car=Y']);
  });

  test('says why it is refused, and stays', async () => {
    await whatIf.open(FROM);
    await brakesOff('B');
    forked.mockRejectedValueOnce(new RequestError(429, 'Please wait 9 seconds.'));
    await whatIf.makeReal(-1);
    expect(whatIf.failure.value).toBe('This could not be made real. Please wait 9 seconds.');
    expect([went, whatIf.isOpen.value, whatIf.isMakingReal.value]).toEqual([[], true, false]);
    await whatIf.makeReal(-1);
    expect(went).toEqual(['/worlds/new']);
  });
});
