import type { Pose } from '../api/types.ts';
import {
  at,
  distance,
  distanceToSegment,
  type Line,
  type Point,
  partNearest,
  unit,
} from './lines.ts';

/** A car that is farther from its route is off it, m. */
const OFF_ROUTE_M = 5;

/** The closed loop of a car, with lookups in both directions. */
export class RouteLine {
  readonly #line: Line;
  /** Of each point, m from the first. */
  readonly #stations = [0];

  constructor(line: Line) {
    this.#line = line;
    for (let i = 1; i < line.length; i++) {
      this.#stations.push(at(this.#stations, -1) + distance(at(line, i - 1), at(line, i)));
    }
  }

  /** The nearest station with a similar heading; −1 where the place is off the route. */
  locate(place: Point, heading: number): number {
    const [hx, hy] = [Math.cos(heading), Math.sin(heading)];
    let bestM = OFF_ROUTE_M;
    let station = -1;
    for (let i = 1; i < this.#line.length; i++) {
      const a = at(this.#line, i - 1);
      const b = at(this.#line, i);
      if ((b[0] - a[0]) * hx + (b[1] - a[1]) * hy <= 0) continue;
      const offM = distanceToSegment(place, a, b);
      if (offM >= bestM) continue;
      bestM = offM;
      station = at(this.#stations, i - 1) + partNearest(place, a, b) * distance(a, b);
    }
    return station;
  }

  /** The place at a station; stations continue around the loop. */
  placeAt(stationM: number): Pose {
    const along = stationM % at(this.#stations, -1);
    const i = this.#stations.findLastIndex((each) => each <= along);
    const from = at(this.#line, i);
    const [hx, hy] = unit(from, at(this.#line, i + 1));
    const aheadM = along - at(this.#stations, i);
    return { x: from[0] + aheadM * hx, y: from[1] + aheadM * hy, heading: Math.atan2(hy, hx) };
  }
}
