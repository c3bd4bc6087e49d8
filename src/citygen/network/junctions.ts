import { add, at, cross, dot } from '../../city/geometry.ts';
import type { Connector, Lane, Light, Point } from '../../city/types.ts';
import { bend, shift } from '../curves.ts';
import { convexHull, endDirection, negate, rightOf, startDirection } from '../geometry.ts';
import { conflictsAmong } from './conflicts.ts';
import { type Movement, STRAIGHT_SINE, yieldsAmong } from './right-of-way.ts';
import type { Arm, JunctionPlan } from './streets.ts';

/** A movement and the lanes that it joins. */
interface LaneMovement extends Movement {
  from: number;
  to: number;
  mustStop: boolean;
}

/** The connectors of a junction, as lanes to append to `lanes`. */
export function buildConnectors(
  junction: JunctionPlan,
  junctionIndex: number,
  arms: readonly Arm[],
  lanes: readonly Lane[],
  lights: readonly Light[],
): Lane[] {
  const movements = arms.flatMap((arm) =>
    arms
      .filter((exit) => exit !== arm)
      .flatMap((exit) => movementsBetween(junction, arm, exit, lanes)),
  );
  const paths = movements.map(({ turn, from, to }) =>
    pathBetween(turn, at(lanes, from), at(lanes, to)),
  );
  const zones = conflictsAmong(movements, paths);
  const conflicts = zones.map((some) => some.map(({ other }) => other));
  const yields = yieldsAmong(junction.control, movements, conflicts);
  return movements.map(({ turn, from, to, mustStop }, i): Lane => {
    const entry = at(lanes, from);
    const exit = at(lanes, to);
    return {
      id: `l${lanes.length + i + 1}`,
      road: -1,
      junction: junctionIndex,
      widthM: Math.min(entry.widthM, exit.widthM),
      speedLimitMps: Math.min(entry.speedLimitMps, exit.speedLimitMps),
      polyline: at(paths, i),
      next: [to],
      connector: {
        turn,
        from,
        to,
        conflicts: at(conflicts, i).map((other) => lanes.length + other),
        conflictZones: at(zones, i).map(({ fromM, toM }) => ({ fromM, toM })),
        yieldsTo: at(yields, i).map((other) => lanes.length + other),
        light: lights.findIndex((light) => light.lanes.includes(from)),
        mustStop,
      },
    };
  });
}

/** Right turns use the rightmost lane, left turns the leftmost; straight traffic keeps its lane. */
function movementsBetween(
  junction: JunctionPlan,
  arm: Arm,
  exit: Arm,
  lanes: readonly Lane[],
): LaneMovement[] {
  const turn = turnBetween(negate(arm.outward), exit.outward);
  const arriving = turn === 'left' ? arm.arriving.toReversed() : arm.arriving;
  const leaving = turn === 'left' ? exit.leaving.toReversed() : exit.leaving;
  const count = turn === 'straight' ? Math.min(arriving.length, leaving.length) : 1;
  const isMain = arm.street === junction.mainStreet && junction.control !== 'signals';
  return Array.from({ length: count }, (_, i) => ({
    turn,
    from: at(arriving, i),
    to: at(leaving, i),
    heading: endDirection(at(lanes, at(arriving, i)).polyline),
    isMain,
    mustStop: junction.control === 'stop' && !isMain,
  }));
}

function turnBetween(inward: Point, outward: Point): Connector['turn'] {
  const sine = cross(inward, outward);
  if (dot(inward, outward) > 0 && Math.abs(sine) < STRAIGHT_SINE) return 'straight';
  return sine > 0 ? 'left' : 'right';
}

function pathBetween(turn: Connector['turn'], entry: Lane, exit: Lane): readonly Point[] {
  const [before, after] = [entry.polyline, exit.polyline];
  const curve = turn === 'straight' ? shift : bend;
  return curve(at(before, -1), endDirection(before), at(after, 0), startDirection(after));
}

/** The hull of the arms from their stop lines to the far side of their crossing. */
export function outlineOfJunction({ x, y }: JunctionPlan, arms: readonly Arm[]): Point[] {
  const centre: Point = [x, y];
  const corners = arms.flatMap((arm) => {
    const crossing = arms.filter((other) => Math.abs(cross(arm.outward, other.outward)) > 0.5);
    const behindM = Math.max(...crossing.map((other) => other.halfWidthM));
    return [arm.setbackM, -behindM].flatMap((alongM) => {
      const middle = add(centre, arm.outward, alongM);
      const aside = rightOf(arm.outward);
      return [add(middle, aside, arm.halfWidthM), add(middle, aside, -arm.halfWidthM)];
    });
  });
  return convexHull(corners);
}
