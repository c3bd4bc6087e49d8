import {
  A_WAIT,
  C_ESC_ACTIVE,
  C_EVADE_TICK,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_STATION,
  C_STATUS,
  C_TYPE,
  C_VX,
  C_VY,
  CAR_COUNT,
  ESC_TICKS,
  HAZARD_BYTES,
  HAZARDS,
  STATUS_CRASHED,
  TICK_MS,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { type LaneProfile, profilesOf } from '../../city/table/lane-profile.ts';
import type { City } from '../../city/types.ts';
import { covers } from '../../citygen/geometry.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { makeWorld, SlabView } from './kernel.ts';

/** A car is observed from this distance before the ice to this distance behind it, m. */
const BEFORE_M = 6;
const BEYOND_M = 25;
/** A car that takes longer is stuck, and no longer passes. */
const PASS_TICKS_MAX = 1500;
/** A spin: sliding beyond the first angle for this time, or a rotation beyond the second. */
const SPIN_SLIP_RAD = (20 * Math.PI) / 180;
const SPIN_TICKS = 300 / TICK_MS;
const SPIN_COSINE = 0.5;

/** One car over the ice of a bend. */
export interface IcePass {
  car: number;
  type: number;
  tick: number;
  /** As the front comes to the ice, m/s. */
  speedMps: number;
  /** Greatest distance from the lane's centre, m. */
  offsetM: number;
  slipRad: number;
  hasIntervened: boolean;
  hasLeftLane: boolean;
  hasSpun: boolean;
  hasCrashed: boolean;
}

interface OpenPass extends IcePass {
  slipTicks: number;
}

/** The icy part of a city's lane. */
interface IceSite {
  spot: number;
  lane: number;
  fromM: number;
  toM: number;
  halfWidthM: number;
  profile: LaneProfile;
}

function iceSiteOf(city: City): IceSite {
  const spot = city.hazards.findIndex(({ kind }) => kind === 'ice_bend');
  if (spot < 0) throw new RangeError(`${city.name} has no ice`);
  const lane = at(at(city.hazards, spot).site.lanes, -1);
  const profile = at(profilesOf(city), lane);
  const ice = city.zones.filter(({ kind }) => kind === 'ice');
  const icy = profile.points.flatMap(({ position }, i) =>
    ice.some(({ polygon }) => covers(polygon, position)) ? [i * profile.spacingM] : [],
  );
  const halfWidthM = at(city.lanes, lane).widthM / 2;
  return { spot, lane, fromM: at(icy, 0), toM: at(icy, -1), halfWidthM, profile };
}

/** Of one world a seed: every pass over the ice, while there is some, and what ESC did anywhere. */
export interface IceTally {
  passes: IcePass[];
  interventions: Interventions;
}

/** Drives one world a seed; `prepare` may switch features first. */
export function tallyIce(
  kernel: Kernel,
  city: City,
  cityIndex: number,
  seeds: readonly number[],
  ticks: number,
  prepare: (slab: Slab) => void = () => {},
): IceTally {
  const site = iceSiteOf(city);
  const interventions: Interventions = { kilometres: 0, evading: 0, onIce: 0, onWet: 0, onDry: 0 };
  const passes = seeds.flatMap((seed) => {
    const slab = makeWorld(kernel, seed, cityIndex);
    prepare(slab);
    const watch = new IceWatch(kernel.view(slab), site);
    const esc = new EscWatch(kernel.view(slab), interventions);
    for (let tick = 1; tick <= ticks; tick++) {
      kernel.step(slab, 1);
      watch.look(tick);
      esc.look(tick);
    }
    kernel.release(slab);
    return watch.passes;
  });
  return { passes, interventions };
}

/** Of stability control. */
export interface Interventions {
  kilometres: number;
  /** Begun while evasive steering was at it, which asks for all that a road gives. */
  evading: number;
  /** Of the others: begun on ice or within a second of it. */
  onIce: number;
  onWet: number;
  onDry: number;
}

const ICE_FRICTION_MAX = 0.3;
const WET_FRICTION_MAX = 0.6;
const AFTER_ICE_TICKS = 1000 / TICK_MS;

/** Counts the interventions of stability control in one world. */
class EscWatch extends SlabView {
  readonly #found: Interventions;
  readonly #before = new Int32Array(CAR_COUNT);
  readonly #iceTick = new Int32Array(CAR_COUNT).fill(-AFTER_ICE_TICKS);

  constructor(slab: SlabArrays, found: Interventions) {
    super(slab);
    this.#found = found;
  }

  look(tick: number): void {
    const found = this.#found;
    for (let car = 0; car < CAR_COUNT; car++) {
      found.kilometres += (Math.abs(this.real(C_VX, car)) * TICK_MS) / 1e6;
      const friction = Math.min(this.real(C_FRICTION_FRONT, car), this.real(C_FRICTION_REAR, car));
      if (friction < ICE_FRICTION_MAX) this.#iceTick[car] = tick;
      const active = this.i32(C_ESC_ACTIVE, car);
      const begins = active === ESC_TICKS && this.#before[car] === 0;
      this.#before[car] = active;
      if (begins && this.i32(C_EVADE_TICK, car) !== 0) found.evading += 1;
      else if (begins && tick - (this.#iceTick[car] as number) < AFTER_ICE_TICKS) found.onIce += 1;
      else if (begins && friction < WET_FRICTION_MAX) found.onWet += 1;
      else if (begins) found.onDry += 1;
    }
  }
}

export const shareOf = (passes: readonly IcePass[], is: (pass: IcePass) => boolean): number =>
  passes.filter(is).length / passes.length;

class IceWatch {
  readonly passes: IcePass[] = [];
  readonly #open = new Map<number, OpenPass>();
  readonly #site: IceSite;
  readonly #world: SlabView;

  constructor(slab: SlabArrays, site: IceSite) {
    this.#world = new SlabView(slab);
    this.#site = site;
  }

  look(tick: number): void {
    const { lane, fromM, toM } = this.#site;
    for (let car = 0; car < CAR_COUNT; car++) {
      const pass = this.#open.get(car);
      const isOnLane = this.#world.i32(C_LANE, car) === lane;
      if (!pass && !isOnLane) continue;
      const stationM = this.#world.real(C_STATION, car);
      if (pass) {
        this.#add(pass, car);
        const isOver = !isOnLane || stationM > toM + BEYOND_M || pass.hasCrashed;
        if (isOver || tick - pass.tick > PASS_TICKS_MAX) this.#close(pass);
      } else if (this.#isIcy() && stationM > fromM - BEFORE_M && stationM < fromM) {
        this.#open.set(car, this.#begin(car, tick));
      }
    }
  }

  #isIcy(): boolean {
    return this.#world.i32(HAZARDS + this.#site.spot * HAZARD_BYTES + A_WAIT, 0) !== 0;
  }

  #begin(car: number, tick: number): OpenPass {
    const none = { hasIntervened: false, hasLeftLane: false, hasSpun: false, hasCrashed: false };
    const type = this.#world.i32(C_TYPE, car);
    const speedMps = this.#world.real(C_VX, car);
    return { car, type, tick, speedMps, offsetM: 0, slipRad: 0, slipTicks: 0, ...none };
  }

  #add(pass: OpenPass, car: number): void {
    const { halfWidthM, profile } = this.#site;
    const vx = this.#world.real(C_VX, car);
    const slip = Math.abs(Math.atan2(this.#world.real(C_VY, car), Math.abs(vx)));
    const away = Math.abs(this.#world.real(C_OFFSET, car));
    const point = at(
      profile.points,
      Math.floor(this.#world.real(C_STATION, car) / profile.spacingM),
    );
    const [tx, ty] = point.tangent;
    const cosine = tx * this.#world.real(C_HX, car) + ty * this.#world.real(C_HY, car);
    const isMoving = vx > 1;
    pass.slipTicks = isMoving && slip > SPIN_SLIP_RAD ? pass.slipTicks + 1 : 0;
    if (isMoving) pass.slipRad = Math.max(pass.slipRad, slip);
    pass.offsetM = Math.max(pass.offsetM, away);
    if (pass.slipTicks > SPIN_TICKS || cosine < SPIN_COSINE) pass.hasSpun = true;
    if (away > halfWidthM - at(CAR_TYPES, pass.type).widthM / 2) pass.hasLeftLane = true;
    if (this.#world.i32(C_ESC_ACTIVE, car) === ESC_TICKS) pass.hasIntervened = true;
    if (this.#world.i32(C_STATUS, car) === STATUS_CRASHED) pass.hasCrashed = true;
  }

  #close({ slipTicks, ...pass }: OpenPass): void {
    this.passes.push(pass);
    this.#open.delete(pass.car);
  }
}
