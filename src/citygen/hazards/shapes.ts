import { at, direction, lengthOf } from '../../city/geometry.ts';
import type { Body, Point } from '../../city/types.ts';
import type { SiteShape } from './ground.ts';
import { CAR, LORRY, TRAM, VAN } from './kinds.ts';
import { type Bend, beside, boxBeside, type Frame, frameAt } from './paths.ts';

const CAR_HALF_WIDTH_M = CAR.widthM / 2;

const PARKED_COUNT = 4;
const PARKED_BESIDE_CAR_M = 1;
const PARKED_GAP_M = 1;
/** Distance that the child runs to the middle of the car: 2.9 s at 5 km/h. */
const CHILD_RUN_M = 4;
const CHILD_AHEAD_M = 1;

/** A row of parked cars. The child runs out just ahead of the foremost. */
export function childShape(frame: Frame): SiteShape {
  const rightM = CAR_HALF_WIDTH_M + PARKED_BESIDE_CAR_M + CAR.widthM / 2;
  const bodies = Array.from({ length: PARKED_COUNT }, (_, i) => {
    const aheadM = -CHILD_AHEAD_M - CAR.lengthM / 2 - i * (CAR.lengthM + PARKED_GAP_M);
    return boxBeside(frame, aheadM, rightM, CAR);
  });
  return { bodies, ...acrossFrom(frame, CHILD_RUN_M, -6) };
}

const HEDGE_BESIDE_M = 5.5;
const HEDGE = { lengthM: 26, widthM: 0.8 } as const;
const HEDGE_AHEAD_M = -7;
const DEER_BEHIND_HEDGE_M = 1.5;

/** A hedge along the lane. The deer leaps over it, 2.5 s at 3 m/s before the middle of the lane. */
export function deerShape(frame: Frame, laneWidthM: number): SiteShape {
  const faceM = laneWidthM / 2 + HEDGE_BESIDE_M;
  const bodies = [boxBeside(frame, HEDGE_AHEAD_M, faceM + HEDGE.widthM / 2, HEDGE)];
  return { bodies, ...acrossFrom(frame, faceM + DEER_BEHIND_HEDGE_M, -7.2) };
}

/** 3 s at 8 km/h. */
const ADULT_WALK_M = 6.7;
const DARK_SIGHT_M = 35;

/** The pedestrian starts on the far side. */
export const zebraShape = (frame: Frame): SiteShape => ({
  ...acrossFrom(frame, -ADULT_WALK_M, 4),
  sightM: DARK_SIGHT_M,
});

/** A path straight across the lane. Both ends are metres to the right of its middle. */
function acrossFrom(frame: Frame, startM: number, endM: number): SiteShape {
  return {
    actorPath: [beside(frame, 0, startM), beside(frame, 0, endM)],
    actorStationM: Math.abs(startM),
  };
}

const FOG_SIGHT_M = 30;

/** The way of the broken-down car from the lane into a bay, from the conflict point on. */
const PULLED_M = { from: 4, to: 16 } as const;
const PULLED_TO_M = 19;

/** The conflict point is the rear of the broken-down car, which is pulled into a bay in the end. */
export function fogShape(frame: Frame, laneWidthM: number): SiteShape {
  const bayM = bayOf(laneWidthM, CAR);
  return {
    actorPath: [
      beside(frame, CAR.lengthM / 2, 0),
      ...swerve(frame, PULLED_M.from, PULLED_M.to, 0, bayM),
      beside(frame, PULLED_TO_M, bayM),
    ],
    active: [boxBeside(frame, CAR.lengthM / 2, 0, CAR)],
    sightM: FOG_SIGHT_M,
  };
}

/** Overlap of the obstacle with a car in the middle of the lane. */
const OBSTACLE_OVERLAP_M = 0.7;
const OBSTACLE_OUTSIDE_LANE_M = 0.2;
const OBSTACLE_LENGTH_M = 2;

/** The obstacle rolls from beside the lane into its right half. */
export function crestShape(frame: Frame, laneWidthM: number): SiteShape {
  const leftM = CAR_HALF_WIDTH_M - OBSTACLE_OVERLAP_M;
  const widthM = laneWidthM / 2 + OBSTACLE_OUTSIDE_LANE_M - leftM;
  const startM = laneWidthM / 2 + BAY_BESIDE_M + widthM / 2;
  const actorPath = [startM, leftM + widthM / 2].map((rightM) =>
    beside(frame, OBSTACLE_LENGTH_M / 2, rightM),
  );
  const across = direction(at(actorPath, 0), at(actorPath, 1));
  const [x, y] = at(actorPath, 0);
  // It rolls sideways: its length is across the road.
  const box: Body = { x, y, heading: across, lengthM: widthM, widthM: OBSTACLE_LENGTH_M };
  return { actorPath, active: [box] };
}

const BAY_BESIDE_M = 0.3;
const SWERVE_PIECES = 14;

/** Distance from the middle of the lane to that of a bay beside it. */
const bayOf = (laneWidthM: number, { widthM }: Pick<Body, 'widthM'>): number =>
  laneWidthM / 2 + BAY_BESIDE_M + widthM / 2;

/** A sideways move between a bay and the middle of the lane, `fromM` to `toM` along the lane. */
function swerve(frame: Frame, fromM: number, toM: number, fromRightM: number, toRightM: number) {
  return Array.from({ length: SWERVE_PIECES + 1 }, (_, i): Point => {
    const part = i / SWERVE_PIECES;
    const rightM = fromRightM + (toRightM - fromRightM) * part * part * (3 - 2 * part);
    return beside(frame, fromM + (toM - fromM) * part, rightM);
  });
}

/** Length of the van's move from the bay to the middle of the lane, along the lane. */
const PULL_OUT_M = 10;
/** Its way into the next bay, from the conflict point on. */
const VAN_IN_M = { from: 14, to: 28 } as const;
const VAN_GONE_M = 36;

/** The van waits in a bay and is in the middle of the lane at the conflict point. */
export function cutInShape(frame: Frame, laneWidthM: number): SiteShape {
  const bayM = bayOf(laneWidthM, VAN);
  const out = swerve(frame, -PULL_OUT_M, 0, bayM, 0);
  const actorPath = [
    ...out,
    ...swerve(frame, VAN_IN_M.from, VAN_IN_M.to, 0, bayM),
    beside(frame, VAN_GONE_M, bayM),
  ];
  return {
    actorPath,
    actorStationM: lengthOf(out),
    active: [boxBeside(frame, -PULL_OUT_M, bayM, VAN)],
  };
}

/**
 * Stations of the vehicle ahead, relative to the conflict point, where its rear stops. It waits in
 * a bay, speeds up there, moves into the lane, and out of it into the next bay. It brakes while it
 * moves into the lane: a driver who has it ahead for a second keeps enough distance.
 */
const LEAD_WAITS_M = -40;
const LEAD_OUT_M = { from: -17, to: 2 } as const;
const LEAD_IN_M = { from: 5, to: 19 } as const;
const LEAD_GONE_M = 28;

export function leadShape(frame: Frame, laneWidthM: number): SiteShape {
  const bayM = bayOf(laneWidthM, CAR);
  const out = [
    beside(frame, LEAD_WAITS_M, bayM),
    ...swerve(frame, LEAD_OUT_M.from, LEAD_OUT_M.to, bayM, 0),
  ];
  const back = [
    ...swerve(frame, LEAD_IN_M.from, LEAD_IN_M.to, 0, bayM),
    beside(frame, LEAD_GONE_M, bayM),
  ];
  return {
    actorPath: [...out, ...back],
    actorStationM: lengthOf(out) - LEAD_OUT_M.to,
    active: [
      boxBeside(frame, LEAD_WAITS_M, bayM, CAR),
      boxBeside(frame, LEAD_OUT_M.from, bayM, CAR),
    ],
  };
}

export type Vehicle = 'car' | 'lorry' | 'tram';
export const VEHICLES: Readonly<Record<Vehicle, typeof CAR | typeof LORRY | typeof TRAM>> = {
  car: CAR,
  lorry: LORRY,
  tram: TRAM,
};

/** The way out of a lane into a bay, from the frame on. */
const INTO_BAY_M = { from: 0, to: 26 } as const;
const IN_BAY_M = 44;

/** A path that begins in the middle of a lane and ends in a bay beside it. */
export function intoBay(frame: Frame, laneWidthM: number, vehicle: Vehicle): Point[] {
  const bayM = bayOf(laneWidthM, VEHICLES[vehicle]);
  return [...swerve(frame, INTO_BAY_M.from, INTO_BAY_M.to, 0, bayM), beside(frame, IN_BAY_M, bayM)];
}

/** A vehicle that drives along a path from the start. */
export function drivingShape(
  actorPath: readonly Point[],
  actorStationM: number,
  vehicle: Vehicle,
): SiteShape {
  const start = { origin: at(actorPath, 0), along: direction(at(actorPath, 0), at(actorPath, 1)) };
  return { actorPath, actorStationM, active: [boxBeside(start, 0, 0, VEHICLES[vehicle])] };
}

/** A standing van with its front at the end of the path. */
export const vanAtEndOf = (path: readonly Point[]): Body =>
  boxBeside(frameAt(path, lengthOf(path)), -VAN.lengthM / 2, 0, VAN);

/** Distances of the corner that hides the crosser from its path and from the car's lane. */
const CORNER_BEFORE_M = 8;
const CORNER_BESIDE_M = 6;
const HOARDING = { lengthM: 6, widthM: 0.3 } as const;

/** Hoardings around the corner that hides the crosser. */
export function cornerBodies(frame: Frame, crosserAlong: Point, isFromRight: boolean): Body[] {
  const side = isFromRight ? 1 : -1;
  const [x, y] = beside(frame, -CORNER_BEFORE_M, side * CORNER_BESIDE_M);
  const corner: Frame = { origin: [x, y], along: frame.along };
  const back: Frame = { origin: [x, y], along: crosserAlong };
  return [
    boxBeside(corner, -HOARDING.lengthM / 2, (side * HOARDING.widthM) / 2, HOARDING),
    boxBeside(back, -HOARDING.lengthM / 2, (-side * HOARDING.widthM) / 2, HOARDING),
  ];
}

const BOLLARD = { lengthM: 0.3, widthM: 0.3 } as const;
/** Distance to the side of a car in the middle of the lane. */
const BOLLARD_BESIDE_CAR_M = 1.5;
const BOLLARD_STEP_M = 2.5;
const BOLLARDS_BEYOND_M = 12;

/** Slim posts between the two directions, just beyond the edge of the lane. */
const POST = { lengthM: 0.1, widthM: 0.1 } as const;
const POST_OUTSIDE_LANE_M = 0.04;

/**
 * Bodies along the outside of an icy patch and beyond it: bollards beside the road in a left bend,
 * posts between the two directions in a right bend.
 */
export function bollardsAlong(
  path: readonly Point[],
  bend: Bend,
  patchM: number,
  laneWidthM: number,
): Body[] {
  const rightM = bend.isLeft
    ? CAR_HALF_WIDTH_M + BOLLARD_BESIDE_CAR_M + BOLLARD.widthM / 2
    : -laneWidthM / 2 - POST_OUTSIDE_LANE_M;
  const fromM = bend.apexM - patchM / 2;
  return rowAlong(path, fromM, fromM + patchM + BOLLARDS_BEYOND_M, BOLLARD_STEP_M, (frame) =>
    boxBeside(frame, 0, rightM, bend.isLeft ? BOLLARD : POST),
  );
}

const WALL_OUTSIDE_LANE_M = 2;
const WALL_PIECE = { lengthM: 2.6, widthM: 0.4 } as const;
const WALL_STEP_M = 2;
const WALL_BEYOND_M = 10;

/** A wall along the outside of the bend and beyond it; in a right bend beyond the other lane. */
export function wallAlong(path: readonly Point[], bend: Bend, laneWidthM: number): Body[] {
  const besideM = laneWidthM / 2 + WALL_OUTSIDE_LANE_M + WALL_PIECE.widthM / 2;
  return rowAlong(path, bend.fromM, bend.toM + WALL_BEYOND_M, WALL_STEP_M, (frame) =>
    boxBeside(frame, 0, bend.isLeft ? besideM : -besideM - laneWidthM, WALL_PIECE),
  );
}

function rowAlong(
  path: readonly Point[],
  fromM: number,
  toM: number,
  stepM: number,
  bodyAt: (frame: Frame) => Body,
): Body[] {
  const endM = Math.min(toM, lengthOf(path));
  const bodies: Body[] = [];
  for (let stationM = Math.max(0, fromM); stationM <= endM; stationM += stepM) {
    bodies.push(bodyAt(frameAt(path, stationM)));
  }
  return bodies;
}
