import { at, dot, lengthOf } from '../../city/geometry.ts';
import { endDirection, startDirection } from '../geometry.ts';
import {
  type Crossing,
  fastestOf,
  type Ground,
  isBuiltNear,
  type Place,
  pathBehind,
  SLOWER_PENALTY,
} from './ground.ts';
import { frameAt, headOf, joined } from './paths.ts';
import { cornerBodies, drivingShape, type Vehicle, vanAtEndOf } from './shapes.ts';

const ACTOR_BEFORE_M = 110;
/** A crossing vehicle stops this far beyond the junction, or this far before the end of the lane there. */
const ACTOR_BEYOND_M = 80;
const ACTOR_BEFORE_END_M = 12;
/** From a shorter way beyond the junction it would have to brake before the conflict point, m. */
const BEYOND_WANTED_M = 40;
const SHORT_WAY_PENALTY = 3;

/** The crossing vehicle and its path over the junction. */
function crosserShape(ground: Ground, crossing: Crossing, vehicle: Vehicle) {
  const { from = -1, to = -1, light = -1 } = crossing.crosser.connector ?? {};
  const before = pathBehind(ground, from, ACTOR_BEFORE_M);
  const beyond = headOf(at(ground.lanes, to).polyline, beyondM(ground, crossing));
  const path = joined([before, crossing.crosser.polyline, beyond]);
  const shape = drivingShape(path, lengthOf(before) + crossing.crosserStationM, vehicle);
  return { ...shape, actorLight: light };
}

/** Length of the crossing vehicle's path beyond the junction. */
function beyondM({ lanes }: Ground, { crosser }: Crossing): number {
  const { to = -1 } = crosser.connector ?? {};
  const lengthM = lengthOf(at(lanes, to).polyline);
  return Math.min(ACTOR_BEYOND_M, Math.max(lengthM / 2, lengthM - ACTOR_BEFORE_END_M));
}

const APPROACH_WANTED_M = 60;

function crossingPlace(
  ground: Ground,
  crossing: Crossing,
  penalty: number,
  build: Place['build'],
): Place {
  const { lanes, stationM, approach } = crossing;
  const nearerM = Math.max(0, APPROACH_WANTED_M - lengthOf(approach.polyline));
  const shorterM = Math.max(0, BEYOND_WANTED_M - beyondM(ground, crossing));
  return { lanes, stationM, penalty: penalty + nearerM + shorterM * SHORT_WAY_PENALTY, build };
}

export const redLights = (ground: Ground): Place[] =>
  ground.crossings.straight
    .filter(({ own }) => (own.connector?.light ?? -1) >= 0)
    .map((crossing) =>
      crossingPlace(ground, crossing, 0, () => crosserShape(ground, crossing, 'lorry')),
    );

const ONCOMING_COSINE = -0.9;

/** Left turns whose oncoming traffic has a left-turn lane beside the lane that goes straight on. */
export function leftTurns(ground: Ground): Place[] {
  return ground.crossings.left.flatMap((crossing) => {
    const isOncoming =
      dot(startDirection(crossing.own.polyline), startDirection(crossing.crosser.polyline)) <
      ONCOMING_COSINE;
    if (!isOncoming) return [];
    const waiting = ground.lanes.find(
      ({ connector, junction, polyline }) =>
        junction === crossing.own.junction &&
        connector?.turn === 'left' &&
        connector.from !== crossing.crosser.connector?.from &&
        dot(startDirection(polyline), startDirection(crossing.crosser.polyline)) > 0.9,
    );
    if (!waiting?.connector) return [];
    const { polyline } = at(ground.lanes, waiting.connector.from);
    const slower = fastestOf(ground) - crossing.crosserApproach.speedLimitMps;
    return crossingPlace(ground, crossing, slower * SLOWER_PENALTY, () => {
      const shape = crosserShape(ground, crossing, 'car');
      return { ...shape, active: [...(shape.active ?? []), vanAtEndOf(polyline)] };
    });
  });
}

const DOWNHILL_GRADE = -0.06;

export function stopLines(ground: Ground): Place[] {
  const turns = ['straight', 'left'] as const;
  return turns
    .flatMap((turn) => ground.crossings[turn])
    .filter(({ own, crosser }) => own.connector?.mustStop && !crosser.connector?.mustStop)
    .map((crossing) =>
      crossingPlace(ground, crossing, 0, () => ({
        ...crosserShape(ground, crossing, 'car'),
        grade: DOWNHILL_GRADE,
      })),
    );
}

/** Crossings at which the car yields to the crosser without light or stop sign. */
function unsignalled(ground: Ground): Crossing[] {
  return ground.crossings.straight.filter(({ own: { connector }, crosserIndex }) => {
    if (!connector || connector.light >= 0 || connector.mustStop) return false;
    return connector.yieldsTo.includes(crosserIndex);
  });
}

const HOUSE_BESIDE_M = 9;
const NO_HOUSE_PENALTY = 150;

export function blindCrossings(ground: Ground): Place[] {
  return unsignalled(ground).map((crossing) => {
    const frame = frameAt(crossing.own.polyline, crossing.stationM);
    const crosserAlong = endDirection(crossing.crosserApproach.polyline);
    const bodies = cornerBodies(frame, crosserAlong, crossing.isFromRight);
    const isBuilt = bodies.some(({ x, y }) => isBuiltNear(ground, [x, y], HOUSE_BESIDE_M));
    return crossingPlace(ground, crossing, isBuilt ? 0 : NO_HOUSE_PENALTY, () => ({
      ...crosserShape(ground, crossing, 'car'),
      bodies,
    }));
  });
}

/** Trams prefer priority streets. */
const NO_PRIORITY_PENALTY = 60;

export const tramCrossings = (ground: Ground): Place[] =>
  unsignalled(ground).map((crossing) => {
    const { control } = at(ground.junctions, crossing.own.junction);
    return crossingPlace(ground, crossing, control === 'priority' ? 0 : NO_PRIORITY_PENALTY, () =>
      crosserShape(ground, crossing, 'tram'),
    );
  });
