import { describe, expect, it } from 'vitest';
import { CITIES } from '../../../city/catalogue.ts';
import { mapOf } from '../../../city/map.ts';
import { generateCity } from '../../../citygen/generate.ts';
import type { CityMap, MapLane, MapZone } from '../api/types.ts';
import { housesOf, ridgeOf, shadowOf } from './buildings.ts';
import { overviewOf, project, type Viewport } from './camera.ts';
import { namePlaces, zoneSigns } from './labels.ts';
import { drawnLanes } from './lanes.ts';
import { isInside, lengthOf, type Point } from './lines.ts';
import { besideOf } from './markings.ts';
import { normalOf } from './mesh-builder.ts';
import { colourOf, paint, type Slot } from './palette.ts';
import { signalsOf } from './signals.ts';
import { groundOf, grown } from './streets.ts';
import { treesOf } from './trees.ts';
import { floorOf } from './zones.ts';

const SQUARE: Point[] = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
];

const lane = (id: string, y: number, isBack = false): MapLane => ({
  id,
  road: 'r1',
  junction: null,
  width: 3,
  speed_limit: 14,
  polyline: isBack
    ? [
        [100, y],
        [0, y],
      ]
    : [
        [0, y],
        [100, y],
      ],
  next: [],
  sign: null,
});

/** Two lanes eastwards and one back, 3 m each, the kerb in the south at y = 0. */
const ROAD: CityMap = {
  city: 'one road',
  bounds: { min_x: 0, min_y: 0, max_x: 100, max_y: 9 },
  roads: [
    {
      id: 'r1',
      name: 'Long Lane',
      class: 'local',
      speed_limit: 14,
      lanes: ['a', 'b', 'c'],
      centerline: [
        [0, 6],
        [100, 6],
      ],
    },
  ],
  junctions: [],
  lanes: [lane('a', 1.5), lane('b', 4.5), lane('c', 7.5, true)],
  blocks: [],
  bodies: [],
  zones: [],
  hazards: [],
};

describe('lanes', () => {
  const lanes = drawnLanes(ROAD);
  const beside = (index: number, widths: number) => {
    const own = lanes[index];
    if (!own) throw new Error('there is that lane');
    return besideOf(own, lanes, widths).what;
  };

  it('find their neighbours', () => {
    expect([beside(0, 1), beside(0, -1)]).toEqual(['same', 'nothing']);
    expect([beside(1, 1), beside(1, -1)]).toEqual(['oncoming', 'same']);
    expect([beside(2, 1), beside(2, -1)]).toEqual(['oncoming', 'nothing']);
  });

  it('are drawn over the ground, the markings last', () => {
    const { slots } = groundOf(ROAD, lanes);
    const first = (slot: Slot) => slots.indexOf(slot);
    const layers: Slot[] = ['ground', 'pavement', 'kerb', 'asphalt', 'marking'];
    const order = layers.map(first);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBe(0);
  });
});

describe('areas', () => {
  it('grow on all sides alike', () => {
    expect(grown(SQUARE, 2)).toEqual([
      [-2, -2],
      [12, -2],
      [12, 12],
      [-2, 12],
    ]);
  });

  it('look upwards when counter-clockwise', () => {
    expect(normalOf(SQUARE.map(([x, y]) => [x, y, 3] as const))).toEqual([0, 0, 1]);
  });
});

describe('houses', () => {
  it('have a ridge along the longer side unless they are too high', () => {
    const wide: Point[] = SQUARE.map(([x, y]) => [2 * x, y]);
    expect(ridgeOf(wide, 9)?.side).toBe(0);
    expect(
      ridgeOf(
        wide.map(([x, y]): Point => [-y, x]),
        9,
      )?.side,
    ).toBe(0);
    expect(
      ridgeOf(
        SQUARE.map(([x, y]): Point => [x, 2 * y]),
        9,
      )?.side,
    ).toBe(1);
    expect(ridgeOf(wide, 30)).toBeNull();
    expect(ridgeOf([...SQUARE, [-3, 5]], 9)).toBeNull();
  });

  it('have the height of the map', () => {
    for (const height of [9, 30]) {
      const { positions } = housesOf([{ id: 'b', kind: 'building', polygon: SQUARE, height }]);
      const heights = positions.filter((_, i) => i % 3 === 2);
      const top = Math.max(...heights.filter((z) => z <= height + 1e-9));
      expect(top).toBeCloseTo(height, 9);
      expect(Math.max(...heights)).toBeLessThan(height + 2);
    }
  });

  it('know of each corner the house that it belongs to, and have windows in walls only', () => {
    const block = (kind: string, height: number) => ({ id: 'b', kind, polygon: SQUARE, height });
    const heights = [9, 30, 24, 12];
    const { facade, count, standing, positions } = housesOf([
      ...heights.map((height) => block('building', height)),
      block('wall', 2),
      block('park', 0),
    ]);
    expect(standing.map(({ heightM }) => heightM)).toEqual([...heights, 2]);
    expect(facade).toHaveLength(4 * count);
    const tops = new Map<number, number>();
    for (let corner = 0; corner < count; corner++) {
      const [, , kind = 0, house = -1] = facade.slice(4 * corner);
      const z = positions[3 * corner + 2] ?? 0;
      if (kind > 0) tops.set(house, Math.max(z, tops.get(house) ?? 0));
    }
    // The walls of all houses, but not the one that is a wall.
    expect([...tops.keys()].toSorted()).toEqual([0, 1, 2, 3]);
    for (const [house, top] of tops) expect(top).toBeLessThanOrEqual(heights[house] ?? 0);
  });

  it('cast a shadow away from the sun', () => {
    const shadow = shadowOf({ polygon: SQUARE, height: 10 });
    // 0.3 m east and 0.38 m north for each metre.
    expect(shadow).toEqual([
      [0, 0],
      [10, 0],
      [13, 3.8],
      [13, 13.8],
      [3, 13.8],
      [0, 10],
    ]);
  });
});

describe('paint', () => {
  it('is the colour of the theme, as bright as the face is lit', () => {
    const colour = colourOf('marking', 'light');
    const own = [colour >> 16, (colour >> 8) & 255, colour & 255];
    expect([...paint(['marking'], [1], 'light')]).toEqual(own);
    const night = colourOf('marking', 'dark');
    const half = [night >> 16, (night >> 8) & 255, night & 255].map((part) => Math.floor(part / 2));
    expect([...paint(['marking'], [0.5], 'dark')]).toEqual(half);
    expect(colourOf('ground', 'dark')).toBeLessThan(colourOf('ground', 'light'));
  });

  it('is warm by day where the sun shines, and cool where it does not', () => {
    const blueOf = (shade: number) => {
      const [red = 0, , blue = 0] = paint(['wall0'], [shade], 'light');
      return blue / red;
    };
    expect(blueOf(1.05)).toBeLessThan(blueOf(1));
    expect(blueOf(0.62)).toBeGreaterThan(blueOf(1));
  });
});

describe.each(CITIES)('the city of $name', ({ name, seed }) => {
  const map: CityMap = mapOf(generateCity(name, seed));

  it('fills a phone before anybody has moved it, and is whole on a desktop', () => {
    const { min_x, min_y, max_x, max_y } = map.bounds;
    /** The part of a canvas that the city takes, and the part of the city that is to be seen. */
    const sharesOf = (view: Viewport): [ofCanvas: number, ofCity: number] => {
      const pose = overviewOf(map.bounds, view);
      const low = project(pose, view, min_x, min_y, 0);
      const high = project(pose, view, max_x, max_y, 0);
      const [width, height] = [high.xPx - low.xPx, low.yPx - high.yPx];
      const shown = Math.min(width, view.widthPx) * Math.min(height, view.heightPx);
      return [shown / (view.widthPx * view.heightPx), shown / (width * height)];
    };
    const [ofPhone, ofItsCity] = sharesOf({ widthPx: 390, heightPx: 728 });
    expect(ofPhone).toBeGreaterThan(0.7);
    expect(ofItsCity).toBeGreaterThan(0.6);
    const [ofDesktop, ofWhole] = sharesOf({ widthPx: 1094, heightPx: 845 });
    expect(ofDesktop).toBeGreaterThan(0.6);
    expect(ofWhole).toBe(1);
  });

  it('has every name on its street', () => {
    const places = namePlaces(map.roads);
    expect(new Set(places.map(({ text }) => text)).size).toBe(
      new Set(map.roads.map(({ name: text }) => text)).size,
    );
    for (const { text, x, y } of places) {
      const near = map.roads.some(
        (road) =>
          road.name === text &&
          road.centerline.some((point) => Math.hypot(point[0] - x, point[1] - y) < 130),
      );
      expect(near).toBe(true);
    }
  });

  it('has no name within twenty metres of the crossing of its street with another', () => {
    const crossings = map.junctions.map(({ x, y }) => [x, y] as const);
    const near = namePlaces(map.roads).filter(({ x, y }) =>
      crossings.some((point) => Math.hypot(point[0] - x, point[1] - y) < 20),
    );
    expect(near).toEqual([]);
  });

  it('has a bar before each lane that a light stops', () => {
    const signals = signalsOf(map);
    const lights = map.junctions.flatMap((junction) => junction.lights);
    expect(signals.map(({ id }) => id)).toEqual(lights.map(({ id }) => id));
    for (const [i, { bars }] of signals.entries()) {
      expect(bars.length).toBe(lights[i]?.lanes.length);
    }
  });

  it('has its trees in its parks', () => {
    const parks = map.blocks.filter(({ kind }) => kind === 'park');
    const trees = treesOf(map.blocks);
    expect(trees.length).toBeGreaterThan(50);
    for (const { x, y } of trees) {
      expect(parks.some(({ polygon }) => isInside(polygon, x, y))).toBe(true);
    }
  });

  it('has finite coordinates only', () => {
    const meshes = [groundOf(map, drawnLanes(map)), housesOf(map.blocks)];
    for (const { positions, indices, slots } of meshes) {
      expect(positions.every(Number.isFinite)).toBe(true);
      expect(Math.max(...indices.slice(0, 50_000))).toBeLessThan(slots.length);
    }
    expect(map.lanes.every(({ polyline }) => lengthOf(polyline) > 0)).toBe(true);
  });
});

describe('a zone', () => {
  const ice: MapZone = { id: 'z1', kind: 'ice', polygon: SQUARE };
  // From a node that is newer than the page.
  const unknown = { ...ice, kind: 'sand' } as unknown as MapZone;

  it('has a pattern and a sign if its kind is known', () => {
    expect(zoneSigns([unknown, ice])).toEqual([
      expect.objectContaining({ x: 5, y: 5, text: 'ICE' }),
    ]);
    expect(floorOf([unknown, ice]).attributes).toEqual(floorOf([ice]).attributes);
  });
});
