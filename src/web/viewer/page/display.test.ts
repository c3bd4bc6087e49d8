import { expect, it, vi } from 'vitest';
import { carOf } from '../live/playback.ts';
import type { ShownCar } from '../scene/types.ts';

vi.mock('../../common/theme.ts', () => ({ theme: {} }));
vi.mock('../scene/city-scene.ts', () => ({ CityScene: class {} }));

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
