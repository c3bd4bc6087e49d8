import { at, cross, dot } from '../../city/geometry.ts';
import type { Connector, Junction, Point } from '../../city/types.ts';

/** What decides about right of way between two ways through a junction. */
export interface Movement {
  turn: Connector['turn'];
  /** Unit vector in which its traffic arrives. */
  heading: Point;
  /** Comes from the street that has priority. */
  isMain: boolean;
}

/**
 * To which of those that it conflicts with each movement gives way. Road rules as in continental
 * Europe: a light decides between the streets, otherwise the priority street goes before the
 * others; among equals whoever comes from the right goes first; and a left turn gives way to
 * oncoming traffic, at lights too.
 *
 * @returns for each movement indices out of its conflicts, ascending; of two movements never both
 *   give way to each other
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

/** Two arms face each other where straight on is what leads from one into the other. */
const isOncoming = (a: Movement, b: Movement): boolean =>
  dot(a.heading, b.heading) < 0 && Math.abs(cross(a.heading, b.heading)) < STRAIGHT_SINE;

/** Sine of 30°: a junction that bends traffic by less leads it straight on. */
export const STRAIGHT_SINE = 0.5;
/** Sine of half a degree: lanes side by side of one arm have no right of way over each other. */
const SAME_SINE = 0.0087;
