import {
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_STATION,
  C_TYPE,
  C_X,
  C_Y,
  CAR_COUNT,
  CARS,
  CARS_F32,
  CARS_I32,
} from '../../../assembly/layout.ts';
import { at, distanceToSegment } from '../../city/geometry.ts';
import type { Point } from '../../city/types.ts';
import { areaOf, intersectConvex, isNearBounds } from '../../citygen/geometry.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { NOSE_M, TAIL_M } from './course.ts';
import type { Undisturbed } from './undisturbed.ts';
import { WorldProbe } from './world-probe.ts';

const QUEUED_TICKS = 50;
/** Bumper gaps of cars that queue, m. */
const QUEUE_GAP_MIN_M = 1.5;
const QUEUE_GAP_MAX_M = 3.5;
/** A car this near to its line, m, stands there for the line and not for the car beyond it. */
const AT_LINE_M = 3;
/** No two bodies whose centres of gravity are further apart touch, m. */
const TOUCH_M = 6;

/**
 * Measures what need not be checked at every tick: gaps in queues, overlaps of bodies (not by the
 * kernel's code), offsets against the lane's geometry, and numbers that are not finite.
 */
export class OrderProbe extends WorldProbe {
  /**
   * @param stood number of ticks for which each car has stood
   * @param undisturbed gaps count between these cars only; between all without it
   */
  look(tick: number, stood: Int32Array, undisturbed?: Undisturbed): void {
    this.#checkFinite(tick);
    for (let car = 0; car < CAR_COUNT; car++) {
      this.#checkHeading(tick, car);
      this.#checkOffset(tick, car);
      this.#checkSolids(tick, car);
      if ((stood[car] ?? 0) >= QUEUED_TICKS) this.#measureGap(tick, car, stood, undisturbed);
    }
  }

  /** Finds cars whose bodies overlap. */
  lookForOverlaps(tick: number): void {
    for (let car = 0; car < CAR_COUNT; car++) {
      for (let other = car + 1; other < CAR_COUNT; other++) {
        if (this.#areApart(car, other)) continue;
        this.#checkOverlap(tick, car, `car ${other}`, this.#bodyOf(other));
      }
    }
  }

  #areApart(car: number, other: number): boolean {
    const dx = this.real(C_X, car) - this.real(C_X, other);
    const dy = this.real(C_Y, car) - this.real(C_Y, other);
    return dx * dx + dy * dy > TOUCH_M * TOUCH_M;
  }

  #checkSolids(tick: number, car: number): void {
    const place: Point = [this.real(C_X, car), this.real(C_Y, car)];
    for (const { id, polygon, bounds } of this.course.solids) {
      if (isNearBounds(place, bounds, TOUCH_M)) this.#checkOverlap(tick, car, id, polygon);
    }
  }

  #checkOverlap(tick: number, car: number, what: string, polygon: readonly Point[]): void {
    const shared = intersectConvex(this.#bodyOf(car), polygon);
    if (shared.length < 3 || areaOf(shared) <= 0) return;
    this.tally.overlaps += 1;
    this.tally.example('overlaps', `${this.where(tick, car)} and ${what}`);
  }

  /** Corners, counter-clockwise. */
  #bodyOf(car: number): Point[] {
    const { lengthM, widthM, centreM } = at(CAR_TYPES, this.i32(C_TYPE, car));
    const [hx, hy] = [this.real(C_HX, car), this.real(C_HY, car)];
    const x = this.real(C_X, car) + hx * centreM;
    const y = this.real(C_Y, car) + hy * centreM;
    const corner = (along: number, left: number): Point => [
      x + (hx * along * lengthM - hy * left * widthM) / 2,
      y + (hy * along * lengthM + hx * left * widthM) / 2,
    ];
    return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  }

  #checkFinite(tick: number): void {
    const { f64, f32 } = this.arrays;
    const exact = f64.subarray(CARS / 8, CARS_F32 / 8);
    const others = f32.subarray(CARS_F32 / 4, CARS_I32 / 4);
    if (exact.every(Number.isFinite) && others.every(Number.isFinite)) return;
    this.tally.notFinite += 1;
    this.tally.example('not finite', `${this.name} tick ${tick}`);
  }

  #checkHeading(tick: number, car: number): void {
    const error = Math.abs(Math.hypot(this.real(C_HX, car), this.real(C_HY, car)) - 1);
    const { headingLengthError } = this.tally;
    if (error > headingLengthError.value) headingLengthError.note(error, this.where(tick, car));
  }

  #checkOffset(tick: number, car: number): void {
    const lane = this.i32(C_LANE, car);
    const { points, spacingM } = at(this.course.profiles, lane);
    const place: Point = [this.real(C_X, car), this.real(C_Y, car)];
    const near = Math.floor(this.real(C_STATION, car) / spacingM);
    let distanceM = Number.POSITIVE_INFINITY;
    for (let i = Math.max(1, near - 3); i <= Math.min(points.length - 1, near + 4); i++) {
      const segment = [at(points, i - 1).position, at(points, i).position] as const;
      distanceM = Math.min(distanceM, distanceToSegment(place, ...segment));
    }
    const error = Math.abs(Math.abs(this.real(C_OFFSET, car)) - distanceM);
    const { offsetError } = this.tally;
    if (error > offsetError.value) offsetError.note(error, this.where(tick, car));
  }

  /** To the next car in the same lane, or on the connector after it but for the car at its line. */
  #measureGap(tick: number, car: number, stood: Int32Array, undisturbed?: Undisturbed): void {
    const lane = this.i32(C_LANE, car);
    const station = this.real(C_STATION, car);
    const nose = station + (NOSE_M[this.i32(C_TYPE, car)] as number);
    const length = this.course.laneLengthM[lane] as number;
    const next = this.nextLane(car);
    const seesNext = this.course.isConnector[lane] === 0 && nose < length - AT_LINE_M;
    let gap = Number.POSITIVE_INFINITY;
    let leader = -1;
    for (let other = 0; other < CAR_COUNT; other++) {
      if (other === car) continue;
      const otherLane = this.i32(C_LANE, other);
      const isAhead = otherLane === lane && this.real(C_STATION, other) > station;
      if (!isAhead && !(seesNext && otherLane === next)) continue;
      const tail = this.real(C_STATION, other) - (TAIL_M[this.i32(C_TYPE, other)] as number);
      const otherGap = tail + (isAhead ? 0 : length) - nose;
      if (otherGap > gap) continue;
      gap = otherGap;
      leader = other;
    }
    if (leader < 0 || (stood[leader] ?? 0) < QUEUED_TICKS) return;
    if ([car, leader].every((each) => undisturbed?.isUndisturbed(each) ?? true)) {
      this.#noteGap(gap, `${this.where(tick, car)} behind ${leader}`);
    }
  }

  #noteGap(gap: number, where: string): void {
    const tally = this.tally;
    tally.gapCount += 1;
    if (gap >= QUEUE_GAP_MIN_M && gap <= QUEUE_GAP_MAX_M) tally.gapsInBand += 1;
    else tally.example('gaps', `${where}: ${gap.toFixed(2)} m`);
    if (gap < tally.narrowestGap.value) tally.narrowestGap.note(gap, where);
    if (gap > tally.widestGap.value) tally.widestGap.note(gap, where);
  }
}
