import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Ask, LivingCities } from './living-cities.ts';

const ROADS = [{ id: 'r1', name: 'Storgatan' }];
const S = 50;

interface Collided {
  tick: number;
  vins: readonly string[];
}

/** What the twin answers, and what it was asked. */
let asked: string[];
let nowTick: number;
let collisions: Record<string, Collided>;
/** Paths that are not answered, and those that are refused. */
let isSilent: (path: string) => boolean;
let isRefused: (path: string) => boolean;

const answers: Record<string, (world: string, id: string) => unknown> = {
  '': () => ({ city: 'grid' }),
  map: () => ({ roads: ROADS }),
  state: (world) => ({
    tick: nowTick,
    vehicles: [
      { vin: `${world}A`, speed: 10, road: 'r1', status: 'driving' },
      { vin: `${world}B`, speed: 0, road: null, status: 'crashed' },
    ],
  }),
  events: () =>
    Object.entries(collisions).map(([incident, { tick }]) => ({
      kind: 'collision',
      incident,
      tick,
    })),
  incidents: (_, id) => ({
    ...{ id, tick: collisions[id]?.tick, explained: false },
    vehicles: collisions[id]?.vins.map((vin) => ({ vin })),
  }),
};

const ask = (async (path: string) => {
  asked.push(path);
  if (isSilent(path)) return new Promise(() => {});
  if (isRefused(path)) throw new Error(`${path} is refused`);
  const [, , world = '', what = '', id = ''] = path.split('/');
  return answers[what]?.(world, id);
}) as Ask;

const count = (path: string) => asked.filter((each) => each === path).length;
const worldsRead = () => asked.filter((path) => path.endsWith('/state')).length;

let cities: LivingCities;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', {
    ...{ hidden: false, addEventListener: () => {}, removeEventListener: () => {} },
  });
  asked = [];
  nowTick = 100_000;
  collisions = {};
  isSilent = () => false;
  isRefused = () => false;
  cities = new LivingCities(ask);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
const carOf = (world: string, vin: string) => cities.carsOf(world).peek()?.get(vin);

describe('[P30] a city with a car on the screen', () => {
  test('is read every few seconds, and no more once the car has left the screen', async () => {
    expect(cities.carsOf('w').peek()).toBeUndefined();
    const end = cities.show('w');
    await pass(1);
    expect(carOf('w', 'wA')).toEqual({
      ...{ kmh: 36, street: 'Storgatan', status: 'driving', crash: null },
    });
    expect(carOf('w', 'wB')).toMatchObject({ street: null, status: 'crashed' });
    await pass(9);
    expect(worldsRead()).toBe(3);
    end();
    await pass(60);
    expect(worldsRead()).toBe(3);
  });

  test('is read once however many of its cars are there, and its streets once for all cities', async () => {
    const ends = ['w', 'w', 'v'].map((world) => cities.show(world));
    await pass(1);
    expect([count('/worlds/w/state'), count('/worlds/v/state')]).toEqual([1, 1]);
    ends[0]?.();
    await pass(5);
    expect(count('/worlds/w/state')).toBe(2);
    expect(asked.filter((path) => path.endsWith('/map'))).toHaveLength(1);
    expect([count('/worlds/w'), count('/worlds/v')]).toEqual([1, 1]);
  });

  test('has an answer in its turn, of which there are a few at a time', async () => {
    const worlds = Array.from({ length: 40 }, (_, i) => `w${i}`);
    for (const world of worlds) cities.show(world);
    await pass(0.4);
    expect(worldsRead()).toBeLessThanOrEqual(4);
    await pass(5);
    for (const world of worlds) expect(carOf(world, `${world}A`)?.kmh).toBe(36);
    const before = worldsRead();
    await pass(60);
    // Four in half a second.
    expect(worldsRead() - before).toBeLessThanOrEqual(480);
    for (const world of worlds) expect(count(`/worlds/${world}/state`)).toBeGreaterThan(9);
  });

  test('that is silent stops no other', async () => {
    isSilent = (path) => path.startsWith('/worlds/w/');
    for (const world of ['w', 'v']) cities.show(world);
    await pass(60);
    expect(cities.carsOf('w').peek()).toBeUndefined();
    expect(count('/worlds/w/state')).toBe(1);
    expect(count('/worlds/v/state')).toBeGreaterThan(9);
  });

  test('that gives no answer is asked again later', async () => {
    isRefused = (path) => path.endsWith('/map');
    cities.show('w');
    await pass(1);
    expect(cities.carsOf('w').peek()).toBeNull();
    await pass(15);
    expect(count('/worlds/w/state')).toBe(1);
    isRefused = () => false;
    await pass(10);
    expect(carOf('w', 'wA')?.kmh).toBe(36);
  });
});

describe('[P30] the last collision', () => {
  test('is that of each car that took part, newest first', async () => {
    collisions = {
      i1: { tick: nowTick - 90 * S, vins: ['wA', 'wB'] },
      i2: { tick: nowTick - 30 * S, vins: ['wA'] },
    };
    cities.show('w');
    await pass(0);
    expect(carOf('w', 'wA')?.crash).toEqual({ incident: 'i2', agoS: 30 });
    expect(carOf('w', 'wB')?.crash).toEqual({ incident: 'i1', agoS: 90 });
  });

  test('is read again while others may join it, and then no more', async () => {
    collisions = { i1: { tick: nowTick - 10 * S, vins: ['wA'] } };
    cities.show('w');
    await pass(0);
    expect(carOf('w', 'wB')?.crash).toBeNull();
    collisions = { i1: { tick: nowTick - 10 * S, vins: ['wA', 'wB'] } };
    nowTick += 5 * S;
    await pass(5);
    expect(carOf('w', 'wB')?.crash?.incident).toBe('i1');
    expect(count('/worlds/w/incidents/i1')).toBe(2);
    nowTick += 30 * S;
    await pass(60);
    // Once more, as it was not settled yet.
    expect(count('/worlds/w/incidents/i1')).toBe(3);
    expect(carOf('w', 'wB')?.crash).toEqual({ incident: 'i1', agoS: 45 });
  });

  test('is none, and is not read, where it is older than ten minutes', async () => {
    collisions = { i1: { tick: nowTick - 601 * S, vins: ['wA'] } };
    cities.show('w');
    await pass(5);
    expect(carOf('w', 'wA')?.crash).toBeNull();
    expect(count('/worlds/w/incidents/i1')).toBe(0);
  });

  test('of one car is shown although that of another cannot be read', async () => {
    collisions = {
      i1: { tick: nowTick - 90 * S, vins: ['wA'] },
      i2: { tick: nowTick - 30 * S, vins: ['wB'] },
    };
    isRefused = (path) => path.endsWith('/i2');
    cities.show('w');
    await pass(0);
    expect(carOf('w', 'wA')?.crash?.incident).toBe('i1');
    expect(carOf('w', 'wB')).toMatchObject({ status: 'crashed', crash: null });
  });
});
