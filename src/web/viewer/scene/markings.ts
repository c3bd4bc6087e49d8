import type { CityMap, HazardSpot } from '../api/types.ts';
import type { DrawnLane } from './lanes.ts';
import {
  aside,
  at,
  beside,
  dashesOf,
  distance,
  distanceToSegment,
  type Line,
  lengthOf,
  type Point,
  partNearest,
  type Station,
  sliceOf,
  stationAt,
} from './lines.ts';
import type { MeshBuilder } from './mesh-builder.ts';

const LINE_M = 0.14;
/** Dashes and gaps: between lanes of one direction, and between the directions of small streets. */
const DIVIDER_M = { dash: 3, gap: 6 } as const;
const CENTRE_M = { dash: 3, gap: 4.5 } as const;
const EDGE_INSIDE_M = 0.22;
const STOP_LINE_M = 0.45;
const YIELD_TOOTH_M = 0.6;

/** The neighbour of a lane: same direction, oncoming, or the edge of the road. */
type Beside = 'same' | 'oncoming' | 'nothing';

/** Lines, bars and arrows on the lanes. */
export function markLanes(mesh: MeshBuilder, map: CityMap, lanes: readonly DrawnLane[]): void {
  const ends = junctionEnds(map, lanes);
  const byRoad = Map.groupBy(
    lanes.filter(({ lane }) => lane.road !== null),
    ({ lane }) => lane.road,
  );
  for (const ofRoad of byRoad.values()) {
    for (const own of ofRoad) {
      const left = besideOf(own, ofRoad, 1);
      const right = besideOf(own, ofRoad, -1);
      const isWide = left.what === 'same' || right.what === 'same';
      if (left.what === 'same') stripes(mesh, aside(own.line, own.lane.width / 2), DIVIDER_M);
      else if (left.what === 'oncoming') markCentre(mesh, own, left.lane, isWide, ofRoad);
      else markEdge(mesh, own, 1);
      if (right.what === 'nothing') markEdge(mesh, own, -1);
      markEnd(mesh, own, ends.lit.has(own.lane.id));
      if (isWide && ends.lit.has(own.lane.id)) markArrow(mesh, own, ends.turns);
    }
  }
  for (const own of lanes) {
    if (ends.lit.has(own.lane.id)) zebra(mesh, own, lengthOf(own.line) + CROSSING_BEYOND_M);
    if (ends.leaves.has(own.lane.id)) zebra(mesh, own, -CROSSING_BEYOND_M - CROSSING_M);
  }
  for (const spot of map.hazards) if (spot.kind === 'dark_zebra') markZebra(mesh, spot, lanes);
}

/** The neighbour in the middle of a lane, `widths` lane widths to the left. */
export function besideOf(
  own: DrawnLane,
  others: readonly DrawnLane[],
  widths: number,
): { what: Beside; lane: DrawnLane | null } {
  const middle = stationAt(own.line, lengthOf(own.line) / 2);
  const [x, y] = beside(middle, 0, own.lane.width * widths);
  for (const lane of others) {
    if (lane === own) continue;
    for (let i = 1; i < lane.line.length; i++) {
      const a = at(lane.line, i - 1);
      const b = at(lane.line, i);
      if (distanceToSegment([x, y], a, b) > own.lane.width / 3) continue;
      const cosine = (b[0] - a[0]) * middle.hx + (b[1] - a[1]) * middle.hy;
      return { what: cosine > 0 ? 'same' : 'oncoming', lane };
    }
  }
  return { what: 'nothing', lane: null };
}

/** Between the directions: a solid line from each side, or dashes, drawn once for both lanes. */
function markCentre(
  mesh: MeshBuilder,
  own: DrawnLane,
  oncoming: DrawnLane | null,
  isWide: boolean,
  ofRoad: readonly DrawnLane[],
): void {
  const half = own.lane.width / 2;
  if (isWide) mesh.band(own.line, half - LINE_M * 1.5, half - LINE_M * 0.5, 'marking');
  else if (oncoming && ofRoad.indexOf(own) < ofRoad.indexOf(oncoming)) {
    stripes(mesh, aside(own.line, half), CENTRE_M);
  }
}

function markEdge(mesh: MeshBuilder, { lane, line }: DrawnLane, side: 1 | -1): void {
  const outerM = side * (lane.width / 2 - EDGE_INSIDE_M);
  mesh.band(line, outerM - side * LINE_M, outerM, 'divider');
}

function stripes(
  mesh: MeshBuilder,
  line: Line,
  { dash, gap }: { dash: number; gap: number },
): void {
  for (const piece of dashesOf(line, dash, gap)) {
    mesh.band(piece, -LINE_M / 2, LINE_M / 2, 'marking');
  }
}

/** The end of a lane: a stop line or yield teeth. */
function markEnd(mesh: MeshBuilder, { lane, line }: DrawnLane, isLit: boolean): void {
  const endM = lengthOf(line);
  const half = lane.width / 2 - EDGE_INSIDE_M;
  if (isLit || lane.sign === 'stop') {
    mesh.band(sliceOf(line, endM - STOP_LINE_M, endM), -half, half, 'marking');
  } else if (lane.sign === 'yield') {
    const end = stationAt(line, endM);
    for (let left = -half + 0.2; left + YIELD_TOOTH_M <= half; left += YIELD_TOOTH_M + 0.25) {
      const corners = [
        beside(end, 0, left),
        beside(end, 0, left + YIELD_TOOTH_M),
        beside(end, -0.8, left + YIELD_TOOTH_M / 2),
      ];
      mesh.area(corners, 'marking');
    }
  }
}

const CROSSING_BEYOND_M = 0.9;
const CROSSING_M = 2.8;
const BAR_M = 0.5;

/** The bars of a pedestrian crossing over one lane, from a station on. */
function zebra(mesh: MeshBuilder, { lane, line }: DrawnLane, fromM: number): void {
  const start = stationAt(line, fromM);
  const count = Math.floor(lane.width / (2 * BAR_M));
  const step = lane.width / count;
  for (let i = 0; i < count; i++) {
    const left = -lane.width / 2 + (i + 0.5) * step - BAR_M / 2;
    rectangle(mesh, start, [0, CROSSING_M], [left, left + BAR_M]);
  }
}

type Range = readonly [from: number, to: number];

/** A rectangle relative to a station: metres ahead of it and to its left. */
function rectangle(
  mesh: MeshBuilder,
  place: Station,
  [from, to]: Range,
  [right, left]: Range,
): void {
  const corners = [
    beside(place, from, right),
    beside(place, to, right),
    beside(place, to, left),
    beside(place, from, left),
  ];
  mesh.area(corners, 'marking');
}

/** The pedestrian crossing of a hazard spot, over every lane of its road. */
function markZebra(mesh: MeshBuilder, spot: HazardSpot, lanes: readonly DrawnLane[]): void {
  for (const own of lanes) {
    if (own.lane.road !== spot.road) continue;
    const near = nearestStation(own.line, [spot.x, spot.y]);
    if (near.offM > own.lane.width * 1.2) continue;
    zebra(mesh, own, near.stationM - CROSSING_M / 2);
  }
}

/** The station of a line that is nearest to a place. */
function nearestStation(line: Line, place: Point) {
  let best = { stationM: 0, offM: Number.POSITIVE_INFINITY };
  let along = 0;
  for (let i = 1; i < line.length; i++) {
    const a = at(line, i - 1);
    const b = at(line, i);
    const pieceM = distance(a, b);
    const offM = distanceToSegment(place, a, b);
    if (offM < best.offM) best = { stationM: along + pieceM * partNearest(place, a, b), offM };
    along += pieceM;
  }
  return best;
}

interface JunctionEnds {
  /** Lanes that end before a signal. */
  lit: ReadonlySet<string>;
  /** Lanes that leave a junction with signals. */
  leaves: ReadonlySet<string>;
  /** For each lane the turns that it allows, radians, left positive. */
  turns: ReadonlyMap<string, number[]>;
}

function junctionEnds(map: CityMap, lanes: readonly DrawnLane[]): JunctionEnds {
  const byId = new Map(lanes.map((own) => [own.lane.id, own]));
  const lit = new Set(map.junctions.flatMap(({ lights }) => lights.flatMap((one) => one.lanes)));
  const signalled = new Set(map.junctions.filter((j) => j.lights.length > 0).map(({ id }) => id));
  const leaves = new Set(
    map.lanes
      .filter(({ junction }) => junction !== null && signalled.has(junction))
      .flatMap(({ next }) => next),
  );
  const turns = new Map(
    lanes.map(({ lane }) => [lane.id, lane.next.flatMap((id) => turnOf(byId.get(id)))]),
  );
  return { lit, leaves, turns };
}

/** The change of direction along a lane. */
function turnOf(own: DrawnLane | undefined): number[] {
  if (!own || own.lane.road !== null) return [];
  const start = stationAt(own.line, 0);
  const end = stationAt(own.line, lengthOf(own.line));
  const cross = start.hx * end.hy - start.hy * end.hx;
  return [Math.atan2(cross, start.hx * end.hx + start.hy * end.hy)];
}

const ARROW_BEFORE_M = 7;
const ARROW_M = 4.6;
const SHAFT_M = 0.2;
/** Length of a side arrow before its head. */
const ARM_M = 0.45;
const HEAD_M = { length: 1.5, width: 1.1 } as const;
/** Smaller turns are straight on. */
const STRAIGHT_RAD = 0.6;

/** The turn arrow before the stop line. */
function markArrow(mesh: MeshBuilder, own: DrawnLane, turns: JunctionEnds['turns']): void {
  const endM = lengthOf(own.line);
  if (endM < 3 * ARROW_BEFORE_M) return;
  const foot = stationAt(own.line, endM - ARROW_BEFORE_M - ARROW_M);
  const to = turns.get(own.lane.id) ?? [];
  const isStraight = to.some((rad) => Math.abs(rad) < STRAIGHT_RAD);
  const shaftM = isStraight ? ARROW_M - HEAD_M.length : ARROW_M * 0.55;
  rectangle(mesh, foot, [0, shaftM], [-SHAFT_M / 2, SHAFT_M / 2]);
  if (isStraight) {
    const [x, y] = beside(foot, shaftM, 0);
    head(mesh, { ...foot, x, y }, HEAD_M.length);
  }
  if (to.some((rad) => rad >= STRAIGHT_RAD)) sideArrow(mesh, foot, 1);
  if (to.some((rad) => rad <= -STRAIGHT_RAD)) sideArrow(mesh, foot, -1);
}

/** A short arm to one side, with its head. */
function sideArrow(mesh: MeshBuilder, foot: Station, side: 1 | -1): void {
  const aheadM = ARROW_M * 0.55;
  const [right, left] = side > 0 ? [0, ARM_M] : [-ARM_M, 0];
  rectangle(mesh, foot, [aheadM - SHAFT_M, aheadM + SHAFT_M], [right, left]);
  const [x, y] = beside(foot, aheadM, side * ARM_M);
  head(mesh, { x, y, hx: -side * foot.hy, hy: side * foot.hx }, HEAD_M.length * 0.8);
}

/** The head of an arrow, in the direction of a station. */
function head(mesh: MeshBuilder, foot: Station, lengthM: number): void {
  const half = HEAD_M.width / 2;
  mesh.area([beside(foot, 0, half), beside(foot, 0, -half), beside(foot, lengthM, 0)], 'marking');
}
