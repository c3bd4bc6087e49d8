import { type Signal, signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WorldEvent, WorldStake } from '../api/types.ts';
import type { Trial } from '../life/life.ts';
import { Demonstration, keyOf, ranked } from './demonstration.ts';

let outlook: () => WorldStake[] = () => [];
let tick: () => number = () => 0;
const readOutlook = vi.fn(async () => ({ world: 'w', tick: tick(), outlook: outlook() }));
vi.mock('../api/twin.ts', () => ({ readOutlook: () => readOutlook() }));
interface Said {
  text: string;
  action?: { words: string; run: () => void };
}
const said: Said[] = [];
vi.mock('../../common/toasts.tsx', () => ({
  showToast: (text: string, options: Omit<Said, 'text'>) => said.push({ text, ...options }),
  clearToasts: () => said.splice(0),
}));
vi.mock('../../common/storage.ts', () => ({ readStored: () => null, store: () => {} }));

const stake = (feature: string, time: number, consequence = 'collision') =>
  ({
    vin: 'A',
    feature,
    time,
    consequence,
    hazard: null,
    kind: 'road',
    distance: 50,
  }) as WorldStake;
const choice = (outlook: WorldStake[], offered: string[] = []) => {
  const keys = outlook.filter(({ feature }) => offered.includes(feature)).map(keyOf);
  const [found] = ranked(outlook, new Set(keys));
  return found && `${found.feature} ${found.time}`;
};

test('what leaves no time to read it is not offered', () => {
  expect(choice([stake('aeb', 9), stake('aeb', 18)])).toBe('aeb 18');
  expect(choice([stake('aeb', 9)])).toBeUndefined();
  expect(choice([])).toBeUndefined();
});

test('a collision comes first, and one without an assistant before one without brakes', () => {
  const light = stake('traffic_light_recognition', 16, 'red_light');
  expect(choice([light, stake('brakes', 17), stake('aeb', 30)])).toBe('aeb 30');
  expect(choice([light, stake('brakes', 17), stake('aeb', 60)])).toBe('brakes 17');
  expect(choice([light, stake('aeb', 60)])).toBe('traffic_light_recognition 16');
});

test('what meets somebody comes before a bare place, and what was not seen yet before the rest', () => {
  const bend = { ...stake('esc', 17), kind: 'ice_bend' };
  const [deer, again] = [20, 30].map((time) => ({ ...stake('aeb', time), kind: 'deer_crossing' }));
  const inOrder = (...offered: string[]) =>
    ranked([bend, deer, again] as WorldStake[], new Set(offered)).map(({ time }) => time);
  expect(inOrder()).toEqual([20, 30, 17]);
  expect(inOrder('deer_crossing')).toEqual([17, 20, 30]);
  expect(inOrder('ice_bend', keyOf(bend))).toEqual([20, 30, 17]);
});

test('what was offered comes again only where there is nothing else', () => {
  const outlook = [stake('aeb', 20), stake('esc', 30)];
  expect(choice(outlook, ['aeb'])).toBe('esc 30');
  expect(choice(outlook, ['aeb', 'esc'])).toBe('aeb 20');
});

describe('a demonstration', () => {
  const fleet = [{ vin: 'A', model: 'Halden Terra', plate: 'AA 1', colour: 'teal' }];
  let newest: { tick: number };
  let switched: [feature: string, isOn: boolean][];
  let demonstration: Demonstration;
  let isLive: Signal<boolean>;
  /** What the world that lives in this page answers. */
  let comesTrue: (trial: Trial) => boolean;
  /** What the car answers when it is switched: why it failed. */
  let answer: () => Promise<string>;
  beforeEach(() => {
    vi.useFakeTimers();
    newest = { tick: 1000 };
    isLive = signal(true);
    tick = () => newest.tick;
    switched = [];
    answer = async () => '';
    comesTrue = () => true;
    said.length = 0;
    readOutlook.mockClear();
    outlook = () => [stake('aeb', 20), stake('esc', 25), stake('brakes', 30)];
    demonstration = new Demonstration({
      live: {
        ...{ id: 'w', playback: { newest }, fleet: signal(fleet), latest: signal(newest) },
        ask: async (question: string, [trial]: Trial[], service: () => unknown) =>
          question === 'comesTrue' && trial ? comesTrue(trial) : service(),
      },
      car: {
        pick: () => {},
        switchTo: (feature: string, isOn: boolean) => {
          switched.push([feature, isOn]);
          return answer();
        },
      },
      eventFeed: { isInvolved: () => true },
      isLive,
      goLive: () => {
        isLive.value = true;
      },
      ...{ follow: () => {}, report: () => {} },
    } as unknown as ConstructorParameters<typeof Demonstration>[0]);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const offered = () => {
    const phase = demonstration.phase.peek();
    return 'offer' in phase ? `${phase.name} ${phase.offer.feature}` : phase.name;
  };
  /** The offer is overdue. */
  const pass = async () => {
    newest.tick += 40 * 50;
    demonstration.advance();
    await vi.advanceTimersByTimeAsync(2000);
  };
  const begin = async () => {
    void demonstration.begin();
    await vi.advanceTimersByTimeAsync(2000);
  };

  test('[P22] offers something else where nobody took an offer in time, and asks first after a while', async () => {
    await begin();
    expect(offered()).toBe('offer aeb');
    await pass();
    expect(offered()).toBe('offer esc');
    await pass();
    expect(offered()).toBe('offer brakes');
    await pass();
    expect(offered()).toBe('passed brakes');
    await pass();
    expect([offered(), readOutlook.mock.calls.length]).toEqual(['passed brakes', 3]);
    await begin();
    expect(offered()).toBe('offer aeb');
  });

  test('[P22] offers what comes true at once and at the last moment, else what comes soonest', async () => {
    const trials: Trial[] = [];
    comesTrue = (trial) => trials.push(trial) > 0 && trial.feature === 'esc';
    await begin();
    expect(offered()).toBe('offer esc');
    const tried = { vin: 'A', feature: 'esc', untilTick: 1000 + 37 * 50 };
    expect(trials.slice(-2)).toEqual([
      { ...tried, offTick: 1050 },
      { ...tried, offTick: 1000 + 19 * 50 },
    ]);
    const lastMomentOf = ({ offTick }: Trial) => offTick > 1050;
    comesTrue = (trial) => trial.feature === 'brakes' || !lastMomentOf(trial);
    await begin();
    expect(offered()).toBe('offer brakes');
    comesTrue = () => false;
    outlook = () => [stake('aeb', 20), stake('front_camera', 26)];
    await begin();
    expect(offered()).toBe('offer aeb');
  });

  test('[P22] tries nothing more for a visitor who has turned to something else', async () => {
    const trials: string[] = [];
    comesTrue = ({ feature }) => {
      trials.push(feature);
      demonstration.close();
      return false;
    };
    await begin();
    expect([offered(), trials]).toEqual(['closed', ['aeb']]);
  });

  test('[P22] does nothing when a finger comes a moment after the buttons have changed', async () => {
    await begin();
    newest.tick += 40 * 50;
    demonstration.advance();
    await vi.advanceTimersByTimeAsync(50);
    expect(offered()).toBe('offer esc');
    void demonstration.begin();
    await vi.advanceTimersByTimeAsync(0);
    expect(offered()).toBe('offer esc');
    await demonstration.switchOff();
    expect([offered(), switched]).toEqual(['offer esc', []]);
    await vi.advanceTimersByTimeAsync(1000);
    await demonstration.switchOff();
    expect([offered(), switched]).toEqual(['waiting esc', [['esc', false]]]);
  });

  test('[P22] keeps in mind what is off, until it is on again', async () => {
    await begin();
    await demonstration.switchOff();
    expect(demonstration.off.peek()?.feature).toBe('aeb');
    const collision = { vin: 'A', incident: 'i1', feature: null, consequence: null };
    demonstration.take([collision as unknown as WorldEvent]);
    expect([offered(), demonstration.off.peek()?.feature]).toEqual(['closed', 'aeb']);
    await demonstration.switchOn();
    expect(demonstration.off.peek()).toBeNull();
    expect(said.map(({ text }) => text)).toEqual(['Halden Terra (AA 1) has its AEB again.']);
  });

  test('[P22] says why a feature is not on again, and tries again on demand', async () => {
    await begin();
    await demonstration.switchOff();
    answer = async () => 'The service cannot be reached.';
    await demonstration.switchOn();
    expect(demonstration.off.peek()?.feature).toBe('aeb');
    expect(said.map(({ text }) => text)).toEqual([
      'Halden Terra (AA 1): The service cannot be reached.',
    ]);
    answer = async () => '';
    said[0]?.action?.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(demonstration.off.peek()).toBeNull();
    expect(said.at(-1)?.text).toBe('Halden Terra (AA 1) has its AEB again.');
  });

  test('[P22] says why a feature could not be switched off, and offers it again', async () => {
    await begin();
    answer = async () => 'The service cannot be reached.';
    await demonstration.switchOff();
    expect(said.map(({ text }) => text)).toEqual([
      'Halden Terra (AA 1): The service cannot be reached.',
    ]);
    expect([offered(), demonstration.off.peek()]).toEqual(['offer aeb', null]);
    answer = async () => '';
    await vi.advanceTimersByTimeAsync(1000);
    await demonstration.switchOff();
    expect([offered(), demonstration.off.peek()?.feature]).toEqual(['waiting aeb', 'aeb']);
    expect(said).toEqual([]);
  });

  test('[P22] leaves a feature on that is wanted again before it is off', async () => {
    await begin();
    const { promise, resolve } = Promise.withResolvers<string>();
    answer = () => promise;
    const off = demonstration.switchOff();
    const on = demonstration.switchOn();
    resolve('');
    await Promise.all([off, on]);
    expect(switched).toEqual([
      ['aeb', false],
      ['aeb', true],
    ]);
    expect([offered(), demonstration.off.peek()]).toEqual(['closed', null]);
  });

  test('[P22] leaves a visitor alone who looks at the past', async () => {
    await begin();
    expect(offered()).toBe('offer aeb');
    isLive.value = false;
    await pass();
    expect([offered(), isLive.value]).toEqual(['closed', false]);
    expect(readOutlook).toHaveBeenCalledTimes(1);
  });

  test('[P22] does not offer again in the past what could not be switched off', async () => {
    await begin();
    const { promise, resolve } = Promise.withResolvers<string>();
    answer = () => promise;
    const off = demonstration.switchOff();
    isLive.value = false;
    expect(offered()).toBe('waiting aeb');
    resolve('The service cannot be reached.');
    await off;
    await pass();
    expect([offered(), isLive.value]).toEqual(['closed', false]);
  });

  test('shows what was on its way already when the visitor asks again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    readOutlook.mockImplementationOnce(async () => {
      await promise;
      return { world: 'w', tick: tick(), outlook: outlook() };
    });
    void demonstration.begin();
    demonstration.close();
    void demonstration.begin();
    expect(offered()).toBe('looking');
    resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([offered(), readOutlook.mock.calls.length]).toEqual(['offer aeb', 1]);
  });
});
