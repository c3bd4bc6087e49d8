import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { add, at, cross, distance, distanceToPath, dot, lengthOf } from '../../city/geometry.ts';
import type { City, Connector, Lane, Point } from '../../city/types.ts';
import { cityOf, grid } from '../../testing/rigs/cities.ts';
import { curvatureAt } from '../../testing/rigs/paths.ts';
import {
  areaOf,
  distanceToPolygon,
  endDirection,
  intersectConvex,
  rightOf,
  startDirection,
} from '../geometry.ts';
import { cornersOf } from '../hazards/paths.ts';

const CAR_LENGTH_M = 4.6;
const CAR_WIDTH_M = 1.85;

const { seed: CATALOGUE_SEED } = at(CITIES, 0);

const connectorsOf = (city: City, junction: number): (Lane & { connector: Connector })[] =>
  city.lanes.filter(
    (lane): lane is Lane & { connector: Connector } =>
      lane.junction === junction && lane.connector !== undefined,
  );

describe.each([CATALOGUE_SEED, 1, 2])('In the grid of seed %i', (seed) => {
  const city = cityOf('grid', seed);

  test('a lane belongs either to a road or, as a connector, to a junction.', () => {
    for (const [index, lane] of city.lanes.entries()) {
      const isOfRoad = lane.road >= 0;
      expect(lane.junction < 0).toBe(isOfRoad);
      expect(lane.connector === undefined).toBe(isOfRoad);
      if (isOfRoad) expect(at(city.roads, lane.road).lanes).toContain(index);
    }
  });

  test('traffic keeps to the right of the centre line.', () => {
    for (const lane of city.lanes.filter(({ road }) => road >= 0)) {
      const { centerline } = at(city.roads, lane.road);
      const start = at(lane.polyline, 0);
      const aside = add(start, rightOf(startDirection(lane.polyline)), 0.5);
      expect(distanceToPath(aside, centerline)).toBeGreaterThan(distanceToPath(start, centerline));
    }
  });

  test('a connector has the geometry of its turn and the lower limit of its two roads.', () => {
    for (const { connector, speedLimitMps } of city.lanes) {
      if (!connector) continue;
      const from = at(city.lanes, connector.from);
      const to = at(city.lanes, connector.to);
      const sine = cross(endDirection(from.polyline), startDirection(to.polyline));
      expect(sine).toBeCloseTo({ left: 1, straight: 0, right: -1 }[connector.turn], 9);
      expect(speedLimitMps).toBe(Math.min(from.speedLimitMps, to.speedLimitMps));
    }
  });

  test('right turns have a radius of at least 7 m and left turns a greater one.', () => {
    for (const { polyline, connector } of city.lanes) {
      if (!connector || connector.turn === 'straight') continue;
      expect(tightestRadius(polyline)).toBeGreaterThan(connector.turn === 'right' ? 7 : 9.5);
    }
  });

  test('conflicts are mutual and name connectors of the same junction.', () => {
    for (const [index, { junction, connector }] of city.lanes.entries()) {
      for (const other of connector?.conflicts ?? []) {
        const lane = at(city.lanes, other);
        expect(other).not.toBe(index);
        expect(lane.junction).toBe(junction);
        expect(lane.connector?.conflicts).toContain(index);
      }
    }
  });

  test('connectors into one lane conflict, connectors out of one lane do not.', () => {
    for (const junction of city.junctions.keys()) {
      const connectors = connectorsOf(city, junction);
      for (const a of connectors) {
        for (const b of connectors) {
          if (a === b) continue;
          const conflicts = a.connector.conflicts.includes(city.lanes.indexOf(b));
          if (a.connector.from === b.connector.from) expect(conflicts).toBe(false);
          else if (a.connector.to === b.connector.to) expect(conflicts).toBe(true);
        }
      }
    }
  });

  test('two cars on connectors without conflict never touch.', () => {
    for (const [junction, { control }] of city.junctions.entries()) {
      if (control !== 'signals' && control !== 'stop') continue;
      const connectors = connectorsOf(city, junction);
      for (const [i, a] of connectors.entries()) {
        for (const b of connectors.slice(i + 1)) {
          const indexOfB = city.lanes.indexOf(b);
          if (a.connector.from === b.connector.from) continue;
          if (a.connector.conflicts.includes(indexOfB)) continue;
          expect(clearance(carsAlong(a.polyline), carsAlong(b.polyline))).toBeGreaterThan(0.8);
        }
      }
    }
  });

  test('a car that waits at its stop line has 0.8 m to any car on a connector.', () => {
    for (const junction of city.junctions.keys()) {
      const connectors = connectorsOf(city, junction);
      const approaches = new Set(connectors.map(({ connector }) => connector.from));
      for (const approach of approaches) {
        const waiting = waitingCar(at(city.lanes, approach).polyline);
        for (const { polyline, connector } of connectors) {
          if (connector.from === approach) continue;
          expect(clearance([waiting], carsAlong(polyline))).toBeGreaterThanOrEqual(0.8);
        }
      }
    }
  });

  test('the outline of a junction covers all of its connectors.', () => {
    for (const [junction, { polygon }] of city.junctions.entries()) {
      expect(areaOf(polygon)).toBeGreaterThan(0);
      for (const point of connectorsOf(city, junction).flatMap(({ polyline }) => polyline)) {
        expect(distanceToPolygon(point, polygon)).toBeLessThan(1e-6);
      }
    }
  });
});

describe('At a crossing of the arterial with signals', () => {
  const city = grid;
  const junction = city.junctions.findIndex((_, index) => {
    const approaches = new Set(connectorsOf(city, index).map(({ connector }) => connector.from));
    const classes = [...approaches].map((lane) => at(city.roads, at(city.lanes, lane).road).class);
    const countOf = (roadClass: string) => classes.filter((one) => one === roadClass).length;
    const { control } = at(city.junctions, index);
    return control === 'signals' && countOf('arterial') === 4 && classes.length === 6;
  });
  const connectors = connectorsOf(city, junction);
  /** The connector from the `fromRight`-th lane of traffic that heads `east`, `north` … */
  const find = (heading: Point, turn: Connector['turn'], fromRight = 0): Lane => {
    const fitting = connectors.filter(
      ({ polyline, connector }) =>
        connector.turn === turn && dot(startDirection(polyline), heading) > 0.9,
    );
    const sorted = fitting.sort((a, b) => aside(b, heading) - aside(a, heading));
    return at(sorted, fromRight);
  };
  const aside = (lane: Lane, heading: Point): number => dot(at(lane.polyline, 0), rightOf(heading));
  const conflict = (a: Lane, b: Lane): boolean =>
    a.connector?.conflicts.includes(city.lanes.indexOf(b)) === true;
  const east: Point = [1, 0];
  const west: Point = [-1, 0];
  const north: Point = [0, 1];
  const south: Point = [0, -1];

  test('every movement has its connector.', () => {
    expect(at(city.junctions, junction).control).toBe('signals');
    expect(connectors).toHaveLength(14);
  });

  test('crossing traffic conflicts, oncoming straight traffic does not.', () => {
    expect(conflict(find(east, 'straight'), find(north, 'straight'))).toBe(true);
    expect(conflict(find(east, 'straight', 1), find(south, 'straight'))).toBe(true);
    expect(conflict(find(east, 'straight'), find(west, 'straight'))).toBe(false);
    expect(conflict(find(north, 'straight'), find(south, 'straight'))).toBe(false);
    expect(conflict(find(east, 'straight'), find(east, 'straight', 1))).toBe(false);
  });

  test('a left turn conflicts with both lanes of oncoming traffic, not with its left turn.', () => {
    expect(conflict(find(east, 'left'), find(west, 'straight'))).toBe(true);
    expect(conflict(find(east, 'left'), find(west, 'straight', 1))).toBe(true);
    expect(conflict(find(east, 'left'), find(west, 'left'))).toBe(false);
  });

  test('a right turn conflicts only with connectors into its lane.', () => {
    const turn = find(north, 'right');
    expect(turn.connector?.conflicts.map((other) => at(city.lanes, other))).toEqual([
      find(east, 'straight'),
    ]);
  });

  test('left turns start from the left lane and right turns from the right one.', () => {
    const left = find(east, 'left').connector?.from;
    const right = find(east, 'right').connector?.from;
    expect(left).toBe(find(east, 'straight', 1).connector?.from);
    expect(right).toBe(find(east, 'straight', 0).connector?.from);
  });

  test('a left turn gives way to all oncoming traffic, and no other turn gives way.', () => {
    const yieldsOf = (lane: Lane): Lane[] =>
      lane.connector?.yieldsTo.map((other) => at(city.lanes, other)) ?? [];
    expect(new Set(yieldsOf(find(east, 'left')))).toEqual(
      new Set([find(west, 'straight'), find(west, 'straight', 1), find(west, 'right')]),
    );
    for (const lane of connectors.filter(({ connector }) => connector.turn !== 'left')) {
      expect(yieldsOf(lane)).toEqual([]);
    }
  });
});

describe('Away from the arterial', () => {
  const city = grid;
  const classOf = (lane: number): string => at(city.roads, at(city.lanes, lane).road).class;

  test('the local street gives way to every connector of the collector that it conflicts with.', () => {
    /** Where a street becomes another class of road. */
    const changes = new Set(
      city.lanes.flatMap(({ connector, junction }) =>
        connector?.turn === 'straight' && classOf(connector.from) !== classOf(connector.to)
          ? [junction]
          : [],
      ),
    );
    for (const { connector, junction } of city.lanes) {
      if (!connector || at(city.junctions, junction).control !== 'priority') continue;
      if (changes.has(junction)) continue;
      for (const other of connector.conflicts) {
        const theirs = at(city.lanes, other).connector;
        const classes = new Set([classOf(connector.from), classOf(theirs?.from ?? -1)]);
        if (classes.size === 1 || classes.has('arterial')) continue;
        expect(connector.yieldsTo.includes(other)).toBe(classOf(connector.from) === 'local');
        expect(
          theirs?.yieldsTo.includes(city.lanes.findIndex((one) => one.connector === connector)),
        ).toBe(classOf(connector.from) === 'collector');
      }
    }
  });

  test('only the side streets of stop junctions have stop signs.', () => {
    for (const [index, { control }] of city.junctions.entries()) {
      const own = connectorsOf(city, index);
      const stops = own.filter(({ connector }) => connector.mustStop);
      expect(stops.length > 0).toBe(control === 'stop');
      for (const { connector } of stops) {
        const crossed = connector.conflicts.filter(
          (other) => !at(city.lanes, other).connector?.mustStop,
        );
        expect(connector.yieldsTo).toEqual(expect.arrayContaining(crossed));
      }
    }
  });
});

const tightestRadius = (path: readonly Point[]): number =>
  1 / Math.max(...path.slice(1, -1).map((_, i) => Math.abs(curvatureAt(path, i + 1))));

interface Car {
  centre: Point;
  corners: Point[];
}

const carAt = (centre: Point, along: Point): Car => ({
  centre,
  corners: cornersOf({
    x: centre[0],
    y: centre[1],
    heading: along,
    lengthM: CAR_LENGTH_M,
    widthM: CAR_WIDTH_M,
  }),
});

const waitingCar = (path: readonly Point[]): Car =>
  carAt(add(at(path, -1), endDirection(path), -CAR_LENGTH_M / 2), endDirection(path));

/** Cars with their centre on the path, at most 0.75 m apart. */
function carsAlong(path: readonly Point[]): Car[] {
  return path.slice(1).flatMap((to, i) => {
    const from = at(path, i);
    const along = startDirection([from, to]);
    const pieces = Math.ceil(lengthOf([from, to]) / 0.75);
    return Array.from({ length: pieces + 1 }, (_, k) =>
      carAt(add(from, along, (lengthOf([from, to]) * k) / pieces), along),
    );
  });
}

/** The least distance between cars of the two lists, at most 3 m. */
function clearance(some: readonly Car[], others: readonly Car[]): number {
  let nearestM = 3;
  for (const a of some) {
    for (const b of others) {
      if (distance(a.centre, b.centre) > CAR_LENGTH_M + CAR_WIDTH_M / 2 + nearestM) continue;
      if (intersectConvex(a.corners, b.corners).length > 0) return 0;
      for (const corner of a.corners)
        nearestM = Math.min(nearestM, distanceToPolygon(corner, b.corners));
      for (const corner of b.corners)
        nearestM = Math.min(nearestM, distanceToPolygon(corner, a.corners));
    }
  }
  return nearestM;
}
