import { at, distance, type Line, type Station } from './lines.ts';

/** A car that is farther from its route is off it, m. */
const OFF_ROUTE_M = 5;

/** The closed loop of a car, with lookups in both directions. */
export class RouteLine {
  readonly #line: Line;
  /** Of each point, m from the first. */
  readonly #stations: Float64Array;

  constructor(line: Line) {
    this.#line = line;
    this.#stations = new Float64Array(line.length);
    for (let i = 1; i < line.length; i++) {
      this.#stations[i] = this.#stationOf(i - 1) + distance(at(line, i - 1), at(line, i));
    }
  }

  get lengthM(): number {
    return this.#stationOf(this.#line.length - 1);
  }

  /** The nearest station with a similar heading; −1 where the place is off the route. */
  locate(x: number, y: number, heading: number): number {
    const hx = Math.cos(heading);
    const hy = Math.sin(heading);
    let best = OFF_ROUTE_M * OFF_ROUTE_M;
    let station = -1;
    for (let i = 1; i < this.#line.length; i++) {
      const a = this.#line[i - 1];
      const b = this.#line[i];
      if (!a || !b) continue;
      const dx = b[0] - a[0];
      const dy = b[1] - a[1];
      if (dx * hx + dy * hy <= 0) continue;
      const squared = dx * dx + dy * dy;
      const part = Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / squared));
      const ox = a[0] + part * dx - x;
      const oy = a[1] + part * dy - y;
      const off = ox * ox + oy * oy;
      if (off >= best) continue;
      best = off;
      station = this.#stationOf(i - 1) + part * Math.sqrt(squared);
    }
    return station;
  }

  /** The place at a station, into `out`; stations continue around the loop. */
  placeAt(stationM: number, out: Station): Station {
    const along = stationM % this.lengthM;
    let low = 0;
    let high = this.#line.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#stationOf(middle) <= along) low = middle;
      else high = middle;
    }
    const a = at(this.#line, low);
    const b = at(this.#line, high);
    const pieceM = this.#stationOf(high) - this.#stationOf(low) || 1;
    out.hx = (b[0] - a[0]) / pieceM;
    out.hy = (b[1] - a[1]) / pieceM;
    out.x = a[0] + (along - this.#stationOf(low)) * out.hx;
    out.y = a[1] + (along - this.#stationOf(low)) * out.hy;
    return out;
  }

  #stationOf(index: number): number {
    return this.#stations[index] ?? 0;
  }
}
