import { C_STATUS, C_X, C_Y, CAR_COUNT, STATUS_CRASHED } from '../../../assembly/layout.ts';
import { boundsOf, distance } from '../../city/geometry.ts';
import type { Box, City, Point } from '../../city/types.ts';
import { edgesOf } from '../../citygen/geometry.ts';
import type { SlabView } from './kernel.ts';

/** A car moves so far between two frames only if it was put somewhere else, m. */
const JUMP_M = 5;
const SEEN_M = 60;

/** A car that was put somewhere else. */
interface Move {
  car: number;
  /** Whether a car of the traffic was near either place with a free view of it. */
  isSeen: boolean;
}

/** Finds the cars that disappear in one place and appear in another one. Reads frames in order. */
export class Vanishing {
  readonly #walls: readonly { polygon: readonly Point[]; box: Box }[];
  #last: readonly Point[] = [];

  constructor({ blocks }: City) {
    this.#walls = blocks
      .filter(({ solid }) => solid)
      .map(({ polygon }) => ({ polygon, box: boundsOf(polygon) }));
  }

  read(view: SlabView): Move[] {
    const places = Array.from(
      { length: CAR_COUNT },
      (_, car): Point => [view.f64(C_X, car), view.f64(C_Y, car)],
    );
    const before = this.#last;
    this.#last = places;
    const watchers = places.filter((_, car) => view.i32(C_STATUS, car) !== STATUS_CRASHED);
    return places.flatMap((place, car) => {
      const from = before[car];
      if (from === undefined || distance(from, place) < JUMP_M) return [];
      const isSeen = watchers.some((eye) => this.#sees(eye, from) || this.#sees(eye, place));
      return [{ car, isSeen }];
    });
  }

  #sees(eye: Point, place: Point): boolean {
    if (distance(eye, place) > SEEN_M) return false;
    const line = boundsOf([eye, place]);
    return !this.#walls.some(
      ({ polygon, box }) =>
        box.minX < line.maxX &&
        box.maxX > line.minX &&
        box.minY < line.maxY &&
        box.maxY > line.minY &&
        edgesOf(polygon).some(([a, b]) => doCross(eye, place, a, b)),
    );
  }
}

function doCross(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (from: Point, to: Point, [x, y]: Point) =>
    (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}
