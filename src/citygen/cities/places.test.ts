import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { at, cross, distance, distanceToPath, dot, subtract } from '../../city/geometry.ts';
import type { City, Connector, Lane, Point } from '../../city/types.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { areNear, curvatureAt } from '../../testing/rigs/paths.ts';
import { covers, outlineOf, pointAlong, rightOf, startDirection } from '../geometry.ts';
import { beside, frameAt } from '../hazards/paths.ts';

const FAST_MPS = 50 / 3.6;
const FASTER_MPS = 60 / 3.6;

/** A lane's point, the way to it and how the lane bends there. */
interface Station {
  stationM: number;
  point: Point;
  /** 1/m of the circle through the point and its neighbours, left positive. */
  curvature: number;
}

function stationsOf({ polyline }: Lane): Station[] {
  let stationM = 0;
  return polyline.map((point, i) => {
    const [before, after] = [polyline[i - 1], polyline[i + 1]];
    if (before) stationM += distance(before, point);
    const curvature = before && after ? curvatureAt(polyline, i) : 0;
    return { stationM, point, curvature };
  });
}

/** The longest pieces of the lane on which every curvature suits, as from and to stations. */
function runs(lane: Lane, suits: (curvature: number) => boolean): [fromM: number, toM: number][] {
  const found: [number, number][] = [];
  const stations = stationsOf(lane);
  for (const [i, { stationM, curvature }] of stations.entries()) {
    const before = stations[i - 1];
    const isInner = i > 0 && i < stations.length - 1;
    if (isInner && !suits(curvature)) continue;
    const last = found.at(-1);
    if (last && before && last[1] === before.stationM) last[1] = stationM;
    else found.push([stationM, stationM]);
  }
  return found;
}

const isStraight = (curvature: number): boolean => Math.abs(curvature) < 1e-4;

const longestM = (some: readonly (readonly [number, number])[]): number =>
  Math.max(0, ...some.map(([fromM, toM]) => toM - fromM));

type Turn = Lane & { connector: Connector };
const turnsOf = (city: City): Turn[] =>
  city.lanes.filter((lane): lane is Turn => lane.connector !== undefined);

const roadLanes = (city: City): Lane[] => city.lanes.filter(({ road }) => road >= 0);

const conflictsOf = (city: City, { connector }: Turn): Turn[] =>
  connector.conflicts
    .map((index) => at(city.lanes, index))
    .filter((lane): lane is Turn => 'connector' in lane);

/** Cosine between the directions in which two turns begin. */
const alike = (a: Lane, b: Lane): number =>
  dot(startDirection(a.polyline), startDirection(b.polyline));

describe.each(CITIES)('In $name', ({ name, seed }) => {
  const city = cityOf(name, seed);
  const walls = city.blocks.filter(({ solid }) => solid);

  test.each<
    [string, number, (own: Connector) => boolean, (o: Connector, cosine: number) => boolean]
  >([
    [
      'cross traffic goes straight over a junction with signals',
      4,
      ({ turn, light }) => turn === 'straight' && light >= 0,
      ({ turn }, cosine) => turn === 'straight' && Math.abs(cosine) < 0.5,
    ],
    [
      'left turns on green cross oncoming traffic',
      4,
      ({ turn, light }) => turn === 'left' && light >= 0,
      ({ turn }, cosine) => turn === 'straight' && cosine < -0.8,
    ],
    [
      'traffic that must stop has cross traffic before it',
      2,
      ({ turn, mustStop }) => turn === 'straight' && mustStop,
      ({ turn, mustStop }, cosine) => turn === 'straight' && !mustStop && Math.abs(cosine) < 0.5,
    ],
  ])('%s.', (_, least, isOwn, isOther) => {
    const found = turnsOf(city).filter(
      (turn) =>
        isOwn(turn.connector) &&
        conflictsOf(city, turn).some((other) => isOther(other.connector, alike(turn, other))),
    );
    expect(found.length).toBeGreaterThanOrEqual(least);
  });

  test('at least three roads allow 50 km/h or more and are straight for 120 m.', () => {
    const fast = roadLanes(city).filter(
      (lane) => lane.speedLimitMps >= FAST_MPS && longestM(runs(lane, isStraight)) >= 120,
    );
    expect(new Set(fast.map(({ road }) => road)).size).toBeGreaterThanOrEqual(3);
    const faster = fast.filter((lane) => lane.speedLimitMps >= FASTER_MPS);
    expect(faster.length > 0).toBe(name !== 'old-town');
  });

  test('the corner of a house hides crossing traffic at a junction without signals.', () => {
    const found = turnsOf(city).filter(({ connector, junction, polyline }) => {
      const { control, x, y } = at(city.junctions, junction);
      if (connector.turn !== 'straight' || control === 'signals') return false;
      const crossing = turnsOf(city).filter(
        (other) =>
          other.junction === junction &&
          other.connector.turn === 'straight' &&
          cross(startDirection(polyline), startDirection(other.polyline)) > 0.8,
      );
      const corners = walls.flatMap(({ polygon }) =>
        polygon.filter((corner) => distance(corner, [x, y]) < 18),
      );
      return crossing.some((other) =>
        corners.some(
          (corner) =>
            sideM(corner, polyline) > 4.5 &&
            sideM(corner, polyline) < 8 &&
            -sideM(corner, other.polyline) > 5 &&
            -sideM(corner, other.polyline) < 10,
        ),
      );
    });
    expect(found.length).toBeGreaterThanOrEqual(3);
  });

  test('a road bends by a right angle with a radius of 28 to 32 m for at least 25 m.', () => {
    const found = roadLanes(city).filter((lane) => {
      const arcs = runs(lane, (curvature) => {
        const radiusM = 1 / Math.abs(curvature);
        return radiusM > 28 && radiusM < 32;
      });
      return longestM(arcs) >= 25 && Math.abs(turnRad(lane)) > 1.4;
    });
    expect(new Set(found.map(({ road }) => road)).size).toBeGreaterThanOrEqual(1);
    expect(found.length).toBeGreaterThanOrEqual(2);
  });

  test('a sharp bend in front of a wall ends 100 m of straight road of 50 km/h.', () => {
    const found = roadLanes(city).filter((lane) => {
      if (lane.speedLimitMps < FAST_MPS) return false;
      const straights = runs(lane, isStraight).filter(([fromM, toM]) => toM - fromM >= 100);
      const arcs = runs(lane, (curvature) => {
        const radiusM = 1 / Math.abs(curvature);
        return radiusM > 22 && radiusM < 28;
      }).filter(([fromM, toM]) => toM - fromM >= 20);
      return arcs.some(([fromM, toM]) => {
        const isAfterStraight = straights.some(([, endM]) => endM < fromM && fromM - endM < 15);
        const point = pointAlong(lane.polyline, (fromM + toM) / 2);
        const nearestM = Math.min(
          ...walls.map((wall) => distanceToPath(point, outlineOf(wall.polygon))),
        );
        return isAfterStraight && nearestM < 1.5 * lane.widthM + 3;
      });
    });
    expect(found.length).toBeGreaterThanOrEqual(2);
  });

  test('a park lies along 80 m of straight road of 50 km/h.', () => {
    const parks = city.blocks.filter(({ kind }) => kind === 'park');
    const found = roadLanes(city).filter((lane) => {
      if (lane.speedLimitMps !== FAST_MPS) return false;
      return runs(lane, isStraight).some(([fromM, toM]) => {
        if (toM - fromM < 79) return false;
        const verge = Array.from({ length: Math.floor(toM - fromM) + 1 }, (_, i) => {
          return beside(frameAt(lane.polyline, fromM + i), 0, lane.widthM / 2 + 6);
        });
        return parks.some(
          (park) => verge.filter((point) => covers(park.polygon, point)).length >= 80,
        );
      });
    });
    expect(found.length).toBeGreaterThanOrEqual(1);
  });

  test('a bend hides the road 30 m ahead.', () => {
    const outlines = walls.map(({ polygon }) => outlineOf(polygon));
    const found = roadLanes(city).filter((lane) => {
      const { stationM: lengthM } = at(stationsOf(lane), -1);
      const points = Array.from({ length: Math.ceil(lengthM) }, (_, stationM) =>
        pointAlong(lane.polyline, stationM),
      );
      const near = outlines.filter((outline) => areNear(outline, points, 1));
      const hidden = points
        .slice(0, -30)
        .filter((here, i) => near.some((outline) => isBetween(outline, here, at(points, i + 30))));
      return hidden.length >= 10;
    });
    expect(found.length).toBeGreaterThanOrEqual(1);
  });

  test('several roads of 30 and 50 km/h are straight for 80 m.', () => {
    const found = roadLanes(city).filter(
      (lane) => lane.speedLimitMps <= FAST_MPS && longestM(runs(lane, isStraight)) >= 80,
    );
    expect(new Set(found.map(({ road }) => road)).size).toBeGreaterThanOrEqual(5);
  });
});

/** How far to the right of the line of a straight path a point is. */
const sideM = (point: Point, path: readonly Point[]): number =>
  dot(subtract(point, at(path, 0)), rightOf(startDirection(path)));

const turnRad = (lane: Lane): number => {
  const stations = stationsOf(lane);
  return stations.reduce((sum, { curvature, stationM }, i) => {
    const before = stations[i - 1]?.stationM ?? stationM;
    return sum + curvature * (stationM - before);
  }, 0);
};

/** Whether the outline crosses the line of sight between two points. */
function isBetween(outline: readonly Point[], a: Point, b: Point): boolean {
  const sight = subtract(b, a);
  return outline.slice(1).some((to, i) => {
    const from = at(outline, i);
    const edge = subtract(to, from);
    const sideA = cross(edge, subtract(a, from)) * cross(edge, subtract(b, from));
    const sideB = cross(sight, subtract(from, a)) * cross(sight, subtract(to, a));
    return sideA < 0 && sideB < 0;
  });
}
