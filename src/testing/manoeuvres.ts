import {
  A_ACCEL,
  A_HX,
  A_HY,
  A_SPEED,
  A_STATE,
  A_X,
  A_Y,
  ACTOR_STANDS,
  ACTOR_WAITS,
  C_ACCEL,
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_EMERGENCY,
  C_EVADE_TICK,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_STATION,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  CAR_COUNT,
  EVENT_INTERVENTION,
  F_ALL,
  F_THROTTLE,
  HAZARD_BYTES,
  HAZARDS,
} from '../../assembly/layout.ts';
import { at, lengthOf } from '../city/geometry.ts';
import type { Actor } from '../city/types.ts';
import { packCity } from '../kernel/city-table.ts';
import { Kernel } from '../kernel/kernel.ts';
import { FEATURES } from '../twin/catalogue.ts';
import { CAR_TYPES } from '../twin/fleet.ts';
import { wasmOf } from './kernel.ts';
import { type ProvingRoad, provingRoad } from './proving-road.ts';
import type { SlabEditor } from './slab-editor.ts';
import { edit } from './slab-editor.ts';

const TICK_S = 0.02;
const KMH = 1 / 3.6;
const G_MPS2 = 9.81;
/** The type of the car under test: 4.56 × 1.82 m. */
const CAR_TYPE = 2;
const CAR = at(CAR_TYPES, CAR_TYPE);
const NOSE_M = CAR.centreM + CAR.lengthM / 2;
export const CAR_WIDTH_M = CAR.widthM;
const START_STATION_M = 40;
const DRY = 0.95;

/** Where something is, from where the front bumper of the car under test begins, along its lane and left of it. */
export interface Motion {
  aheadM: number;
  leftM: number;
  /** Of its length, to the left of the lane's direction, rad. */
  headingRad: number;
  speedMps: number;
  accelMps2: number;
}

/** What the car meets. */
export interface Mover {
  actor: Actor;
  /** Of its middle. */
  at: (timeS: number) => Motion;
  /** Sensors cannot see it before this time. */
  hiddenUntilS?: number;
}

export interface Manoeuvre {
  speedKmh: number;
  movers: readonly Mover[];
  /** Declared mask of the car under test; everything is on unless it says otherwise. */
  features?: number;
  friction?: number;
  /** Lanes in each direction. */
  lanes?: 1 | 2;
  /** At the most. */
  lastsS?: number;
}

export interface Intervention {
  feature: string;
  timeS: number;
}

export interface ManoeuvreResult {
  contact: boolean;
  /** Of the car to what it struck, along its own length; 0 without contact. */
  impactSpeedKmh: number;
  /** Least distance between the bodies. */
  minGapM: number;
  interventions: readonly Intervention[];
  /** When the manoeuvre ended. */
  speedKmh: number;
  /** Farthest left and right of the lane's centre. */
  leftmostM: number;
  rightmostM: number;
  /** Left of the lane's centre, at the end. */
  offsetM: number;
  /** Strongest deceleration. */
  decelMps2: number;
  /** Slip angle of the body, greatest, rad. */
  slipRad: number;
}

/**
 * Drives one manoeuvre on the real kernel. Nobody sits at the wheel: the car under test holds its speed
 * until a function acts, and its lane, as a test driver's robot would. Ends with contact, when the car
 * stands, or after `lastsS`.
 */
export function runManoeuvre(manoeuvre: Manoeuvre): ManoeuvreResult {
  const drive = new Drive(manoeuvre);
  const ticks = Math.round((manoeuvre.lastsS ?? 12) / TICK_S);
  for (let tick = 0; tick < ticks && !drive.isOver; tick++) drive.step();
  return drive.result();
}

export interface Box {
  x: number;
  y: number;
  hx: number;
  hy: number;
  halfLengthM: number;
  halfWidthM: number;
}

class Drive {
  readonly #plan: Manoeuvre;
  readonly #road: ProvingRoad;
  readonly #kernel: Kernel;
  readonly #slab: number;
  /** Place of the front bumper of the car under test at the start. */
  readonly #startX: number;
  readonly #laneY: number;
  #ticks = 0;
  #hasActed = false;
  #contact = false;
  #impactMps = 0;
  #minGapM = Number.POSITIVE_INFINITY;
  #offsets: number[] = [];
  #decelMps2 = 0;
  #slipRad = 0;
  #speedMps: number;

  constructor(plan: Manoeuvre) {
    this.#plan = plan;
    this.#road = provingRoad(
      plan.movers.map(({ actor }) => actor),
      plan.lanes ?? 1,
    );
    const [fromX, y] = at(this.#road.lane.polyline, 0);
    this.#startX = fromX + START_STATION_M + NOSE_M;
    this.#laneY = y;
    this.#speedMps = plan.speedKmh * KMH;
    this.#kernel = new Kernel({
      module: new WebAssembly.Module(wasmOf('release')),
      cityTables: [packCity(this.#road.city)],
      carTypes: CAR_TYPES,
      slabCount: 1,
    });
    this.#slab = this.#kernel.acquire() ?? 0;
    this.#kernel.create(this.#slab, {
      cityIndex: 0,
      seed: 1,
      carTypes: new Int32Array(CAR_COUNT).fill(CAR_TYPE),
      masks: Array.from({ length: CAR_COUNT }, (_, car) =>
        car === 0 ? (plan.features ?? F_ALL) : F_ALL & ~F_THROTTLE,
      ),
    });
    edit(this.#kernel, this.#slab, (world) => this.#place(world));
  }

  get isOver(): boolean {
    return this.#contact || (this.#ticks > 0 && this.#speedMps < 0.05);
  }

  #place(world: SlabEditor): void {
    world.setF64(C_X, 0, this.#startX - NOSE_M);
    world.setF64(C_Y, 0, this.#laneY);
    world.setI32(C_LANE, 0, this.#road.laneIndex);
    world.setI32(C_ROUTE_INDEX, 0, 0);
    world.setF64(C_STATION, 0, START_STATION_M);
    world.setF64(C_HX, 0, 1);
    for (const array of [C_HY, C_VY, C_YAW_RATE, C_OFFSET]) world.setF64(array, 0, 0);
    for (let car = 1; car < CAR_COUNT; car++) this.#park(world, car);
    this.#set(world, 0);
  }

  #park(world: SlabEditor, car: number): void {
    const lanes = this.#road.parkLanes;
    const lane = at(lanes, car % lanes.length);
    const { polyline } = at(this.#road.city.lanes, lane);
    const stationM = 20 + 10 * Math.floor(car / lanes.length);
    const share = stationM / lengthOf(polyline);
    const [from, to] = [at(polyline, 0), at(polyline, polyline.length - 1)];
    world.setF64(C_X, car, from[0] + share * (to[0] - from[0]));
    world.setF64(C_Y, car, from[1] + share * (to[1] - from[1]));
    world.setF64(C_HX, car, Math.sign(to[0] - from[0]));
    world.setI32(C_LANE, car, lane);
    world.setI32(C_ROUTE_INDEX, car, 0);
    world.setF64(C_STATION, car, stationM);
    for (const array of [C_HY, C_VX, C_VY, C_YAW_RATE, C_OFFSET]) world.setF64(array, car, 0);
  }

  /** What holds before the tick that leads to `timeS`. */
  #set(world: SlabEditor, timeS: number): void {
    const friction = this.#plan.friction ?? DRY;
    world.setF64(C_FRICTION_FRONT, 0, friction);
    world.setF64(C_FRICTION_REAR, 0, friction);
    world.setF64(C_ACCEL_WANTED, 0, 0);
    world.setF64(C_ACCEL_TARGET, 0, 0);
    if (!this.#hasActed) world.setF64(C_VX, 0, this.#plan.speedKmh * KMH);
    for (const [i, mover] of this.#plan.movers.entries()) {
      const spot = HAZARDS + i * HAZARD_BYTES;
      const { aheadM, leftM, headingRad, speedMps, accelMps2 } = mover.at(timeS);
      world.setF64(spot + A_X, 0, this.#startX + aheadM);
      world.setF64(spot + A_Y, 0, this.#laneY + leftM);
      world.setF64(spot + A_HX, 0, Math.cos(headingRad));
      world.setF64(spot + A_HY, 0, Math.sin(headingRad));
      world.setF64(spot + A_SPEED, 0, speedMps);
      world.setF64(spot + A_ACCEL, 0, accelMps2);
      const isHidden = timeS < (mover.hiddenUntilS ?? 0);
      world.setI32(spot + A_STATE, 0, isHidden ? ACTOR_WAITS : ACTOR_STANDS);
    }
  }

  step(): void {
    this.#kernel.step(this.#slab, 1);
    const timeS = ++this.#ticks * TICK_S;
    edit(this.#kernel, this.#slab, (world) => {
      const isActing = world.f64(C_EMERGENCY, 0) > 0 || world.i32(C_EVADE_TICK, 0) !== 0;
      this.#hasActed ||= isActing;
      this.#look(world, timeS);
      this.#set(world, timeS);
    });
  }

  #look(world: SlabEditor, timeS: number): void {
    const [hx, hy] = [world.f64(C_HX, 0), world.f64(C_HY, 0)];
    const own: Box = {
      x: world.f64(C_X, 0) + CAR.centreM * hx,
      y: world.f64(C_Y, 0) + CAR.centreM * hy,
      hx,
      hy,
      halfLengthM: CAR.lengthM / 2,
      halfWidthM: CAR.widthM / 2,
    };
    this.#speedMps = world.f64(C_VX, 0);
    this.#offsets.push(world.f64(C_OFFSET, 0));
    this.#decelMps2 = Math.max(this.#decelMps2, -world.f64(C_ACCEL, 0));
    const slipRad = Math.atan2(world.f64(C_VY, 0), Math.max(this.#speedMps, 1));
    this.#slipRad = Math.max(this.#slipRad, Math.abs(slipRad));
    for (const mover of this.#plan.movers) {
      const motion = mover.at(timeS);
      const gapM = apart(own, this.#boxOf(mover, motion));
      this.#minGapM = Math.min(this.#minGapM, Math.max(gapM, 0));
      if (gapM > 0 || this.#contact) continue;
      this.#contact = true;
      const along = Math.cos(motion.headingRad) * hx + Math.sin(motion.headingRad) * hy;
      this.#impactMps = this.#speedMps - motion.speedMps * along;
    }
  }

  #boxOf({ actor }: Mover, { aheadM, leftM, headingRad }: Motion): Box {
    return {
      x: this.#startX + aheadM,
      y: this.#laneY + leftM,
      hx: Math.cos(headingRad),
      hy: Math.sin(headingRad),
      halfLengthM: actor.lengthM / 2,
      halfWidthM: actor.widthM / 2,
    };
  }

  result(): ManoeuvreResult {
    return {
      contact: this.#contact,
      impactSpeedKmh: this.#impactMps / KMH,
      minGapM: this.#minGapM,
      interventions: this.#kernel
        .events(this.#slab)
        .filter(({ kind, car }) => kind === EVENT_INTERVENTION && car === 0)
        .map(({ feature, tick }) => ({
          feature: at(FEATURES, feature).name,
          timeS: tick * TICK_S,
        })),
      speedKmh: this.#speedMps / KMH,
      leftmostM: Math.max(...this.#offsets),
      rightmostM: Math.min(...this.#offsets),
      offsetM: at(this.#offsets, this.#offsets.length - 1),
      decelMps2: this.#decelMps2,
      slipRad: this.#slipRad,
    };
  }
}

/** Distance of two boxes along the axis that parts them best, m; negative where they overlap. */
export function apart(a: Box, b: Box): number {
  const axes = [
    [a.hx, a.hy],
    [-a.hy, a.hx],
    [b.hx, b.hy],
    [-b.hy, b.hx],
  ] as const;
  return Math.max(
    ...axes.map(
      ([nx, ny]) =>
        Math.abs((b.x - a.x) * nx + (b.y - a.y) * ny) - reach(a, nx, ny) - reach(b, nx, ny),
    ),
  );
}

const reach = ({ hx, hy, halfLengthM, halfWidthM }: Box, nx: number, ny: number): number =>
  halfLengthM * Math.abs(hx * nx + hy * ny) + halfWidthM * Math.abs(hx * ny - hy * nx);

/** Euro NCAP's global vehicle target. */
export const VEHICLE: Actor = {
  kind: 'vehicle',
  name: 'vehicle target',
  lengthM: 4.023,
  widthM: 1.712,
  massKg: 1200,
  speedMps: 0,
};
const PERSON: Actor = {
  kind: 'person',
  name: 'pedestrian',
  lengthM: 0.6,
  widthM: 0.5,
  massKg: 75,
  speedMps: 0,
};
const CHILD: Actor = { ...PERSON, name: 'child', lengthM: 0.5, widthM: 0.4, massKg: 30 };
const DEER: Actor = {
  kind: 'animal',
  name: 'deer',
  lengthM: 1.1,
  widthM: 0.35,
  massKg: 23,
  speedMps: 0,
};

/** The rest of a manoeuvre: what is on, the road's friction, its lanes. */
export type Conditions = Omit<Manoeuvre, 'speedKmh' | 'movers'>;

/** Time to collision at which a manoeuvre begins, s. */
const LEAD_IN_S = 4;

const standing = (aheadM: number, leftM: number): Motion => ({
  aheadM,
  leftM,
  headingRad: 0,
  speedMps: 0,
  accelMps2: 0,
});

/** CCRs: towards a standing car; `leftM` of the lane's centre, seen `revealS` before contact at the latest. */
export function towardsStanding(
  speedKmh: number,
  conditions: Conditions = {},
  { leftM = 0, revealS = LEAD_IN_S, actor = VEHICLE } = {},
): ManoeuvreResult {
  const gapM = speedKmh * KMH * LEAD_IN_S;
  const mover: Mover = {
    actor,
    at: () => standing(gapM + actor.lengthM / 2, leftM),
    hiddenUntilS: LEAD_IN_S - revealS,
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

/** CCRm: towards a slower car. */
export function towardsSlower(
  speedKmh: number,
  otherKmh: number,
  conditions: Conditions = {},
): ManoeuvreResult {
  const gapM = (speedKmh - otherKmh) * KMH * LEAD_IN_S;
  const speedMps = otherKmh * KMH;
  const mover: Mover = {
    actor: VEHICLE,
    at: (timeS) => ({
      ...standing(gapM + VEHICLE.lengthM / 2 + speedMps * timeS, 0),
      speedMps,
    }),
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

/** CCRb: behind a car of the same speed that brakes after a second until it stands. */
export function behindBraking(
  speedKmh: number,
  gapM: number,
  decelMps2: number,
  conditions: Conditions = {},
): ManoeuvreResult {
  const startMps = speedKmh * KMH;
  const lastsS = startMps / decelMps2;
  const mover: Mover = {
    actor: VEHICLE,
    at: (timeS) => {
      const brakingS = Math.min(Math.max(timeS - 1, 0), lastsS);
      const wayM = startMps * (Math.min(timeS, 1) + brakingS) - (decelMps2 / 2) * brakingS ** 2;
      return {
        ...standing(gapM + VEHICLE.lengthM / 2 + wayM, 0),
        speedMps: startMps - decelMps2 * brakingS,
        accelMps2: brakingS > 0 && brakingS < lastsS ? -decelMps2 : 0,
      };
    },
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

export interface Walk {
  actor: Actor;
  speedKmh: number;
  /** Where it starts, right of the middle of the car. */
  fromRightM: number;
  /** Share of the car's width, from its right, at which it is struck if nobody reacts. */
  struckAt: number;
  /** It is seen so long before contact at the latest. */
  revealS?: number;
}

/** CPNA: an adult from the near side, 5 km/h, 4 m; struck at 25 or 75 % of the width. */
export const adultFromNearSide = (struckAt: number): Walk => ({
  actor: PERSON,
  speedKmh: 5,
  fromRightM: 4,
  struckAt,
});
/** CPFA: an adult from the far side, 8 km/h, 6 m. */
export const ADULT_FROM_FAR_SIDE: Walk = {
  actor: PERSON,
  speedKmh: 8,
  fromRightM: -6,
  struckAt: 0.5,
};
/** CPNCO: a child from behind parked cars, 5 km/h; it is seen 1.44 s before contact. */
export const CHILD_FROM_PARKED_CARS: Walk = {
  actor: CHILD,
  speedKmh: 5,
  fromRightM: 4,
  struckAt: 0.5,
  revealS: 1.44,
};
/** A deer that leaps out of a hedge, 3 m/s; it is seen 1.58 s before contact. */
export const DEER_FROM_HEDGE: Walk = {
  actor: DEER,
  speedKmh: 10.8,
  fromRightM: 6.25,
  struckAt: 0.5,
  revealS: 1.58,
};

/** Somebody walks or runs across the lane, at a pace that makes it be struck. */
export function acrossTheLane(
  speedKmh: number,
  walk: Walk,
  conditions: Conditions = {},
): ManoeuvreResult {
  const { actor, fromRightM, struckAt, revealS = LEAD_IN_S } = walk;
  const towards = Math.sign(fromRightM);
  const speedMps = walk.speedKmh * KMH;
  const aheadM = speedKmh * KMH * LEAD_IN_S + actor.widthM / 2;
  const atContactM = (struckAt - 0.5) * CAR.widthM;
  const mover: Mover = {
    actor,
    at: (timeS) => {
      const wayM = speedMps * (timeS - LEAD_IN_S);
      const leftM = atContactM + towards * wayM;
      const isWaiting = (leftM + fromRightM) * towards < 0;
      return {
        aheadM,
        leftM: isWaiting ? -fromRightM : leftM,
        headingRad: (towards * Math.PI) / 2,
        speedMps: isWaiting ? 0 : speedMps,
        accelMps2: 0,
      };
    },
    hiddenUntilS: LEAD_IN_S - revealS,
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

/** An obstacle that covers part of the way of a car in the middle of its lane, seen so late. */
export function behindCrest(
  speedKmh: number,
  conditions: Conditions = {},
  { overlapM = 0.7, revealS = 1.55, beside = [] as readonly Mover[] } = {},
): ManoeuvreResult {
  const widthM = CAR.widthM / 2 + overlapM;
  const actor: Actor = { ...VEHICLE, kind: 'obstacle', name: 'obstacle', lengthM: 2, widthM };
  const gapM = speedKmh * KMH * LEAD_IN_S;
  const mover: Mover = {
    actor,
    at: () => standing(gapM + 1, overlapM - CAR.widthM / 2 - widthM / 2),
    hiddenUntilS: LEAD_IN_S - revealS,
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover, ...beside] });
}

/** m/s² that a road of this friction lets brakes under ABS reach. */
export const fullBraking = (friction: number): number => 0.95 * friction * G_MPS2;
