import {
  C_HALT_TICK,
  C_HX,
  C_LANE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  CAR_COUNT,
  TICK_S,
} from '../../../assembly/layout.ts';
import type { SlabArrays } from '../../kernel/kernel.ts';
import type { Course } from './course.ts';
import type { DrivingTally } from './driving-tally.ts';
import type { Undisturbed } from './undisturbed.ts';

export const X = C_X / 8;
export const Y = C_Y / 8;
const HX = C_HX / 8;
const VX = C_VX / 8;
const VY = C_VY / 8;
const YAW = C_YAW_RATE / 8;
const OFFSET = C_OFFSET / 8;
const LANE = C_LANE / 4;
const ROUTE_INDEX = C_ROUTE_INDEX / 4;
const HALT_TICK = C_HALT_TICK / 4;
const CARS = CAR_COUNT;
/** Position, heading, velocities and yaw rate are neighbours in the slab: one copy keeps them. */
const MOTION_LENGTH = YAW + CARS - X;

export const STANDING_MPS = 0.1;
/** A car moves at most this much further in a tick than its speed takes it, m. */
const JUMP_SLACK_M = 0.01;

const at = (array: Float64Array, index: number): number => array[index] as number;
const whole = (array: Int32Array, index: number): number => array[index] as number;

/**
 * Measures every car of one world after every tick, directly in kernel memory, and adds the results
 * to a tally.
 */
export class DrivingProbe {
  readonly #f64: Float64Array;
  readonly #i32: Int32Array;
  readonly #course: Course;
  readonly #tally: DrivingTally;
  readonly #name: string;
  readonly #undisturbed: Pick<Undisturbed, 'isUndisturbed'> | undefined;
  readonly #before = new Float64Array(MOTION_LENGTH);
  readonly #laneBefore = new Int32Array(CARS);
  readonly #indexBefore = new Int32Array(CARS);
  readonly #haltBefore = new Int32Array(CARS);
  /** Ticks for which each car has stood. */
  readonly stood = new Int32Array(CARS);
  /** Ways and turns as the position shows them, and as speed and yaw rate add up to. */
  readonly #movedM = new Float64Array(CARS);
  readonly #drivenM = new Float64Array(CARS);
  readonly #turned = new Float64Array(CARS);
  readonly #yawed = new Float64Array(CARS);
  readonly #turnedAll = new Float64Array(CARS);
  /** Lanes of the route that each car has left behind. */
  readonly #lanesDone = new Int32Array(CARS);

  /** `undisturbed`: offsets count of these cars only; of all without it. */
  constructor(
    { f64, i32 }: SlabArrays,
    course: Course,
    tally: DrivingTally,
    name: string,
    undisturbed?: Pick<Undisturbed, 'isUndisturbed'>,
  ) {
    this.#undisturbed = undisturbed;
    this.#f64 = f64;
    this.#i32 = i32;
    this.#course = course;
    this.#tally = tally;
    this.#name = name;
    for (let car = 0; car < CARS; car++) {
      this.#laneBefore[car] = whole(i32, LANE + car);
      this.#indexBefore[car] = whole(i32, ROUTE_INDEX + car);
    }
    this.#before.set(f64.subarray(X, X + MOTION_LENGTH));
  }

  where(tick: number, car: number): string {
    return `${this.#name} tick ${tick} car ${car}`;
  }

  look(tick: number): void {
    for (let car = 0; car < CARS; car++) {
      const halted = whole(this.#i32, HALT_TICK + car);
      const isBack = whole(this.#haltBefore, car) !== 0 && halted === 0;
      this.#haltBefore[car] = halted;
      this.#lookAt(tick, car, isBack);
    }
    this.#before.set(this.#f64.subarray(X, X + MOTION_LENGTH));
  }

  #lookAt(tick: number, car: number, isBack: boolean): void {
    const f64 = this.#f64;
    const before = this.#before;
    const dx = at(f64, X + car) - at(before, car);
    const dy = at(f64, Y + car) - at(before, CARS + car);
    const movedM = Math.sqrt(dx * dx + dy * dy);
    const vx = at(f64, VX + car);
    const vy = at(f64, VY + car);
    const vx0 = at(before, VX - X + car);
    const vy0 = at(before, VY - X + car);
    const speed = Math.sqrt(vx * vx + vy * vy);
    const speed0 = Math.sqrt(vx0 * vx0 + vy0 * vy0);
    const faster = speed > speed0 ? speed : speed0;
    if (!(movedM <= faster * TICK_S + JUMP_SLACK_M)) {
      if (isBack) this.#tally.respawns += 1;
      else this.#jumped(tick, car);
      return;
    }
    this.#movedM[car] = at(this.#movedM, car) + movedM;
    this.#drivenM[car] = at(this.#drivenM, car) + 0.5 * (speed + speed0) * TICK_S;
    this.#tally.carTicks += 1;
    this.#turn(tick, car, 0.5 * (vx + vx0), (vy - vy0) / TICK_S, speed);
    this.#track(tick, car, speed);
  }

  #jumped(tick: number, car: number): void {
    this.#tally.jumps += 1;
    this.#tally.example('jumps', this.where(tick, car));
  }

  #turn(tick: number, car: number, vx: number, vyPerS: number, speed: number): void {
    const f64 = this.#f64;
    const before = this.#before;
    const hx = at(f64, HX + car);
    const hy = at(f64, HX + CARS + car);
    const hx0 = at(before, HX - X + car);
    const hy0 = at(before, HX + CARS - X + car);
    const yawRate = 0.5 * (at(f64, YAW + car) + at(before, YAW - X + car));
    const sine = hx0 * hy - hy0 * hx;
    const turned = sine * (1 + (sine * sine) / 6); // the arc sine up to its third power
    this.#turned[car] = at(this.#turned, car) + turned;
    this.#yawed[car] = at(this.#yawed, car) + yawRate * TICK_S;
    this.#turnedAll[car] = at(this.#turnedAll, car) + Math.abs(turned);
    const tally = this.#tally;
    const error = Math.abs(turned / TICK_S - yawRate);
    if (error > tally.headingError.value) tally.headingError.note(error, this.where(tick, car));
    if (speed < STANDING_MPS) return;
    const lateral = Math.abs(vyPerS + vx * yawRate);
    tally.addLateral(lateral);
    if (lateral > tally.lateral.value) tally.lateral.note(lateral, this.where(tick, car));
  }

  #track(tick: number, car: number, speed: number): void {
    const tally = this.#tally;
    const stood = speed < STANDING_MPS ? whole(this.stood, car) + 1 : 0;
    this.stood[car] = stood;
    if (stood > tally.stoodTicks.value) tally.stoodTicks.note(stood, this.where(tick, car));
    const lane = whole(this.#i32, LANE + car);
    if (lane !== whole(this.#laneBefore, car)) this.#enter(car, lane);
    const share = speed / at(this.#course.speedLimitMps, lane);
    if (share > tally.speedShare.value) tally.speedShare.note(share, this.where(tick, car));
    if (stood === 0) tally.movingTicks += 1;
    if (this.#course.isConnector[lane] === 1 || this.#undisturbed?.isUndisturbed(car) === false)
      return;
    const offset = Math.abs(at(this.#f64, OFFSET + car));
    if (offset > tally.offset.value) tally.offset.note(offset, this.where(tick, car));
    if (stood > 0) return;
    tally.offsetSquares += offset * offset;
    tally.offsetTicks += 1;
  }

  #enter(car: number, lane: number): void {
    const index = whole(this.#i32, ROUTE_INDEX + car);
    const count = this.#course.city.routes[car]?.length ?? 0;
    const further = index - whole(this.#indexBefore, car);
    this.#lanesDone[car] = whole(this.#lanesDone, car) + (further < 0 ? further + count : further);
    this.#indexBefore[car] = index;
    this.#laneBefore[car] = lane;
  }

  /** Adds the figures of the whole drive. */
  finish(tick: number): void {
    const tally = this.#tally;
    for (let car = 0; car < CARS; car++) {
      const movedM = at(this.#movedM, car);
      tally.distanceM += movedM;
      const distanceError = Math.abs(movedM - at(this.#drivenM, car)) / movedM;
      if (distanceError > tally.distanceError.value) {
        tally.distanceError.note(distanceError, this.where(tick, car));
      }
      const turnError =
        Math.abs(at(this.#turned, car) - at(this.#yawed, car)) / at(this.#turnedAll, car);
      if (turnError > tally.turnError.value) tally.turnError.note(turnError, this.where(tick, car));
      if (whole(this.#lanesDone, car) < (this.#course.city.routes[car]?.length ?? 0)) {
        tally.unfinishedLoops += 1;
        tally.example('unfinished loops', this.where(tick, car));
      }
    }
  }
}
