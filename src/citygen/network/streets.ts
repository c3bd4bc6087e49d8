import { at, cross, dot } from '../../city/geometry.ts';
import type { Junction, Lane, Point, Road } from '../../city/types.ts';
import { evenlySpaced } from '../curves.ts';
import { endDirection, negate, offsetRight, startDirection, trim } from '../geometry.ts';

/** What a city's plan says; streets and junctions are built from it. */
export interface NetworkPlan {
  junctions: readonly JunctionPlan[];
  roads: readonly RoadPlan[];
}

export interface JunctionPlan {
  x: number;
  y: number;
  control: Junction['control'];
  /** The street that has priority, or the first phase of the signals; −1 where all are equal. */
  mainStreet: number;
}

export interface RoadPlan {
  name: string;
  class: Road['class'];
  /** Roads of one street go on into each other over a junction. */
  street: number;
  segments: readonly SegmentPlan[];
}

/** A piece of a road between two junctions. */
export interface SegmentPlan {
  fromJunction: number;
  toJunction: number;
  /** Centre line from one junction's centre to the other's. */
  axis: readonly Point[];
}

/** Where a segment meets a junction. */
export interface Arm {
  junction: number;
  road: number;
  street: number;
  class: Road['class'];
  /** Unit vector away from the junction. */
  outward: Point;
  /** Arriving and leaving lanes, the rightmost of its direction first: indices into `City.lanes`. */
  arriving: readonly number[];
  leaving: readonly number[];
  halfWidthM: number;
  /** From the junction's centre to the stop line. */
  setbackM: number;
}

interface ClassRule {
  speedLimitMps: number;
  /** In each direction. */
  laneCount: number;
  laneWidthM: number;
}

const CLASS_RULES: Readonly<Record<Road['class'], ClassRule>> = {
  arterial: { speedLimitMps: 60 / 3.6, laneCount: 2, laneWidthM: 3.5 },
  collector: { speedLimitMps: 50 / 3.6, laneCount: 1, laneWidthM: 3.5 },
  local: { speedLimitMps: 30 / 3.6, laneCount: 1, laneWidthM: 3.25 },
};

/** From the road's centre line to its edge, in metres. */
export const halfWidthOf = (roadClass: Road['class']): number =>
  CLASS_RULES[roadClass].laneCount * CLASS_RULES[roadClass].laneWidthM;

/** Length of the legs of a right turn, so that its tightest radius is 9.1 m. */
const TURN_LEG_M = 11.5;

/** Lanes of the roads, still without `next`; the roads; and the arms of every junction. */
export interface Streets {
  roads: Road[];
  lanes: Lane[];
  arms: Arm[][];
}

export function buildStreets(plan: NetworkPlan): Streets {
  const streets: Streets = { roads: [], lanes: [], arms: plan.junctions.map(() => []) };
  const ends = plan.roads.flatMap((road) => road.segments.flatMap((one) => endsOf(road, one)));
  for (const [index, road] of plan.roads.entries()) {
    const firstLane = streets.lanes.length;
    for (const segment of road.segments) addSegment(streets, index, road, segment, ends);
    streets.roads.push({
      id: `r${index + 1}`,
      name: road.name,
      class: road.class,
      speedLimitMps: CLASS_RULES[road.class].speedLimitMps,
      lanes: streets.lanes.map((_, lane) => lane).slice(firstLane),
      centerline: road.segments.flatMap(({ axis }, i) => (i === 0 ? axis : axis.slice(1))),
    });
  }
  return streets;
}

interface SegmentEnd {
  junction: number;
  class: Road['class'];
  outward: Point;
}

function endsOf(road: RoadPlan, { fromJunction, toJunction, axis }: SegmentPlan): SegmentEnd[] {
  return [
    { junction: fromJunction, class: road.class, outward: startDirection(axis) },
    { junction: toJunction, class: road.class, outward: negate(endDirection(axis)) },
  ];
}

function addSegment(
  { lanes, arms }: Streets,
  roadIndex: number,
  road: RoadPlan,
  segment: SegmentPlan,
  ends: readonly SegmentEnd[],
): void {
  const [start, end] = endsOf(road, segment).map((own) => ({
    own,
    setbackM: setbackOf(own, ends),
  }));
  if (!start || !end) throw new RangeError('a segment has two ends');
  const path = evenlySpaced(trim(segment.axis, start.setbackM, end.setbackM));
  const forward = addLanes(lanes, roadIndex, road.class, path);
  const backward = addLanes(lanes, roadIndex, road.class, path.toReversed());
  const shared = { road: roadIndex, street: road.street, halfWidthM: halfWidthOf(road.class) };
  const startArm = { ...start.own, ...shared, setbackM: start.setbackM };
  at(arms, segment.fromJunction).push({ ...startArm, arriving: backward, leaving: forward });
  const endArm = { ...end.own, ...shared, setbackM: end.setbackM };
  at(arms, segment.toJunction).push({ ...endArm, arriving: forward, leaving: backward });
}

/** Adds one direction's lanes, the rightmost first, and tells their indices. */
function addLanes(
  lanes: Lane[],
  road: number,
  roadClass: Road['class'],
  path: readonly Point[],
): number[] {
  const { laneCount, laneWidthM, speedLimitMps } = CLASS_RULES[roadClass];
  const added: number[] = [];
  for (let fromRight = 0; fromRight < laneCount; fromRight++) {
    added.push(lanes.length);
    lanes.push({
      id: `l${lanes.length + 1}`,
      road,
      junction: -1,
      widthM: laneWidthM,
      speedLimitMps,
      polyline: offsetRight(path, (laneCount - fromRight - 0.5) * laneWidthM),
      next: [],
    });
  }
  return added;
}

/**
 * How far before the junction's centre the stop line lies: far enough for right turns from and to
 * each neighbouring arm with legs of `TURN_LEG_M`. With the angle θ between two arms their
 * outermost lane centres, a and b beside the centre lines, meet (b + a cos θ) ÷ sin θ from the
 * centre, and a turn of equal radius is longer or shorter than one of 90° by (1 + cos θ) ÷ sin θ.
 */
function setbackOf(own: SegmentEnd, ends: readonly SegmentEnd[]): number {
  let setbackM = TURN_LEG_M;
  for (const other of ends) {
    const sine = Math.abs(cross(own.outward, other.outward));
    if (other.junction !== own.junction || sine < NEARLY_STRAIGHT_SINE) continue;
    const cosine = dot(own.outward, other.outward);
    const lanesM = outerLaneOf(other.class) + outerLaneOf(own.class) * cosine;
    const legM = TURN_LEG_M * (1 + Math.max(0, cosine - ACUTE_COSINE) * ACUTE_GAIN);
    setbackM = Math.max(setbackM, (lanesM + legM * (1 + cosine)) / sine);
  }
  return setbackM;
}

const NEARLY_STRAIGHT_SINE = 0.35;
/** Between arms at less than 75° a bend is so much tighter than its arc that it needs longer legs. */
const ACUTE_COSINE = 0.26;
const ACUTE_GAIN = 1.1;

/** From a road's centre line to the middle of its rightmost lane, in metres. */
const outerLaneOf = (roadClass: Road['class']): number =>
  halfWidthOf(roadClass) - CLASS_RULES[roadClass].laneWidthM / 2;
