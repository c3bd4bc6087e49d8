import type { Pose } from '../api/types.ts';
import { at, distance, type Line, type Point, partNearest, unit } from './lines.ts';

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
    const hx = Math.cos(heading);
    const hy = Math.sin(heading);
    let bestM = OFF_ROUTE_M;
    let station = -1;
    for (let i = 1; i < this.#line.length; i++) {
      const a = at(this.#line, i - 1);
      const b = at(this.#line, i);
      const dx = b[0] - a[0];
      const dy = b[1] - a[1];
      if (dx * hx + dy * hy <= 0) continue;
      const part = partNearest(place, a, b);
      const offM = Math.hypot(a[0] + part * dx - place[0], a[1] + part * dy - place[1]);
      if (offM >= bestM) continue;
      bestM = offM;
      station = at(this.#stations, i - 1) + part * distance(a, b);
    }
    return station;
  }

  /** The place at a station; stations continue around the loop. */
  placeAt(stationM: number): Pose {
    const along = stationM % at(this.#stations, -1);
    let low = 0;
    let high = this.#stations.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (at(this.#stations, middle) <= along) low = middle;
      else high = middle;
    }
    const from = at(this.#line, low);
    const [hx, hy] = unit(from, at(this.#line, high));
    const aheadM = along - at(this.#stations, low);
    return { x: from[0] + aheadM * hx, y: from[1] + aheadM * hy, heading: Math.atan2(hy, hx) };
  }
}
