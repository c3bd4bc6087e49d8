import { at, cross, dot } from '../../city/geometry.ts';
import type { JunctionControl, Lane, Point, Road, RoadClass } from '../../city/types.ts';
import { evenlySpaced } from '../curves.ts';
import { endDirection, negate, offsetRight, startDirection, trim } from '../geometry.ts';

/** A plan from which the streets and junctions of a city are built. */
export interface NetworkPlan {
  junctions: readonly JunctionPlan[];
  roads: readonly RoadPlan[];
}

export interface JunctionPlan {
  x: number;
  y: number;
  control: JunctionControl;
  /** The street with priority, or with the first phase of the signals; −1 if all are equal. */
  mainStreet: number;
}

export interface RoadPlan {
  name: string;
  class: RoadClass;
  /** Index of the street. Its roads continue each other across junctions. */
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
interface SegmentEnd {
  junction: number;
  class: RoadClass;
  /** Unit vector away from the junction. */
  outward: Point;
}

/** The lanes at the end of a segment. */
export interface Arm extends SegmentEnd {
  street: number;
  /** Indices into `City.lanes`, the rightmost lane first. */
  arriving: readonly number[];
  leaving: readonly number[];
  halfWidthM: number;
  /** Distance from the junction's centre to the stop line. */
  setbackM: number;
}

interface ClassRule {
  speedLimitMps: number;
  /** Per direction. */
  laneCount: number;
  laneWidthM: number;
}

const CLASS_RULES: Readonly<Record<RoadClass, ClassRule>> = {
  arterial: { speedLimitMps: 60 / 3.6, laneCount: 2, laneWidthM: 3.5 },
  collector: { speedLimitMps: 50 / 3.6, laneCount: 1, laneWidthM: 3.5 },
  local: { speedLimitMps: 30 / 3.6, laneCount: 1, laneWidthM: 3.25 },
};

/** Metres from the centre line of a road to its edge. */
export const halfWidthOf = (roadClass: RoadClass): number =>
  CLASS_RULES[roadClass].laneCount * CLASS_RULES[roadClass].laneWidthM;

/** Length of the legs of a right turn, so that its tightest radius is 9.1 m. */
const TURN_LEG_M = 11.5;

/** The roads, their lanes without `next`, and the arms of each junction. */
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

function endsOf(
  road: RoadPlan,
  { fromJunction, toJunction, axis }: SegmentPlan,
): [SegmentEnd, SegmentEnd] {
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
  const [start, end] = endsOf(road, segment);
  const [startM, endM] = [setbackOf(start, ends), setbackOf(end, ends)];
  const path = evenlySpaced(trim(segment.axis, startM, endM));
  const forward = addLanes(lanes, roadIndex, road.class, path);
  const backward = addLanes(lanes, roadIndex, road.class, path.toReversed());
  const shared = { street: road.street, halfWidthM: halfWidthOf(road.class) };
  const startLanes = { arriving: backward, leaving: forward };
  at(arms, start.junction).push({ ...start, ...shared, ...startLanes, setbackM: startM });
  const endLanes = { arriving: forward, leaving: backward };
  at(arms, end.junction).push({ ...end, ...shared, ...endLanes, setbackM: endM });
}

/** Adds the lanes of one direction, the rightmost first, and returns their indices. */
function addLanes(
  lanes: Lane[],
  road: number,
  roadClass: RoadClass,
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
 * Distance of the stop line from the junction's centre, so that right turns from and to each
 * neighbouring arm have legs of `TURN_LEG_M`. With the angle θ between two arms, their outermost
 * lane centres, a and b beside the centre lines, meet (b + a cos θ) ÷ sin θ from the centre. The
 * legs of a turn of equal radius are (1 + cos θ) ÷ sin θ times those of a turn by 90°.
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
/** Between arms at less than 75° a bend is tighter than an arc, and needs longer legs. */
const ACUTE_COSINE = 0.26;
const ACUTE_GAIN = 1.1;

/** Metres from the centre line of a road to the middle of its rightmost lane. */
const outerLaneOf = (roadClass: RoadClass): number =>
  halfWidthOf(roadClass) - CLASS_RULES[roadClass].laneWidthM / 2;
