import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { at, lengthOf } from '../../city/geometry.ts';
import type { City, HazardSpot, Lane, Route } from '../../city/types.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { roadLane } from '../../testing/rigs/paths.ts';
import { covers, pointAlong } from '../geometry.ts';
import { RandomStream } from '../random-stream.ts';
import { planRoutes } from './routes.ts';

const planned = [...CITIES, ...CITIES.map(({ name }) => ({ name, seed: 1 }))];

describe.each(planned)('The routes through $name of seed $seed', ({ name, seed }) => {
  const city = cityOf(name, seed);
  const { routes, lanes } = city;
  const used = new Set(routes.flat());

  test('[W28] are twenty closed loops in which each lane leads to the following one.', () => {
    expect(routes).toHaveLength(20);
    for (const route of routes) {
      for (const [i, lane] of route.entries()) {
        expect(at(lanes, lane).next).toContain(at(route, (i + 1) % route.length));
      }
    }
  });

  test('use no lane twice.', () => {
    for (const route of routes) expect(new Set(route).size).toBe(route.length);
  });

  test('[W28] are between 0.8 and 2.5 km long, and not all alike.', () => {
    const lengthsM = routes.map((route) => lengthOfRoute(city, route));
    expect(Math.min(...lengthsM)).toBeGreaterThanOrEqual(800);
    expect(Math.max(...lengthsM)).toBeLessThanOrEqual(2500);
    expect(new Set(lengthsM).size).toBeGreaterThanOrEqual(8);
  });

  test('begin on twenty different lanes of roads, each at least 60 m long.', () => {
    const firsts = routes.map((route) => at(route, 0));
    expect(new Set(firsts).size).toBe(20);
    for (const first of firsts) {
      expect(at(lanes, first).road).toBeGreaterThanOrEqual(0);
      expect(lengthOf(at(lanes, first).polyline)).toBeGreaterThanOrEqual(60);
    }
  });

  test('pass every light and nearly every road.', () => {
    for (const light of city.lights) {
      expect(light.lanes.some((lane) => used.has(lane))).toBe(true);
    }
    const driven = city.roads.filter((road) => road.lanes.some((lane) => used.has(lane)));
    expect(driven.length).toBeGreaterThanOrEqual(city.roads.length - 2);
  });

  test('[W28] pass every zone and every hazard spot.', () => {
    const points = [...used].flatMap((lane) => {
      const { polyline } = at(lanes, lane);
      const steps = Math.ceil(lengthOf(polyline) / 2);
      return Array.from({ length: steps }, (_, i) => pointAlong(polyline, i * 2));
    });
    for (const { polygon } of city.zones) {
      expect(points.some((point) => covers(polygon, point))).toBe(true);
    }
    for (const { site } of city.hazards) {
      expect(routes.some((route) => site.lanes.every((lane) => route.includes(lane)))).toBe(true);
    }
  });
});

/** Metres driven in three minutes at a mean of 24 km/h. */
const DRIVEN_M = (24 / 3.6) * 180;
const STARTS = 400;

describe.each(CITIES)(
  'Within three minutes from anywhere on the routes of $name',
  ({ name, seed }) => {
    const city = cityOf(name, seed);

    test('no lane is on more than fourteen routes.', () => {
      for (const lane of new Set(city.routes.flat())) {
        const users = city.routes.filter((route) => route.includes(lane));
        expect(users.length).toBeLessThanOrEqual(14);
      }
    });

    test('five cars pass each hazard spot in three minutes, from 95 % of starts or more.', () => {
      const random = new RandomStream(1, 1);
      const rareStarts = city.hazards.map(() => 0);
      for (let i = 0; i < STARTS; i++) {
        const starts = city.routes.map((route) => startOn(city, route, random));
        for (const [index, spot] of city.hazards.entries()) {
          const passing = city.routes.filter((route, car) => {
            const aheadM = distanceAhead(city, route, at(starts, car), spot);
            return aheadM <= DRIVEN_M;
          });
          if (passing.length < 5) rareStarts[index] = at(rareStarts, index) + 1;
        }
      }
      for (const [index, count] of rareStarts.entries()) {
        expect(count, at(city.hazards, index).kind).toBeLessThanOrEqual(STARTS * 0.05);
      }
    });
  },
);

const lengthOfRoute = ({ lanes }: City, route: Route): number =>
  route.reduce((sum, lane) => sum + lengthOf(at(lanes, lane).polyline), 0);

/** Metres from the route's beginning: anywhere on one of its lanes, each as likely. */
function startOn({ lanes }: City, route: Route, random: RandomStream): number {
  const position = random.between(0, route.length - 1);
  const before = route.slice(0, position).map((lane) => lengthOf(at(lanes, lane).polyline));
  const partM = (lengthOf(at(lanes, at(route, position)).polyline) * random.between(0, 99)) / 100;
  return before.reduce((sum, lengthM) => sum + lengthM, 0) + partM;
}

/** From a start to the conflict point of a spot, or infinite where the route does not pass it. */
function distanceAhead(city: City, route: Route, startM: number, { site }: HazardSpot): number {
  const position = route.indexOf(at(site.lanes, -1));
  if (position < 0 || !site.lanes.every((lane) => route.includes(lane))) {
    return Number.POSITIVE_INFINITY;
  }
  const conflictM = lengthOfRoute(city, route.slice(0, position)) + site.stationM;
  const loopM = lengthOfRoute(city, route);
  return (conflictM - startM + loopM) % loopM;
}

test('A network without loops of the wanted length has no routes.', () => {
  const ring = (road: number, next: number): Lane =>
    roadLane(
      [
        [0, 0],
        [100, 0],
      ],
      { road, next: [next] },
    );
  const lanes = [ring(0, 1), ring(1, 0)];
  const network = { roads: [], lanes, junctions: [], lights: [] };
  expect(() => planRoutes(network, [], new RandomStream(1, 1))).toThrow(
    'no loops of the wanted length',
  );
});
