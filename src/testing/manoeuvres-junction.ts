import {
  A_HX,
  A_HY,
  A_SPEED,
  A_STATE,
  A_X,
  A_Y,
  ACTOR_STANDS,
  C_ACCEL,
  C_CLAIM,
  C_FLAGS,
  C_HX,
  C_HY,
  C_LANE,
  C_SPEED_FACTOR,
  C_X,
  C_Y,
  EVENT_INTERVENTION,
  F_ALL,
  HAZARDS,
} from '../../assembly/layout.ts';
import { at, pointAlong, startDirection } from '../city/geometry.ts';
import type { Lane, Point } from '../city/types.ts';
import { FEATURES } from '../twin/catalogue.ts';
import { CAR_TYPES } from '../twin/fleet.ts';
import { CAR_TYPE, Crossing, type Side } from './crossing.ts';
import { apart, type Box, type Intervention } from './manoeuvre.ts';
import { VEHICLE } from './manoeuvres.ts';
import { spotOf } from './proving-road.ts';
import { edit, type SlabEditor } from './slab-editor.ts';

const TICK_S = 0.02;
const KMH = 1 / 3.6;
/** The car under test comes from the west, so its way is right to begin with. */
const CAR = at(CAR_TYPES, CAR_TYPE);
/** Between the start and the place where the paths cross, s. */
const LEAD_IN_S = 6;
const LASTS_S = 14;
/** Along the paths their crossing is looked for in such steps, m. */
const STEP_M = 0.1;

export interface CrossingRun {
  /** What the car under test meets comes from here, straight over the junction. */
  from: Exclude<Side, 'west'>;
  turn: 'straight' | 'left';
  speedKmh: number;
  otherKmh: number;
  /** So long before both would be in the middle the other comes into sight, s; always there without. */
  revealS?: number;
  /** Declared mask of the car under test. */
  features?: number;
}

export interface CrossingResult {
  contact: boolean;
  /** Of the car under test as it touches the other; 0 without contact. */
  impactSpeedKmh: number;
  minGapM: number;
  /** Slowest that it was before contact or end. */
  slowestKmh: number;
  decelMps2: number;
  /** After each tick. */
  speedsKmh: readonly number[];
  /** FLAG_ that it ever showed. */
  flags: number;
  interventions: readonly Intervention[];
}

/**
 * Drives a car over an open junction, on the road that has priority, towards a vehicle that crosses it
 * at a steady speed. That is timed so that both are in the middle at once where the car under test
 * drives as if it were alone.
 */
export function runCrossing(run: CrossingRun): CrossingResult {
  const alone = drive(run, undefined);
  return drive(run, alone.meetsS).result;
}

function drive(run: CrossingRun, meetsS: number | undefined) {
  const crossing = crossingFor(run);
  const own = crossing.connector('west', run.turn);
  const theirs = crossing.connector(run.from, 'straight');
  const meeting = whereMeet(own, theirs);
  const result = {
    contact: false,
    impactSpeedKmh: 0,
    minGapM: Number.POSITIVE_INFINITY,
    slowestKmh: run.speedKmh,
    decelMps2: 0,
    flags: 0,
    speedsKmh: [] as number[],
  };
  const arrays = crossing.kernel.view(crossing.slab);
  const [hx, hy] = startDirection(theirs.polyline);
  let whenS = Number.NaN;
  for (let tick = 1; tick <= LASTS_S / TICK_S && !result.contact; tick++) {
    const timeS = tick * TICK_S;
    const aheadM = run.otherKmh * KMH * (timeS - (meetsS ?? 1e6));
    const other = boxAt(meeting.at[0] + hx * aheadM, meeting.at[1] + hy * aheadM, hx, hy);
    edit(crossing.kernel, crossing.slab, (world) => {
      const { speedLimitMps } = at(crossing.city.lanes, world.i32(C_LANE, 0));
      world.setF64(C_SPEED_FACTOR, 0, (run.speedKmh * KMH) / speedLimitMps);
      const isThere = timeS >= (meetsS ?? LASTS_S) - (run.revealS ?? LASTS_S);
      if (meetsS !== undefined && isThere) put(world, other, run.otherKmh * KMH);
    });
    const beforeMps = crossing.car(0).speedMps;
    crossing.step();
    const { distanceM, speedMps, where } = crossing.car(0);
    if (Number.isNaN(whenS) && distanceM <= -meeting.stationM) whenS = timeS;
    result.speedsKmh.push(speedMps / KMH);
    if (where !== 'beyond') result.slowestKmh = Math.min(result.slowestKmh, speedMps / KMH);
    result.decelMps2 = Math.max(result.decelMps2, -(arrays.f64[C_ACCEL / 8] ?? 0));
    result.flags |= arrays.i32[C_FLAGS / 4] ?? 0;
    const gapM = apart(bodyOf(crossing), other);
    result.minGapM = Math.min(result.minGapM, Math.max(gapM, 0));
    if (gapM > 0 && crossing.kernel.contactCount(crossing.slab) === 0) continue;
    result.contact = true;
    result.impactSpeedKmh = beforeMps / KMH;
  }
  const interventions = crossing.kernel
    .events(crossing.slab)
    .filter(({ kind, car }) => kind === EVENT_INTERVENTION && car === 0)
    .map(({ feature, tick }) => ({ feature: at(FEATURES, feature).name, timeS: tick * TICK_S }));
  return { meetsS: whenS, result: { ...result, interventions } };
}

function crossingFor({ turn, speedKmh, features }: CrossingRun): Crossing {
  const speedMps = speedKmh * KMH;
  const crossing = new Crossing({
    control: 'priority',
    row: 'arterial',
    column: 'local',
    cars: {
      0: {
        from: 'west',
        turn,
        distanceM: speedMps * LEAD_IN_S,
        speedMps,
        features: features ?? F_ALL,
      },
    },
    hazards: [spotOf(VEHICLE, 0)],
  });
  edit(crossing.kernel, crossing.slab, (world) => {
    // So that it does not slow down to look for a gap among cars first.
    world.setI32(C_CLAIM, 0, crossing.city.lanes.indexOf(crossing.connector('west', turn)));
  });
  return crossing;
}

/** Where two lanes cross: the place, and m along the first. */
function whereMeet(own: Lane, theirs: Lane): { at: Point; stationM: number } {
  const [x, y] = at(theirs.polyline, 0);
  const [hx, hy] = startDirection(theirs.polyline);
  let best = { at: at(own.polyline, 0), stationM: 0 };
  let bestM = Number.POSITIVE_INFINITY;
  for (let stationM = 0; stationM < 30; stationM += STEP_M) {
    const [px, py] = pointAlong(own.polyline, stationM);
    const asideM = Math.abs(hx * (py - y) - hy * (px - x));
    if (asideM >= bestM) continue;
    bestM = asideM;
    best = { at: [px, py], stationM };
  }
  return best;
}

function put(world: SlabEditor, { x, y, hx, hy }: Box, speedMps: number): void {
  for (const [field, value] of [
    [A_X, x],
    [A_Y, y],
    [A_HX, hx],
    [A_HY, hy],
    [A_SPEED, speedMps],
  ] as const) {
    world.setF64(HAZARDS + field, 0, value);
  }
  world.setI32(HAZARDS + A_STATE, 0, ACTOR_STANDS);
}

const boxAt = (x: number, y: number, hx: number, hy: number): Box => ({
  x,
  y,
  hx,
  hy,
  halfLengthM: VEHICLE.lengthM / 2,
  halfWidthM: VEHICLE.widthM / 2,
});

function bodyOf({ kernel, slab }: Crossing): Box {
  const { f64 } = kernel.view(slab);
  const of = (array: number) => f64[array / 8] ?? Number.NaN;
  const [hx, hy] = [of(C_HX), of(C_HY)];
  return {
    x: of(C_X) + CAR.centreM * hx,
    y: of(C_Y) + CAR.centreM * hy,
    hx,
    hy,
    halfLengthM: CAR.lengthM / 2,
    halfWidthM: CAR.widthM / 2,
  };
}
