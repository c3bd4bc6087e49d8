import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import {
  add,
  at,
  direction,
  distance,
  distanceToPath,
  dot,
  lengthOf,
  subtract,
} from '../../city/geometry.ts';
import type { Body, City, HazardKind, HazardSpot, Lane, Point } from '../../city/types.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { endDirection, pointAlong, rightOf } from '../geometry.ts';
import { HAZARD_KINDS } from './kinds.ts';
import { cornersOf, endsOf } from './paths.ts';

const BOUNDARY_STEP_M = 0.2;

/** Points along the four sides of a body. */
function boundaryOf(body: Body): Point[] {
  const corners = cornersOf(body);
  return corners.flatMap((from, i) => {
    const to = at(corners, (i + 1) % 4);
    const count = Math.ceil(distance(from, to) / BOUNDARY_STEP_M);
    return Array.from({ length: count }, (_, k) => add(from, subtract(to, from), k / count));
  });
}

/** From the body's boundary to the nearest lane's centre line, less half of that lane. */
function roomBeside(city: City, body: Body, except: readonly number[] = []): number {
  const near = city.lanes.filter(
    ({ polyline }, index) =>
      !except.includes(index) && distanceToPath([body.x, body.y], polyline) < body.lengthM + 4,
  );
  const boundary = boundaryOf(body);
  return Math.min(
    ...near.flatMap(({ polyline, widthM }) =>
      boundary.map((point) => distanceToPath(point, polyline) - widthM / 2),
    ),
  );
}

describe.each(CITIES)('The hazard spots of $name', ({ name, seed }) => {
  const city = cityOf(name, seed);
  const laneOf = (spot: HazardSpot): Lane => at(city.lanes, at(spot.site.lanes, 0));
  const spotsOf = (...kinds: HazardKind[]) =>
    city.hazards.filter(({ kind }) => kinds.includes(kind));

  test('have numbered ids and the description of their kind.', () => {
    expect(city.hazards.map(({ id }) => id)).toEqual(city.hazards.map((_, i) => `h${i + 1}`));
    for (const { kind, radiusM, description } of city.hazards) {
      expect(HAZARD_KINDS[kind]).toMatchObject({ radiusM, description });
    }
  });

  test('lie on the last of their lanes, and the first of these belongs to their road.', () => {
    for (const { x, y, road, site } of city.hazards) {
      expect(at(city.roads, road).lanes).toContain(site.lanes[0]);
      for (const [i, lane] of site.lanes.slice(1).entries()) {
        expect(at(city.lanes, at(site.lanes, i)).next).toContain(lane);
      }
      const { polyline } = at(city.lanes, at(site.lanes, -1));
      expect(site.stationM).toBeGreaterThan(0);
      expect(site.stationM).toBeLessThan(lengthOf(polyline));
      expect(distance([x, y], pointAlong(polyline, site.stationM))).toBeLessThan(1e-6);
    }
  });

  test('keep 60 m from one another.', () => {
    for (const [i, a] of city.hazards.entries()) {
      for (const b of city.hazards.slice(i + 1)) {
        expect(distance([a.x, a.y], [b.x, b.y])).toBeGreaterThanOrEqual(60);
      }
    }
  });

  test('have actors that pass the conflict point at their station.', () => {
    const still = ['ice_bend', 'sharp_bend'];
    for (const { kind, x, y, site } of city.hazards) {
      expect(site.actorPath.length > 1).toBe(!still.includes(kind));
      // One breaks down there, one rolls beside it.
      if (site.actorPath.length === 0 || site.actorStationM === 0) continue;
      const there = pointAlong(site.actorPath, site.actorStationM);
      // A vehicle that stops there is still moving into the lane.
      expect(distance([x, y], there)).toBeLessThan(kind === 'sudden_stop' ? 0.15 : 0.05);
    }
  });

  test('have no permanent body in a lane.', () => {
    for (const { site } of city.hazards) {
      for (const body of site.bodies) {
        expect(roomBeside(city, body)).toBeGreaterThan(-0.1 - 1e-9);
        expect(Math.hypot(...body.heading)).toBeCloseTo(1, 12);
      }
    }
  });

  test('have moving bodies that wait at the start of their path, vans beside the lane.', () => {
    for (const { site } of spotsOf('red_light_lorry', 'tram_crossing', 'blind_stall', 'cut_in')) {
      const [body] = site.active;
      expect(body && distance([body.x, body.y], at(site.actorPath, 0))).toBeLessThan(1e-6);
    }
    for (const { site } of spotsOf('cut_in')) {
      expect(roomBeside(city, at(site.active, 0))).toBeGreaterThan(-0.1);
    }
  });

  test('where people and animals cross lie on straight roads of 50 km/h.', () => {
    const crossed = spotsOf('parked_row_child', 'deer_crossing', 'dark_zebra');
    expect(crossed.length).toBeGreaterThanOrEqual(2);
    for (const spot of crossed) {
      const { polyline, speedLimitMps } = laneOf(spot);
      expect(speedLimitMps).toBeCloseTo(50 / 3.6, 9);
      const along = (backM: number) =>
        direction(
          pointAlong(polyline, spot.site.stationM - backM - 1),
          pointAlong(polyline, spot.site.stationM - backM),
        );
      expect(spot.site.stationM).toBeGreaterThan(39.9);
      expect(dot(along(0), along(38))).toBeGreaterThan(0.998);
      const [from, to] = spot.site.actorPath;
      if (!from || !to) throw new Error('nobody crosses');
      expect(Math.abs(dot(direction(from, to), along(0)))).toBeLessThan(0.02);
    }
  });

  test('have a child that runs out 1 m ahead of cars parked 1 m beside passing cars.', () => {
    for (const { x, y, site } of spotsOf('parked_row_child')) {
      expect(site.bodies).toHaveLength(4);
      const front = at(site.bodies, 0);
      const away = subtract([front.x, front.y], [x, y]);
      expect(dot(away, front.heading) + front.lengthM / 2).toBeCloseTo(-1, 9);
      expect(dot(away, rightOf(front.heading)) - front.widthM / 2).toBeCloseTo(1.8 / 2 + 1, 9);
      expect(site.actorStationM).toBeCloseTo(4, 9);
    }
  });

  test('have deer behind a hedge that stands 5.5 m beside the lane, before a park.', () => {
    const parks = city.blocks.filter(({ kind }) => kind === 'park');
    expect(spotsOf('deer_crossing')).toHaveLength(2);
    for (const deer of spotsOf('deer_crossing')) {
      const [hedge] = deer.site.bodies;
      expect(hedge && roomBeside(city, hedge)).toBeCloseTo(5.5, 1);
      const start = at(deer.site.actorPath, 0);
      const nearestM = parks.map(({ polygon }) =>
        distanceToPath(start, [...polygon, at(polygon, 0)]),
      );
      expect(Math.min(...nearestM)).toBeLessThan(12);
      expect(distance(start, [deer.x, deer.y])).toBeCloseTo(laneOf(deer).widthM / 2 + 7, 9);
    }
  });

  test('for fog and wet crests lie on roads of 50 km/h or more.', () => {
    expect(spotsOf('fog_stall')).toHaveLength(2);
    expect(spotsOf('wet_crest')).toHaveLength(2);
    for (const spot of spotsOf('fog_stall', 'wet_crest')) {
      expect(laneOf(spot).speedLimitMps).toBeGreaterThan(49 / 3.6);
    }
  });

  test('cover 0.7 m of a car in the middle of the lane behind a crest.', () => {
    for (const { x, y, site } of spotsOf('wet_crest')) {
      const { end } = endsOf(site.actorPath, at(site.active, 0));
      const toLeft = end.heading;
      const away = subtract([end.x, end.y], [x, y]);
      const leftEdgeM = -dot(away, toLeft) - end.lengthM / 2;
      expect(1.8 / 2 - leftEdgeM).toBeCloseTo(0.7, 9);
    }
  });

  test('for bends lie where the road turns by 50° or more.', () => {
    expect(spotsOf('ice_bend')).toHaveLength(2);
    for (const { site } of spotsOf('ice_bend', 'sharp_bend')) {
      const lane = at(city.lanes, at(site.lanes, -1));
      const from = pointAlong(lane.polyline, Math.max(0, site.stationM - 30));
      const apex = pointAlong(lane.polyline, site.stationM);
      const to = pointAlong(lane.polyline, Math.min(lengthOf(lane.polyline), site.stationM + 30));
      expect(dot(direction(from, apex), direction(apex, to))).toBeLessThan(0.91);
    }
  });

  test('for red lights lie where crossing traffic has green at another time.', () => {
    const [spot] = spotsOf('red_light_lorry');
    const own = city.lights.find(({ lanes }) => lanes.includes(spot?.site.lanes[0] ?? -1));
    const crossing = city.lights.filter(
      ({ junction, greenFromTick }) =>
        junction === own?.junction && greenFromTick !== own?.greenFromTick,
    );
    expect(crossing.length).toBeGreaterThan(0);
  });

  test('for crossings lie where the crosser has right of way.', () => {
    for (const { site } of spotsOf('blind_crossing', 'tram_crossing')) {
      const own = at(city.lanes, at(site.lanes, -1));
      expect(own.connector).toMatchObject({ light: -1, mustStop: false, turn: 'straight' });
      const yieldsTo = own.connector?.yieldsTo ?? [];
      const crosser = yieldsTo
        .map((lane) => at(city.lanes, lane).polyline)
        .find((polyline) =>
          [0.25, 0.5, 0.75].every((part) => {
            const point = pointAlong(polyline, lengthOf(polyline) * part);
            return distanceToPath(point, site.actorPath) < 0.05;
          }),
        );
      expect(crosser).toBeDefined();
    }
  });

  test('for stop lines lie behind a stop sign, downhill.', () => {
    for (const { site } of spotsOf('downhill_stop')) {
      expect(at(city.lanes, at(site.lanes, -1)).connector?.mustStop).toBe(true);
      expect(site.grade).toBe(-0.06);
    }
  });

  test('for left turns have the van face the turning traffic.', () => {
    for (const { site } of spotsOf('left_turn_oncoming')) {
      const along = endDirection(at(city.lanes, at(site.lanes, 0)).polyline);
      const van = at(site.active, 1);
      expect(dot(van.heading, along)).toBeLessThan(-0.9);
      expect(distanceToPath([van.x, van.y], site.actorPath)).toBeGreaterThan(2.5);
    }
  });
});
