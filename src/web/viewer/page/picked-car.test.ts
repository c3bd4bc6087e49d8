import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CityMap, Route } from '../api/types.ts';
import type { LiveWorld, Status } from './live-world.ts';
import { PickedCar } from './picked-car.ts';

const readRoute = vi.fn<(vin: string) => Promise<Route>>();
vi.mock('../api/twin.ts', () => ({ readRoute: (vin: string) => readRoute(vin) }));

const MAP = { lanes: [{ id: 'l1', polyline: [[0, 0]] }] } as unknown as CityMap;
const routeOf = (vin: string): Route => {
  return { vin, lanes: ['l1'], streets: [`Street of ${vin}`], length: 100 };
};

const status = signal<Status>('live');
let car: PickedCar;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  readRoute.mockReset();
  readRoute.mockImplementation(async (vin) => routeOf(vin));
  status.value = 'live';
  const ask = () => Promise.reject(new Error('not of interest here'));
  car = new PickedCar({ status, fleet: signal([]), ask } as unknown as LiveWorld);
  car.learn(MAP);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a route that could not be read is read again, and then no more', async () => {
  readRoute.mockRejectedValueOnce(new Error('no answer'));
  car.pick('A');
  await pass(0);
  expect(car.streets.value).toEqual([]);
  await pass(10_000);
  expect([car.streets.value, car.route.value]).toEqual([['Street of A'], [[0, 0]]]);
  expect(readRoute).toHaveBeenCalledTimes(2);
  car.pick('B');
  await pass(10_000);
  expect(car.streets.value).toEqual(['Street of B']);
  expect(readRoute).toHaveBeenCalledTimes(3);
});

test('no route of a city that is gone is asked for', async () => {
  readRoute.mockRejectedValue(new Error('no such city'));
  car.pick('A');
  await pass(0);
  status.value = 'gone';
  await pass(10_000);
  expect(readRoute).toHaveBeenCalledTimes(1);
});
