import {
  C_CONTACT_TICK,
  C_HX,
  C_HY,
  C_SLOPE,
  C_STATUS,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  CAR_COUNT,
  H_ZONES,
  STATUS_CRASHED,
  TICK_S,
} from '../../../assembly/layout.ts';
import { at, boundsOf } from '../../city/geometry.ts';
import type { City, Point } from '../../city/types.ts';
import { covers, isNearBounds } from '../../citygen/geometry.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { makeWorld, SlabView } from './kernel.ts';

const GRAVITY = 9.81;
const DRY = 0.95;
/** Of both axles together, an axle on ice or wet road included. */
const SLIPPERY_MAX = 0.9;
const AIR_DRAG = 0.4;
/** Below this speed wheels roll without slip, which friction does not limit, m/s. */
const SLIPS_MPS = 2.2;

/** Share of the road's friction that cars use, acceleration ÷ (friction × g). */
export interface GripUse {
  /** Car-ticks that were measured, and those of them with an axle on a slippery zone. */
  ticks: number;
  slipperyTicks: number;
  greatest: number;
  /** Where that was. */
  where: string;
}

/**
 * Measures each car that moves and has had no contact, tick by tick. The friction is that of the
 * city's zones at both axles, weighted by their static loads; the acceleration is what velocity and
 * yaw rate show, without gravity on a slope and without the drag of the air.
 */
export function gripOf(
  kernel: Kernel,
  city: City,
  cityIndex: number,
  seeds: readonly number[],
  ticks: number,
): GripUse {
  const use: GripUse = { ticks: 0, slipperyTicks: 0, greatest: 0, where: '' };
  const zones = slipperyZones(city);
  for (const seed of seeds) {
    const slab = makeWorld(kernel, seed, cityIndex);
    const watch = new GripWatch(kernel.view(slab), zones);
    for (let tick = 1; tick <= ticks; tick++) {
      const before = watch.motions();
      kernel.step(slab, 1);
      for (let car = 0; car < CAR_COUNT; car++) {
        const from = at(before, car);
        const share = watch.shareOf(car, from);
        if (share === undefined) continue;
        use.ticks += 1;
        if (from.friction < SLIPPERY_MAX) use.slipperyTicks += 1;
        if (share <= use.greatest) continue;
        use.greatest = share;
        use.where = `${city.name} seed ${seed} tick ${tick} car ${car} friction ${from.friction.toFixed(2)}`;
      }
    }
    kernel.release(slab);
  }
  return use;
}

type Zones = ReturnType<typeof slipperyZones>;

/** Ice and wet road. */
export const slipperyZones = (city: City) =>
  city.zones.flatMap(({ polygon, friction }, index) =>
    friction < DRY ? [{ index, polygon, friction, bounds: boundsOf(polygon) }] : [],
  );

/** @param counting bits of the zones that count, by index in the city; all unless given */
export function frictionAt(zones: Zones, place: Point, counting = -1): number {
  const here = zones.filter(
    ({ index, polygon, bounds }) =>
      ((counting >> index) & 1) !== 0 && isNearBounds(place, bounds, 0) && covers(polygon, place),
  );
  return Math.min(DRY, ...here.map(({ friction }) => friction));
}

interface Motion {
  vx: number;
  vy: number;
  yawRate: number;
  /** Acceleration by gravity along the road. */
  slope: number;
  friction: number;
}

class GripWatch extends SlabView {
  readonly #zones: Zones;

  constructor(slab: SlabArrays, zones: Zones) {
    super(slab);
    this.#zones = zones;
  }

  motions(): Motion[] {
    return Array.from({ length: CAR_COUNT }, (_, car) => ({
      vx: this.real(C_VX, car),
      vy: this.real(C_VY, car),
      yawRate: this.real(C_YAW_RATE, car),
      slope: this.real(C_SLOPE, car),
      friction: this.#frictionOf(car),
    }));
  }

  #frictionOf(car: number): number {
    const { wheelbaseM, lrM } = at(CAR_TYPES, this.i32(C_TYPE, car));
    const lfM = wheelbaseM - lrM;
    const counting = this.i32(H_ZONES, 0);
    const under = (aheadM: number): number =>
      frictionAt(
        this.#zones,
        [
          this.real(C_X, car) + aheadM * this.real(C_HX, car),
          this.real(C_Y, car) + aheadM * this.real(C_HY, car),
        ],
        counting,
      );
    return (under(lfM) * lrM + under(-lrM) * lfM) / wheelbaseM;
  }

  /** Of the tick since `before`; undefined for a car that hardly moves or has had a contact. */
  shareOf(car: number, { vx, vy, yawRate, slope, friction }: Motion): number | undefined {
    const hasHit =
      this.i32(C_STATUS, car) === STATUS_CRASHED || this.i32(C_CONTACT_TICK, car) !== 0;
    if (hasHit || Math.hypot(vx, vy) < SLIPS_MPS) return undefined;
    const [vx1, vy1] = [this.real(C_VX, car), this.real(C_VY, car)];
    const turn = (yawRate + this.real(C_YAW_RATE, car)) / 2;
    const air = (AIR_DRAG * vx * Math.abs(vx)) / at(CAR_TYPES, this.i32(C_TYPE, car)).massKg;
    const along = (vx1 - vx) / TICK_S - ((vy + vy1) / 2) * turn - slope + air;
    const across = (vy1 - vy) / TICK_S + ((vx + vx1) / 2) * turn;
    return Math.hypot(along, across) / (friction * GRAVITY);
  }
}
