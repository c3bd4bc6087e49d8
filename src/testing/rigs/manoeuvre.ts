import {
  A_ACCEL,
  A_STATE,
  ACTOR_WAITS,
  C_ACCEL,
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_EMERGENCY,
  C_EVADE_TICK,
  C_FLAGS,
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
  CAR_COUNT,
  EVENT_INTERVENTION,
  F_ALL,
  F_THROTTLE,
  HAZARD_BYTES,
  HAZARDS,
  TICK_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { Actor, Point } from '../../city/types.ts';
import { packCity } from '../../citygen/tables/city-table.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { FEATURES } from '../../twin/catalogue.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { cars, makeWorldOf, memoised, type SlabView } from './kernel.ts';
import { poseAlong } from './paths.ts';
import { type ProvingRoad, provingRoad } from './proving-road.ts';
import { edit, type Pose, type SlabEditor } from './slab-editor.ts';

/** m/s in a km/h. */
export const KMH = 1 / 3.6;
/** The type of the car under test: 4.56 × 1.82 m. */
const CAR_TYPE = 2;
export const CAR = at(CAR_TYPES, CAR_TYPE);
const NOSE_M = CAR.centreM + CAR.lengthM / 2;
const START_STATION_M = 40;
export const STANDING_MPS = 0.05;
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

/** An object that the car encounters. */
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
  /** At the most; else it ends when the car stands. */
  lastsS?: number;
  goesOnStanding?: boolean;
}

export interface Intervention {
  feature: string;
  timeS: number;
}

export interface ManoeuvreResult {
  contact: boolean;
  /** Of the car relative to the object, along the car's axis; 0 without contact. */
  impactSpeedKmh: number;
  /** Least distance between the bodies. */
  minGapM: number;
  interventions: readonly Intervention[];
  /** When the manoeuvre ended. */
  speedKmh: number;
  /** At the start and after each tick. */
  speedsKmh: readonly number[];
  /** Farthest left and right of the lane's centre. */
  leftmostM: number;
  rightmostM: number;
  /** Left of the lane's centre, at the end. */
  offsetM: number;
  /** Strongest deceleration. */
  decelMps2: number;
  /** Slip angle of the body, greatest, rad. */
  slipRad: number;
  /** Mask of the features that made a difference. */
  acted: number;
  /** All flags that the car ever showed. */
  flags: number;
  /** For how long functions held the car after a stop. */
  heldS: number;
}

/**
 * Drives one manoeuvre on the real kernel. There is no driver: the car holds its speed until a
 * function acts, and its lane, like a steering robot. Ends with contact, when the car stands, or
 * after `lastsS`.
 */
export function runManoeuvre(manoeuvre: Manoeuvre): ManoeuvreResult {
  const drive = new Drive(manoeuvre);
  const ticks = Math.round((manoeuvre.lastsS ?? 12) / TICK_S);
  for (let tick = 0; tick < ticks && !drive.isOver; tick++) drive.step();
  return drive.result();
}

export interface Box extends Pose {
  halfLengthM: number;
  halfWidthM: number;
}

const roadOf = memoised(({ actors, lanes }: { actors: readonly Actor[]; lanes: 1 | 2 }) => {
  const road = provingRoad(actors, lanes);
  return { road, table: packCity(road.city) };
});

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
  #flags = 0;
  #heldTicks = 0;
  #speedMps: number;
  readonly #speedsKmh: number[];

  constructor(plan: Manoeuvre) {
    this.#plan = plan;
    const actors = plan.movers.map(({ actor }) => actor);
    const { road, table } = roadOf({ actors, lanes: plan.lanes ?? 1 });
    this.#road = road;
    const [fromX, y] = at(this.#road.lane.polyline, 0);
    this.#startX = fromX + START_STATION_M + NOSE_M;
    this.#laneY = y;
    this.#speedMps = plan.speedKmh * KMH;
    this.#speedsKmh = [plan.speedKmh];
    const masks = cars.map((car) => (car === 0 ? (plan.features ?? F_ALL) : F_ALL & ~F_THROTTLE));
    const { kernel, slab } = makeWorldOf(table, CAR_TYPE, masks);
    this.#kernel = kernel;
    this.#slab = slab;
    edit(this.#kernel, this.#slab, (world) => this.#place(world));
  }

  get isOver(): boolean {
    const mayEnd = this.#ticks > 0 && !this.#plan.goesOnStanding;
    return this.#contact || (mayEnd && this.#speedMps < STANDING_MPS);
  }

  #place(world: SlabEditor): void {
    world.placeCar(0, { x: this.#startX - NOSE_M, y: this.#laneY, hx: 1, hy: 0 });
    world.stopCar(0);
    world.setI32(C_LANE, 0, this.#road.laneIndex);
    world.setI32(C_ROUTE_INDEX, 0, 0);
    world.setReal(C_STATION, 0, START_STATION_M);
    world.setReal(C_OFFSET, 0, 0);
    for (let car = 1; car < CAR_COUNT; car++) this.#park(world, car);
    this.#set(world, 0);
  }

  #park(world: SlabEditor, car: number): void {
    const lanes = this.#road.parkLanes;
    const lane = at(lanes, car % lanes.length);
    const { polyline } = at(this.#road.city.lanes, lane);
    const stationM = 20 + 10 * Math.floor(car / lanes.length);
    world.placeCar(car, poseAlong(polyline, stationM));
    world.stopCar(car);
    world.setI32(C_LANE, car, lane);
    world.setI32(C_ROUTE_INDEX, car, 0);
    world.setReal(C_STATION, car, stationM);
    world.setReal(C_OFFSET, car, 0);
  }

  /** Sets the scene before the tick that leads to `timeS`. */
  #set(world: SlabEditor, timeS: number): void {
    const friction = this.#plan.friction ?? DRY;
    world.setReal(C_FRICTION_FRONT, 0, friction);
    world.setReal(C_FRICTION_REAR, 0, friction);
    world.setReal(C_ACCEL_WANTED, 0, 0);
    world.setReal(C_ACCEL_TARGET, 0, 0);
    if (!this.#hasActed) world.setReal(C_VX, 0, this.#plan.speedKmh * KMH);
    for (const [i, mover] of this.#plan.movers.entries()) {
      const spot = HAZARDS + i * HAZARD_BYTES;
      const motion = mover.at(timeS);
      world.placeActor(i, this.#boxOf(mover, motion), motion.speedMps);
      world.setReal(spot + A_ACCEL, 0, motion.accelMps2);
      if (timeS < (mover.hiddenUntilS ?? 0)) world.setI32(spot + A_STATE, 0, ACTOR_WAITS);
    }
  }

  step(): void {
    this.#kernel.step(this.#slab, 1);
    const timeS = ++this.#ticks * TICK_S;
    edit(this.#kernel, this.#slab, (world) => {
      const isActing = world.real(C_EMERGENCY, 0) > 0 || world.i32(C_EVADE_TICK, 0) !== 0;
      this.#hasActed ||= isActing;
      this.#look(world, timeS);
      this.#set(world, timeS);
    });
  }

  #look(world: SlabEditor, timeS: number): void {
    const beforeMps = this.#speedMps;
    const own = bodyOf(world);
    this.#speedMps = world.real(C_VX, 0);
    this.#speedsKmh.push(this.#speedMps / KMH);
    this.#offsets.push(world.real(C_OFFSET, 0));
    this.#decelMps2 = Math.max(this.#decelMps2, -world.real(C_ACCEL, 0));
    this.#flags |= world.i32(C_FLAGS, 0);
    if (this.#speedMps < STANDING_MPS && world.real(C_EMERGENCY, 0) > 0) this.#heldTicks++;
    const slipRad = Math.atan2(world.real(C_VY, 0), Math.max(this.#speedMps, 1));
    this.#slipRad = Math.max(this.#slipRad, Math.abs(slipRad));
    for (const mover of this.#plan.movers) {
      const motion = mover.at(timeS);
      const gapM = apart(own, this.#boxOf(mover, motion));
      this.#minGapM = Math.min(this.#minGapM, Math.max(gapM, 0));
      if (gapM > 0 || this.#contact) continue;
      this.#contact = true;
      const along = Math.cos(motion.headingRad) * own.hx + Math.sin(motion.headingRad) * own.hy;
      // After the tick the bodies have struck each other already.
      this.#impactMps = beforeMps - motion.speedMps * along;
    }
  }

  #boxOf({ actor }: Mover, { aheadM, leftM, headingRad }: Motion): Box {
    const heading: Point = [Math.cos(headingRad), Math.sin(headingRad)];
    return boxAt(actor, [this.#startX + aheadM, this.#laneY + leftM], heading);
  }

  result(): ManoeuvreResult {
    return {
      contact: this.#contact,
      impactSpeedKmh: this.#impactMps / KMH,
      minGapM: this.#minGapM,
      interventions: interventionsOf(this.#kernel, this.#slab),
      speedKmh: this.#speedMps / KMH,
      speedsKmh: this.#speedsKmh,
      leftmostM: Math.max(...this.#offsets),
      rightmostM: Math.min(...this.#offsets),
      offsetM: at(this.#offsets, this.#offsets.length - 1),
      decelMps2: this.#decelMps2,
      slipRad: this.#slipRad,
      acted: this.#kernel.acted(this.#slab, 0),
      flags: this.#flags,
      heldS: this.#heldTicks * TICK_S,
    };
  }
}

/** Those of the car under test. */
export const interventionsOf = (kernel: Kernel, slab: number): Intervention[] =>
  kernel
    .events(slab)
    .filter(({ kind, car }) => kind === EVENT_INTERVENTION && car === 0)
    .map(({ feature, tick }) => ({ feature: at(FEATURES, feature).name, timeS: tick * TICK_S }));

export const boxAt = (
  { lengthM, widthM }: Pick<Actor, 'lengthM' | 'widthM'>,
  [x, y]: Point,
  [hx, hy]: Point,
): Box => ({ x, y, hx, hy, halfLengthM: lengthM / 2, halfWidthM: widthM / 2 });

/** The body of the car under test. */
export function bodyOf(world: SlabView): Box {
  const [hx, hy] = [world.real(C_HX, 0), world.real(C_HY, 0)];
  const x = world.real(C_X, 0) + CAR.centreM * hx;
  const y = world.real(C_Y, 0) + CAR.centreM * hy;
  return boxAt(CAR, [x, y], [hx, hy]);
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
