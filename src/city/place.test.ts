import { describe, expect, test } from 'vitest';
import { cityOf } from '../testing/rigs/cities.ts';
import { CITIES } from './catalogue.ts';
import { add, distance, dot, subtract } from './geometry.ts';
import { nearestRoad } from './place.ts';
import type { City, Lane, Point, Road } from './types.ts';

const STEP_M = 23;

/** How far the nearest lane of each road is: every segment of every lane is looked at. */
function distances({ lanes, roads }: City, x: number, y: number): Map<Road, number> {
  const found = new Map<Road, number>();
  for (const { road: index, polyline } of lanes) {
    const road = roads[index];
    if (road === undefined) continue;
    for (const [i, to] of polyline.entries()) {
      const from = polyline[Math.max(0, i - 1)] ?? to;
      const [along, way] = [subtract(to, from), subtract([x, y], from)];
      const share = Math.min(1, Math.max(0, dot(way, along) / (dot(along, along) || 1)));
      const awayM = distance(add(from, along, share), [x, y]);
      if (awayM < (found.get(road) ?? Number.POSITIVE_INFINITY)) found.set(road, awayM);
    }
  }
  return found;
}

describe('The nearest road', () => {
  test.each(CITIES)('of $name is none that another is nearer than', ({ name, seed }) => {
    const city = cityOf(name, seed);
    const { minX, minY, maxX, maxY } = city.bounds;
    for (let i = 0; i < 10; i++) {
      const x = minX + ((i * STEP_M * 7) % (maxX - minX));
      const y = minY + ((i * STEP_M * 11) % (maxY - minY));
      const all = distances(city, x, y);
      const own = all.get(nearestRoad(city, x, y)) ?? Number.NaN;
      expect(own - Math.min(...all.values())).toBeLessThan(1e-9);
    }
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
