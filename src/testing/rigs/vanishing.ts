import {
  A_STATE,
  A_X,
  A_Y,
  ACTOR_WAITS,
  C_STATUS,
  C_X,
  C_Y,
  CAR_COUNT,
  HAZARD_BYTES,
  HAZARDS,
  STATUS_CRASHED,
} from '../../../assembly/layout.ts';
import { boundsOf, distance } from '../../city/geometry.ts';
import type { Box, City, Point } from '../../city/types.ts';
import { edgesOf } from '../../citygen/geometry.ts';
import type { SlabView } from './kernel.ts';

/** A car or actor moves so far between two frames only if it was put somewhere else, m. */
const JUMP_M = 5;
const SEEN_M = 60;

/** A car that was put somewhere else. */
interface Move {
  car: number;
  /** Whether a car of the traffic was near either place with a free view of it. */
  isSeen: boolean;
}

/** An actor that has appeared, vanished, or was put somewhere else. */
interface ActorChange {
  spot: number;
  what: 'appears' | 'vanishes' | 'jump';
  isSeen: boolean;
}

/**
 * Finds the cars and actors that disappear in one place, or appear in another one. Reads frames in
 * order.
 */
export class Vanishing {
  readonly #walls: readonly { polygon: readonly Point[]; box: Box }[];
  readonly #spotCount: number;
  #last: readonly Point[] = [];
  #lastActors: readonly (Point | undefined)[] | undefined;

  constructor({ blocks, hazards }: City) {
    this.#spotCount = hazards.length;
    this.#walls = blocks
      .filter(({ solid }) => solid)
      .map(({ polygon }) => ({ polygon, box: boundsOf(polygon) }));
  }

  read(view: SlabView): Move[] {
    const places = placesOf(view);
    const before = this.#last;
    this.#last = places;
    const watchers = watchersOf(view);
    return places.flatMap((place, car) => {
      const from = before[car];
      if (from === undefined || distance(from, place) < JUMP_M) return [];
      const isSeen = watchers.some((eye) => this.#sees(eye, from) || this.#sees(eye, place));
      return [{ car, isSeen }];
    });
  }

  readActors(view: SlabView): ActorChange[] {
    const places = Array.from({ length: this.#spotCount }, (_, spot): Point | undefined => {
      const actor = HAZARDS + spot * HAZARD_BYTES;
      if (view.i32(actor + A_STATE, 0) === ACTOR_WAITS) return undefined;
      return [view.real(actor + A_X, 0), view.real(actor + A_Y, 0)];
    });
    const before = this.#lastActors ?? places;
    this.#lastActors = places;
    const watchers = watchersOf(view);
    return places.flatMap((place, spot): ActorChange[] => {
      const from = before[spot];
      const changed = place ?? from;
      if (changed === undefined) return [];
      const isSame = place !== undefined && from !== undefined;
      if (isSame && distance(from, place) < JUMP_M) return [];
      const isSeen = watchers.some((eye) => this.#sees(eye, changed));
      return [{ spot, what: isSame ? 'jump' : place ? 'appears' : 'vanishes', isSeen }];
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

const placesOf = (view: SlabView): Point[] =>
  Array.from({ length: CAR_COUNT }, (_, car) => [view.real(C_X, car), view.real(C_Y, car)]);

/** The places of the cars of the traffic. */
const watchersOf = (view: SlabView): Point[] =>
  placesOf(view).filter((_, car) => view.i32(C_STATUS, car) !== STATUS_CRASHED);

function doCross(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (from: Point, to: Point, [x, y]: Point) =>
    (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}
