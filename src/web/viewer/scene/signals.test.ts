import { describe, expect, it } from 'vitest';
import type { CityMap, LightState } from '../api/types.ts';
import type { Billboards } from './billboards.ts';
import type { Decals } from './decals.ts';
import { LightView, signalsOf } from './signals.ts';

/** A lane eastwards that ends at x = 50, with a light beside its end. */
const MAP: CityMap = {
  city: 'one light',
  bounds: { min_x: 0, min_y: 0, max_x: 100, max_y: 10 },
  roads: [],
  junctions: [
    {
      id: 'j1',
      x: 60,
      y: 0,
      control: 'signals',
      polygon: [],
      lights: [{ id: 's1', x: 50, y: -3, heading: 0, lanes: ['l1'] }],
    },
  ],
  lanes: [
    {
      id: 'l1',
      road: 'r1',
      junction: null,
      width: 3,
      speed_limit: 14,
      polyline: [
        [0, 0],
        [50, 0],
      ],
      next: [],
      sign: null,
    },
  ],
  blocks: [],
  bodies: [],
  zones: [],
  hazards: [],
};

/** A view of the light that writes down what it draws. */
function watched() {
  const bars: Parameters<Decals['add']>[] = [];
  const lamps: Parameters<Billboards['addSprite']>[] = [];
  let writes = 0;
  const decals = {
    clear: () => bars.splice(0),
    add: (...bar: (typeof bars)[number]) => bars.push(bar),
    flush: () => {
      writes++;
    },
  } as unknown as Decals;
  const boards = {
    clear: () => lamps.splice(0),
    addSprite: (...lamp: (typeof lamps)[number]) => lamps.push(lamp),
    flush: () => undefined,
  } as unknown as Billboards;
  const view = new LightView(signalsOf(MAP), decals, boards);
  const show = (state: LightState) => view.show(new Map([['s1', state]]), 0.1);
  return { bars, lamps, show, writes: () => writes };
}

describe('a light', () => {
  it('faces the traffic that it stops, beside the lane and above it', () => {
    const [signal] = signalsOf(MAP);
    expect(signal?.face[0]).toBe(-1);
    expect(signal?.heads.map(([x, y]) => [x, y])).toEqual([
      [50, -3],
      [50, 0],
    ]);
  });

  it('has its bar on the lane, before its end', () => {
    const { bars, show } = watched();
    show('green');
    expect(bars.length).toBe(1);
    const [, place, , halfWidth] = bars[0] ?? [];
    expect(place).toMatchObject({ x: 48.4, y: 0, heading: 0 });
    expect(halfWidth).toBeCloseTo(1.2, 9);
  });

  it('shows red above amber above green, and two lamps for red and amber', () => {
    const { lamps, show } = watched();
    const height = (state: LightState) => {
      show(state);
      return lamps.map(([, [, , z]]) => Math.round(z * 100) / 100);
    };
    const red = height('red');
    const green = height('green');
    // Two heads each; the lamps are 0.35 m apart.
    expect(red.map((z, i) => Math.round((z - (green[i] ?? 0)) * 100) / 100)).toEqual([0.7, 0.7]);
    expect(height('red_amber').length).toBe(4);
    expect(lamps.every(([, [x]]) => x < 50)).toBe(true);
  });

  it('is rewritten only when it changes', () => {
    const { show, writes } = watched();
    show('red');
    show('red');
    expect(writes()).toBe(1);
    show('green');
    expect(writes()).toBe(2);
  });
});
