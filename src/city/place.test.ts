import { describe, expect, test } from 'vitest';
import { cityOf } from '../testing/rigs/cities.ts';
import { Dice } from '../testing/rigs/dice.ts';
import { CITIES } from './catalogue.ts';
import { distanceToPath, toCentimetre } from './geometry.ts';
import { nearestRoad } from './place.ts';
import type { City, Lane, Point, Road } from './types.ts';

const POINTS = 2000;
/** Cars can leave the road, but not the city. */
const OUTSIDE_M = 5;

/** As on the map. */
const rounded = ([x, y]: Point): Point => [toCentimetre(x), toCentimetre(y)];

/** The road of the first of the nearest lanes: every segment of every lane is looked at. */
function searched({ lanes, roads }: City, point: Point): Road | undefined {
  const distances = lanes.map(({ road, polyline }) =>
    road < 0 ? Number.POSITIVE_INFINITY : distanceToPath(point, polyline),
  );
  const lane = lanes[distances.indexOf(Math.min(...distances))];
  return roads[lane?.road ?? -1];
}

describe('The nearest road', () => {
  test.each(CITIES)('of $name is the one that a search of all lanes finds', ({ name, seed }) => {
    const built = cityOf(name, seed);
    const lanes = built.lanes.map((lane) => ({ ...lane, polyline: lane.polyline.map(rounded) }));
    const city = { ...built, lanes };
    const { minX, minY, maxX, maxY } = city.bounds;
    const dice = new Dice(seed);
    const between = (min: number, max: number) =>
      min - OUTSIDE_M + dice.below((max - min + 2 * OUTSIDE_M) * 1000) / 1000;
    const points = Array.from(
      { length: POINTS },
      (): Point => [between(minX, maxX), between(minY, maxY)],
    );
    const wrong = points.filter((point) => nearestRoad(built, ...point) !== searched(city, point));
    expect(wrong).toEqual([]);
  });

  test('in the middle between two is the first of them', () => {
    const lane = (road: number, y: number): Lane => ({
      id: `l${road}`,
      road,
      junction: -1,
      widthM: 3.5,
      speedLimitMps: 10,
      polyline: [0, 100].map((x): Point => [x, y]),
      next: [],
    });
    const [first] = CITIES;
    if (first === undefined) throw new Error('the catalogue is empty');
    const city = cityOf(first.name, first.seed);
    const two = { ...city, lanes: [lane(1, 0), lane(0, 10), lane(-1, 5)] };
    expect(nearestRoad(two, 50, 5)).toBe(city.roads[1]);
    expect(nearestRoad(two, 50, 5.1)).toBe(city.roads[0]);
    expect(nearestRoad(two, -400, 4)).toBe(city.roads[1]);
  });
});
