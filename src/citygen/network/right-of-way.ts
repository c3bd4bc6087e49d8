import { at, cross, dot } from '../../city/geometry.ts';
import type { Connector, Junction, Point } from '../../city/types.ts';

/** The properties of a path through a junction that decide about right of way. */
export interface Movement {
  turn: Connector['turn'];
  /** Direction in which its traffic arrives, a unit vector. */
  heading: Point;
  /** Whether it begins on the priority street. */
  isMain: boolean;
}

/**
 * Decides which movements give way to which, by the rules of continental Europe: lights decide
 * between streets; without lights the priority street goes first, and between equal streets the
 * traffic from the right. A left turn gives way to oncoming traffic, at lights too.
 *
 * @returns for each movement the ascending indices of those of its conflicts that it gives way to;
 *   two movements never give way to each other
 */
export function yieldsAmong(
  control: Junction['control'],
  movements: readonly Movement[],
  conflicts: readonly (readonly number[])[],
): number[][] {
  return movements.map((own, i) =>
    at(conflicts, i).filter((other) => givesWay(control, own, at(movements, other))),
  );
}

function givesWay(control: Junction['control'], own: Movement, other: Movement): boolean {
  if (control !== 'signals' && own.isMain !== other.isMain) return other.isMain;
  if (isOncoming(own, other)) return own.turn === 'left' && other.turn !== 'left';
  return control !== 'signals' && cross(own.heading, other.heading) > SAME_SINE;
}

/** Two arms are opposite each other if traffic drives straight on from one into the other. */
const isOncoming = (a: Movement, b: Movement): boolean =>
  dot(a.heading, b.heading) < 0 && Math.abs(cross(a.heading, b.heading)) < STRAIGHT_SINE;

/** Sine of 30°: a smaller turn counts as straight on. */
export const STRAIGHT_SINE = 0.5;
/** Sine of 0.5°: parallel lanes of one arm have no right of way over each other. */
const SAME_SINE = 0.0087;
