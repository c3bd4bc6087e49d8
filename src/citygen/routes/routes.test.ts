import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { at, lengthOf } from '../../city/geometry.ts';
import type { City, HazardSpot, Lane, Route } from '../../city/types.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { roadLane } from '../../testing/rigs/paths.ts';
import type { FeatureName } from '../../twin/catalogue.ts';
import { FAILS_WITHOUT } from '../../twin/spot-features.ts';
import { covers, pointAlong } from '../geometry.ts';
import { RandomStream } from '../random-stream.ts';
import { planRoutes } from './routes.ts';

const planned = [...CITIES, ...CITIES.map(({ name }) => ({ name, seed: 1 }))];

describe.each(planned)('The routes through $name of seed $seed', ({ name, seed }) => {
  const city = cityOf(name, seed);
  const { routes, lanes } = city;

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

  test('[W28] are between 0.8 and 1.3 km long, and not all alike.', () => {
    const lengthsM = routes.map((route) => lengthOfRoute(city, route));
    expect(Math.min(...lengthsM)).toBeGreaterThanOrEqual(800);
    expect(Math.max(...lengthsM)).toBeLessThanOrEqual(1300);
    expect(new Set(lengthsM).size).toBeGreaterThanOrEqual(2);
  });

  test('begin on lanes of roads that have 30 m for each of these cars, at least 60 m long.', () => {
    const firsts = routes.map((route) => at(route, 0));
    for (const first of firsts) {
      const lengthM = lengthOf(at(lanes, first).polyline);
      expect(at(lanes, first).road).toBeGreaterThanOrEqual(0);
      expect(lengthM).toBeGreaterThanOrEqual(60);
      expect(30 * firsts.filter((other) => other === first).length).toBeLessThanOrEqual(lengthM);
    }
  });

  test('[W39] each pass a light and a spot at which each of these features is needed.', () => {
    const needed: readonly FeatureName[] = [
      'aeb',
      'animal_detection',
      'front_radar',
      'evasive_steering',
      'esc',
      'intersection_assist',
    ];
    for (const route of routes) {
      const passed = city.hazards.filter(({ site }) =>
        site.lanes.every((lane) => route.includes(lane)),
      );
      const features = passed.flatMap(({ kind }) => FAILS_WITHOUT[kind]);
      for (const feature of needed) expect(features).toContain(feature);
      expect(city.lights.some((light) => light.lanes.some((lane) => route.includes(lane)))).toBe(
        true,
      );
    }
  });
});

/** Metres driven in three minutes at a mean of 24 km/h. */
const DRIVEN_M = (24 / 3.6) * 180;
/** Routes that are equal to one another. */
const EQUAL_MAX = 8;
const STARTS = 400;

describe.each(CITIES)(
  'Within three minutes from anywhere on the routes of $name',
  ({ name, seed }) => {
    const city = cityOf(name, seed);

    test('[W28] the routes pass every zone and every hazard spot.', () => {
      const points = [...new Set(city.routes.flat())].flatMap((lane) => {
        const { polyline } = at(city.lanes, lane);
        const steps = Math.ceil(lengthOf(polyline) / 2);
        return Array.from({ length: steps }, (_, i) => pointAlong(polyline, i * 2));
      });
      for (const { polygon } of city.zones) {
        expect(points.some((point) => covers(polygon, point))).toBe(true);
      }
      for (const { site } of city.hazards) {
        expect(city.routes.some((route) => site.lanes.every((lane) => route.includes(lane)))).toBe(
          true,
        );
      }
    });

    test('no lane is on more than twelve routes, and some routes differ.', () => {
      for (const lane of new Set(city.routes.flat())) {
        const users = city.routes.filter((route) => route.includes(lane));
        expect(users.length).toBeLessThanOrEqual(12);
      }
      const alike = Map.groupBy(city.routes, (route) => route.toSorted((a, b) => a - b).join());
      for (const equal of alike.values()) expect(equal.length).toBeLessThanOrEqual(EQUAL_MAX);
    });

    test('four cars pass each hazard spot in three minutes, from 95 % of starts or more.', () => {
      const random = new RandomStream(1, 1);
      const rareStarts = city.hazards.map(() => 0);
      const loopsM = city.routes.map((route) => lengthOfRoute(city, route));
      const spots = city.hazards.map((spot) =>
        city.routes.map((route) => conflictOn(city, route, spot)),
      );
      for (let i = 0; i < STARTS; i++) {
        const starts = city.routes.map((route) => startOn(city, route, random));
        for (const [index, conflicts] of spots.entries()) {
          const passing = conflicts.filter((conflictM, car) => {
            const loopM = at(loopsM, car);
            return (conflictM - at(starts, car) + loopM) % loopM <= DRIVEN_M;
          });
          if (passing.length < 4) rareStarts[index] = at(rareStarts, index) + 1;
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

/** From the beginning of a route to the conflict point of a spot, or NaN where it does not pass it. */
function conflictOn(city: City, route: Route, { site }: HazardSpot): number {
  const position = route.indexOf(at(site.lanes, -1));
  if (position < 0 || !site.lanes.every((lane) => route.includes(lane))) return Number.NaN;
  return lengthOfRoute(city, route.slice(0, position)) + site.stationM;
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
  expect(() => planRoutes(network, [], 1200, new RandomStream(1, 1))).toThrow(
    'no loops of the wanted length past all stakes',
  );
});
