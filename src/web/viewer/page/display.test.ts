import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { carOf } from '../live/playback.ts';
import type { ShownCar } from '../scene/types.ts';
import type { Viewer } from './viewer.ts';

vi.mock('../../common/theme.ts', () => ({ theme: {} }));
vi.mock('../scene/city-scene.ts', () => ({ CityScene: class {} }));
vi.mock('./observed.ts', () => ({ observe: () => {} }));
afterEach(() => {
  vi.unstubAllGlobals();
});

it('[P22] the liveliest corner is the middle of most cars near each other', async () => {
  const { liveliestOf } = await import('./display.ts');
  const carAt = (x: number, y: number): ShownCar => ({
    ...carOf({ vin: `${x} ${y}`, model: 'Lumen City', colour: 'teal', plate: '' }),
    ...{ x, y },
  });
  const [far, middle] = [carAt(-300, 0), carAt(100, 30)];
  const pair = [carAt(-100, -200), carAt(-110, -200)];
  const around = [carAt(60, 30), carAt(140, 30), carAt(100, 80)];
  expect(liveliestOf([far, ...pair, ...around, middle])).toBe(middle);
  expect(liveliestOf([far])).toBe(far);
  expect(liveliestOf([])).toBeUndefined();
});

it('goes on after a frame that could not be drawn', async () => {
  const { Display } = await import('./display.ts');
  const wanted: ((nowMs: number) => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (call: (nowMs: number) => void) => wanted.push(call));
  const published: number[] = [];
  const publish = (nowMs: number) => {
    published.push(nowMs);
    if (nowMs === 16) throw new Error('There is a hole in it.');
  };
  const player = { shown: {}, collisions: signal([]), advance: () => {}, show: () => false };
  new Display({
    ...{ car: { index: signal(-1) }, eventFeed: { incidents: signal([]) } },
    ...{ replay: player, timeLine: player, whatIf: player },
    live: { publish, playback: player },
  } as unknown as Viewer);
  expect(() => wanted.shift()?.(16)).toThrow('There is a hole in it.');
  wanted.shift()?.(33);
  expect(published).toEqual([16, 33]);
});
