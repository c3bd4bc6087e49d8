import {
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_TYPE,
  C_VX,
  CAR_COUNT,
  STATUS_CRASHED,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import type { City } from '../../city/types.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import { type Course, courseOf, NOSE_M, TAIL_M } from './course.ts';
import { makeWorld, SlabView, stepTo } from './kernel.ts';

/** A car follows another one on its way within this gap, m, while both are faster than this, m/s. */
const FOLLOWS_M = 50;
const FOLLOWS_MPS = 3;
/** It does so steadily if neither changes its speed by more in a second, nor differ they, m/s. */
const STEADY_MPS = 0.5;

interface Leader {
  car: number;
  gapM: number;
}

/** Time headways, gap ÷ own speed in s, of cars that follow steadily, ascending. */
export function headwaysOf(
  kernel: Kernel,
  city: City,
  cityIndex: number,
  seeds: readonly number[],
  ticks: number,
): number[] {
  const course = courseOf(city, cityIndex);
  const headways = seeds.flatMap((seed) => {
    const slab = makeWorld(kernel, seed, cityIndex);
    const watch = new HeadwayWatch(kernel.view(slab), course);
    for (let tick = TICKS_PER_S; tick <= ticks; tick += TICKS_PER_S) {
      stepTo(kernel, slab, tick);
      watch.look();
    }
    kernel.release(slab);
    return watch.headwaysS;
  });
  return headways.toSorted((a, b) => a - b);
}

/** The value that `share` of some ascending values do not exceed; NaN without values. */
export const percentile = (ascending: readonly number[], share: number): number =>
  ascending[Math.floor(share * (ascending.length - 1))] ?? Number.NaN;

/**
 * Measures the headways in one world. It finds leaders by lanes, routes and stations: not by what the
 * sensors of a car measured.
 */
export class HeadwayWatch extends SlabView {
  readonly headwaysS: number[] = [];
  readonly #course: Course;
  readonly #before = new Float64Array(CAR_COUNT).fill(Number.NaN);

  constructor(slab: SlabArrays, course: Course) {
    super(slab);
    this.#course = course;
  }

  /** To be called once a second. */
  look(): void {
    for (let car = 0; car < CAR_COUNT; car++) {
      const leader = this.#isSteady(car) ? this.#leaderOf(car) : undefined;
      if (!leader || leader.gapM > FOLLOWS_M || !this.#isSteady(leader.car)) continue;
      const speed = this.real(C_VX, car);
      if (Math.abs(speed - this.real(C_VX, leader.car)) > STEADY_MPS) continue;
      this.headwaysS.push(leader.gapM / speed);
    }
    for (let car = 0; car < CAR_COUNT; car++) this.#before[car] = this.real(C_VX, car);
  }

  #isSteady(car: number): boolean {
    const speed = this.real(C_VX, car);
    const change = Math.abs(speed - (this.#before[car] as number));
    const isDriving = this.i32(C_STATUS, car) !== STATUS_CRASHED;
    return isDriving && speed > FOLLOWS_MPS && change <= STEADY_MPS;
  }

  /** The nearest car on the lanes ahead, bumper to bumper. */
  #leaderOf(car: number): Leader | undefined {
    const route = this.#course.city.routes[car] ?? [];
    const index = this.i32(C_ROUTE_INDEX, car);
    let base = -this.real(C_STATION, car) - (NOSE_M[this.i32(C_TYPE, car)] as number);
    for (let ahead = 0; base < FOLLOWS_M; ahead++) {
      const lane = route[(index + ahead) % route.length] ?? -1;
      const nearest = this.#nearestOn(lane, base, car);
      if (nearest) return nearest;
      base += this.#course.laneLengthM[lane] as number;
    }
    return undefined;
  }

  #nearestOn(lane: number, base: number, car: number): Leader | undefined {
    let nearest: Leader | undefined;
    for (let other = 0; other < CAR_COUNT; other++) {
      if (other === car || this.i32(C_LANE, other) !== lane) continue;
      const tail = this.real(C_STATION, other) - (TAIL_M[this.i32(C_TYPE, other)] as number);
      const gapM = base + tail;
      if (gapM > 0 && gapM < (nearest?.gapM ?? Number.POSITIVE_INFINITY)) {
        nearest = { car: other, gapM };
      }
    }
    return nearest;
  }
}
