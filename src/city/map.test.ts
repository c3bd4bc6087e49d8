import { describe, expect, test } from 'vitest';
import { cityOf } from '../testing/rigs/cities.ts';
import { CITIES } from './catalogue.ts';
import { at } from './geometry.ts';
import { citiesOf, hazardSpotsOf, mapOf } from './map.ts';
import type { City } from './types.ts';

const grid = cityOf('grid', at(CITIES, 0).seed);

/** A city with one of each, and numbers that need rounding. */
const tiny: City = {
  name: 'tiny',
  title: 'Tiny',
  description: 'One of each.',
  bounds: { minX: -0.001, minY: -10.006, maxX: 20.004, maxY: 10.005 },
  roads: [
    {
      id: 'r1',
      name: 'Only Street',
      class: 'collector',
      speedLimitMps: 50 / 3.6,
      lanes: [0],
      centerline: [
        [0, 0],
        [20.004, 1 / 3],
      ],
    },
  ],
  junctions: [
    {
      id: 'j1',
      x: 1.234_56,
      y: -1.235_01,
      control: 'signals',
      polygon: [[-0.004, 2 / 3]],
      lights: [0],
      cycleTicks: 1000,
    },
  ],
  lanes: [
    {
      id: 'l1',
      road: 0,
      junction: -1,
      widthM: 3.25,
      speedLimitMps: 30 / 3.6,
      polyline: [
        [0, 0],
        [1.006, 0],
      ],
      next: [1],
    },
    {
      id: 'l2',
      road: -1,
      junction: 0,
      widthM: 3.25,
      speedLimitMps: 30 / 3.6,
      polyline: [
        [1.006, 0],
        [0, 0],
      ],
      next: [0],
      connector: {
        turn: 'straight',
        from: 0,
        to: 0,
        conflicts: [],
        conflictZones: [],
        yieldsTo: [],
        light: 0,
        mustStop: false,
      },
    },
  ],
  lights: [
    {
      id: 's1',
      junction: 0,
      x: 1.111,
      y: 2.229,
      heading: -Math.PI / 2,
      lanes: [0],
      greenFromTick: 50,
      greenTicks: 800,
      amberTicks: 150,
      redAmberTicks: 50,
    },
  ],
  blocks: [{ id: 'b1', kind: 'wall', polygon: [[1.001, 2.002]], heightM: 3, solid: true }],
  zones: [{ id: 'z1', kind: 'ice', friction: 0.95, polygon: [[3.339, 4]] }],
  hazards: [
    {
      id: 'h1',
      kind: 'ice_bend',
      x: 5.555_1,
      y: 6,
      radiusM: 35,
      road: 0,
      description: 'It is icy.',
      site: {
        lanes: [0],
        stationM: 0.5,
        actorPath: [],
        actorStationM: 0,
        actorLight: -1,
        bodies: [
          { x: 5.123_4, y: -1.236, heading: [0, -1], lengthM: 0.3, widthM: 0.1 },
          { x: 7.123_4, y: -1.236, heading: [0.6, 0.8], lengthM: 0.3, widthM: 0.1 },
        ],
        active: [],
        sightM: 0,
        actor: null,
        grade: 0,
      },
    },
  ],
  routes: [],
};

const spot = {
  id: 'h1',
  kind: 'ice_bend',
  x: 5.56,
  y: 6,
  radius: 35,
  road: 'r1',
  description: 'It is icy.',
};

const bollard = {
  ...{ hazard: 'h1', kind: 'bollard', y: -1.24 },
  ...{ length: 0.3, width: 0.1, height: 1 },
};

describe('The map', () => {
  test('names things by id and is rounded: metres to the centimetre, headings to 1e-4.', () => {
    expect(mapOf(tiny)).toStrictEqual({
      city: 'tiny',
      bounds: { min_x: 0, min_y: -10.01, max_x: 20, max_y: 10.01 },
      roads: [
        {
          id: 'r1',
          name: 'Only Street',
          class: 'collector',
          speed_limit: 13.89,
          lanes: ['l1'],
          centerline: [
            [0, 0],
            [20, 0.33],
          ],
        },
      ],
      junctions: [
        {
          id: 'j1',
          x: 1.23,
          y: -1.24,
          control: 'signals',
          polygon: [[0, 0.67]],
          lights: [{ id: 's1', x: 1.11, y: 2.23, heading: -1.5708, lanes: ['l1'] }],
        },
      ],
      lanes: [
        {
          id: 'l1',
          road: 'r1',
          junction: null,
          width: 3.25,
          speed_limit: 8.33,
          polyline: [
            [0, 0],
            [1.01, 0],
          ],
          next: ['l2'],
          sign: null,
        },
        {
          id: 'l2',
          road: null,
          junction: 'j1',
          width: 3.25,
          speed_limit: 8.33,
          polyline: [
            [1.01, 0],
            [0, 0],
          ],
          next: ['l1'],
          sign: null,
        },
      ],
      blocks: [{ id: 'b1', kind: 'wall', polygon: [[1, 2]], height: 3 }],
      bodies: [
        { ...bollard, id: 'h1-0', x: 5.12, heading: -1.5708 },
        { ...bollard, id: 'h1-1', x: 7.12, heading: 0.9273 },
      ],
      zones: [{ id: 'z1', kind: 'ice', polygon: [[3.34, 4]] }],
      hazards: [spot],
    });
  });

  test('never shows a negative zero.', () => {
    expect(Object.is(mapOf(tiny).bounds.min_x, 0)).toBe(true);
  });

  test('of the grid ends every lane in the very point in which each next one begins.', () => {
    const { lanes } = mapOf(grid);
    const byId = new Map(lanes.map((lane) => [lane.id, lane]));
    for (const lane of lanes) {
      for (const next of lane.next)
        expect(byId.get(next)?.polyline[0]).toEqual(lane.polyline.at(-1));
    }
  });

  test('of the grid keeps every number to its decimals.', () => {
    const text = JSON.stringify(mapOf(grid));
    expect(text).not.toMatch(/"heading":-?\d+\.\d{5}/);
    expect(text.replaceAll(/"heading":-?[\d.]+/g, '')).not.toMatch(/\d\.\d{3}/);
    expect(text).not.toContain('e-');
  });

  test('leaves out what only the kernel needs.', () => {
    expect(Object.keys(at(mapOf(grid).lanes, 200))).not.toContain('connector');
    expect(Object.keys(at(mapOf(grid).junctions, 14))).not.toContain('cycleTicks');
  });
});

test('Hazard spots are listed as in the map.', () => {
  expect(hazardSpotsOf(tiny)).toStrictEqual([spot]);
  expect(hazardSpotsOf(grid)).toStrictEqual(mapOf(grid).hazards);
});

test('[W17] The list of cities has their names, titles and descriptions, the default first.', () => {
  const { cities } = citiesOf(CITIES);
  expect(cities).toHaveLength(CITIES.length);
  expect(cities[0]).toStrictEqual({
    name: 'grid',
    title: 'Modern grid with a wide avenue',
    description: at(CITIES, 0).description,
  });
});
