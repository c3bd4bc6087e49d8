import {
  C_ACCEL,
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_CLAIM,
  C_EMERGENCY,
  C_FLAGS,
  C_LANE,
  C_SPEED_FACTOR,
  C_VX,
  F_ALL,
  TICK_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { Actor, Lane, Point, Road } from '../../city/types.ts';
import { pointAlong, startDirection } from '../../citygen/geometry.ts';
import { Crossing, type Side } from './crossing.ts';
import { SlabView } from './kernel.ts';
import {
  apart,
  bodyOf,
  boxAt,
  type Intervention,
  interventionsOf,
  KMH,
  STANDING_MPS,
} from './manoeuvre.ts';
import { PERSON, VEHICLE } from './manoeuvres.ts';
import { spotOf } from './proving-road.ts';
import { edit, type SlabEditor } from './slab-editor.ts';

/** Between the start and the place where the paths cross, s. */
const LEAD_IN_S = 6;
const LASTS_S = 14;
/** When the other would be in the middle where there is none, s. */
const FAR_OFF_S = 1e6;
/** Step of the search for the crossing of two paths, m. */
const STEP_M = 0.1;

export interface CrossingRun {
  /** Side from which the other object comes, straight over the junction. */
  from: Exclude<Side, 'west'>;
  turn: 'straight' | 'left';
  speedKmh: number;
  otherKmh: number;
  /** The other object; by default a car. */
  actor?: Actor;
  /** So long before both would be in the middle the other comes into sight, s; always there without. */
  revealS?: number;
  /** So much later than the car under test would the other be in the middle, s. */
  lateS?: number;
  /** Declared mask of the car under test. */
  features?: number;
}

export interface TurnRun {
  turn: 'left' | 'right';
  speedKmh: number;
  /** Which way the adult walks: that of the car before it turns, or the opposite. */
  walks: 'same' | 'opposite';
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
export function runCrossing({ from, actor = VEHICLE, ...run }: CrossingRun): CrossingResult {
  return runTimed({
    ...run,
    actor,
    row: 'arterial',
    column: 'local',
    lineOf: (crossing) => {
      const { polyline } = crossing.connector(from, 'straight');
      return { point: at(polyline, 0), heading: startDirection(polyline) };
    },
  });
}

/**
 * CPTA: distance of the adult's path from the middle of the car's road, m, and the car's speeds,
 * km/h.
 */
const WALK_ASIDE_M = 9.5;
const WALK_KMH = 5;
/**
 * Distance from the adult's start to the collision, m: across the lane that the car enters, or
 * both.
 */
const WALK_FROM_M = { near: 6, far: 9.5 };

/**
 * CPTA: turns into a road that an adult crosses. There is no driver: the car holds its speed until
 * a function acts. Without reaction the middle of its front strikes the adult.
 */
export function runTurn({ turn, walks, ...run }: TurnRun): CrossingResult {
  const isFromNear = (turn === 'left') === (walks === 'opposite');
  return runTimed({
    ...run,
    turn,
    actor: PERSON,
    otherKmh: WALK_KMH,
    row: 'collector',
    column: 'collector',
    unattended: true,
    waitsAtM: isFromNear ? WALK_FROM_M.near : WALK_FROM_M.far,
    lineOf: () => ({
      point: [0, turn === 'left' ? WALK_ASIDE_M : -WALK_ASIDE_M],
      heading: [walks === 'same' ? 1 : -1, 0],
    }),
  });
}

interface TimedRun {
  turn: 'straight' | 'left' | 'right';
  speedKmh: number;
  otherKmh: number;
  actor: Actor;
  revealS?: number;
  lateS?: number;
  features?: number;
  /** Classes of the road that the car under test comes on and of the other one. */
  row: Road['class'];
  column: Road['class'];
  /** Straight path of the other object. */
  lineOf: (crossing: Crossing) => Line;
  /** So far before the middle it waits until it is time to set off; always moving without. */
  waitsAtM?: number;
  /** The car holds its speed until a function acts, and the manoeuvre ends when it stands. */
  unattended?: boolean;
}

interface Line {
  point: Point;
  heading: Point;
}

function runTimed(run: TimedRun): CrossingResult {
  const alone = drive(run, undefined);
  return drive(run, alone.meetsS + (run.lateS ?? 0)).result;
}

function drive(run: TimedRun, meetsS: number | undefined) {
  const crossing = crossingFor(run);
  const line = run.lineOf(crossing);
  const meeting = whereMeet(crossing.connector('west', run.turn), line);
  const otherAt = otherOf(run, line, meeting.at, meetsS ?? FAR_OFF_S);
  const result = {
    contact: false,
    impactSpeedKmh: 0,
    minGapM: Number.POSITIVE_INFINITY,
    slowestKmh: run.speedKmh,
    decelMps2: 0,
    flags: 0,
    speedsKmh: [] as number[],
  };
  const { kernel, slab } = crossing;
  const view = new SlabView(kernel.view(slab));
  const bumperAtM = run.unattended ? meeting.stationM - run.actor.widthM / 2 : meeting.stationM;
  let whenS = Number.NaN;
  let hasActed = false;
  for (let tick = 1; tick <= LASTS_S / TICK_S && !result.contact; tick++) {
    const timeS = tick * TICK_S;
    const other = otherAt(timeS);
    edit(kernel, slab, (world) => {
      hasActed ||= world.real(C_EMERGENCY, 0) > 0;
      keepSpeed(world, crossing, run, hasActed);
      const isThere = timeS >= (meetsS ?? LASTS_S) - (run.revealS ?? LASTS_S);
      if (meetsS !== undefined && isThere) world.placeActor(0, other.box, other.speedMps);
    });
    const beforeMps = crossing.car(0).speedMps;
    crossing.step();
    const { distanceM, speedMps, where } = crossing.car(0);
    if (Number.isNaN(whenS) && distanceM <= -bumperAtM) whenS = timeS;
    result.speedsKmh.push(speedMps / KMH);
    if (where !== 'beyond') result.slowestKmh = Math.min(result.slowestKmh, speedMps / KMH);
    result.decelMps2 = Math.max(result.decelMps2, -view.real(C_ACCEL, 0));
    result.flags |= view.i32(C_FLAGS, 0);
    const gapM = apart(bodyOf(view), other.box);
    result.minGapM = Math.min(result.minGapM, Math.max(gapM, 0));
    if (run.unattended && speedMps < STANDING_MPS) {
      result.slowestKmh = 0;
      break;
    }
    if (gapM > 0 && kernel.contactCount(slab) === 0) continue;
    result.contact = true;
    result.impactSpeedKmh = beforeMps / KMH;
  }
  return { meetsS: whenS, result: { ...result, interventions: interventionsOf(kernel, slab) } };
}

/** Makes the car, or its driver, keep the speed of the run. */
function keepSpeed(
  world: SlabEditor,
  { city }: Crossing,
  { speedKmh, unattended }: TimedRun,
  hasActed: boolean,
): void {
  const { speedLimitMps } = at(city.lanes, world.i32(C_LANE, 0));
  world.setReal(C_SPEED_FACTOR, 0, (speedKmh * KMH) / speedLimitMps);
  if (!unattended) return;
  world.setReal(C_ACCEL_WANTED, 0, 0);
  world.setReal(C_ACCEL_TARGET, 0, 0);
  if (!hasActed) world.setReal(C_VX, 0, speedKmh * KMH);
}

/** Where the other is, and how fast, if it is in the middle at `meetsS`. */
function otherOf(run: TimedRun, { heading }: Line, [x, y]: Point, meetsS: number) {
  const [hx, hy] = heading;
  const waitsAtM = run.waitsAtM ?? Number.POSITIVE_INFINITY;
  return (timeS: number) => {
    const speedMps = run.otherKmh * KMH;
    const aheadM = speedMps * (timeS - meetsS);
    const isWaiting = aheadM < -waitsAtM;
    const placeM = isWaiting ? -waitsAtM : aheadM;
    const box = boxAt(run.actor, [x + hx * placeM, y + hy * placeM], heading);
    return { box, speedMps: isWaiting ? 0 : speedMps };
  };
}

function crossingFor({ turn, speedKmh, features, actor, row, column }: TimedRun): Crossing {
  const speedMps = speedKmh * KMH;
  const crossing = new Crossing({
    control: 'priority',
    row,
    column,
    cars: {
      0: {
        from: 'west',
        turn,
        distanceM: speedMps * LEAD_IN_S,
        speedMps,
        features: features ?? F_ALL,
      },
    },
    hazards: [spotOf(actor, 0)],
  });
  edit(crossing.kernel, crossing.slab, (world) => {
    // The car must not slow down first to find a gap.
    world.setI32(C_CLAIM, 0, crossing.city.lanes.indexOf(crossing.connector('west', turn)));
  });
  return crossing;
}

/** Where a lane crosses a line: the place, and m along the lane. */
function whereMeet({ polyline }: Lane, { point, heading }: Line): { at: Point; stationM: number } {
  const [x, y] = point;
  const [hx, hy] = heading;
  let best = { at: at(polyline, 0), stationM: 0 };
  let bestM = Number.POSITIVE_INFINITY;
  for (let stationM = 0; stationM < 30; stationM += STEP_M) {
    const [px, py] = pointAlong(polyline, stationM);
    const asideM = Math.abs(hx * (py - y) - hy * (px - x));
    if (asideM >= bestM) continue;
    bestM = asideM;
    best = { at: [px, py], stationM };
  }
  return best;
}
