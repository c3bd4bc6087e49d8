import {
  C_HX,
  C_LANE,
  C_OFFSET,
  C_RETURNS,
  C_ROUTE_INDEX,
  C_VX,
  C_X,
  C_YAW_RATE,
  CAR_COUNT,
  TICK_S,
} from '../../../assembly/layout.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import type { Course } from './course.ts';
import type { DrivingTally } from './driving-tally.ts';
import type { Undisturbed } from './undisturbed.ts';
import { WorldProbe } from './world-probe.ts';

const X = C_X / 8;
const HX = C_HX / 8;
const VX = C_VX / 4;
const YAW = C_YAW_RATE / 4;
const CARS = CAR_COUNT;
// Position and heading are neighbours in the slab, as velocities and yaw rate are: one copy each keeps them.
const POSES_LENGTH = 4 * CARS;
const MOTIONS_LENGTH = 3 * CARS;

export const STANDING_MPS = 0.1;
/** A car moves at most this much further in a tick than its speed takes it, m. */
const JUMP_SLACK_M = 0.01;

const at = (array: Float64Array | Float32Array | Int32Array, index: number): number =>
  array[index] as number;

/**
 * Measures every car of one world after every tick, directly in kernel memory, and adds the results
 * to a tally.
 */
export class DrivingProbe extends WorldProbe {
  readonly #poses = new Float64Array(POSES_LENGTH);
  readonly #motions = new Float32Array(MOTIONS_LENGTH);
  readonly #laneBefore = new Int32Array(CARS);
  readonly #indexBefore = new Int32Array(CARS);
  readonly #returnsBefore = new Int32Array(CARS);
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

  constructor(slab: SlabArrays, course: Course, tally: DrivingTally, name: string) {
    super(slab, course, tally, name);
    for (let car = 0; car < CARS; car++) {
      this.#laneBefore[car] = this.i32(C_LANE, car);
      this.#indexBefore[car] = this.i32(C_ROUTE_INDEX, car);
    }
    this.#keepMotion();
  }

  #keepMotion(): void {
    const { f64, f32 } = this.arrays;
    this.#poses.set(f64.subarray(X, X + POSES_LENGTH));
    this.#motions.set(f32.subarray(VX, VX + MOTIONS_LENGTH));
  }

  /** `undisturbed`: offsets count of these cars only; of all without it. */
  look(tick: number, undisturbed?: Undisturbed): void {
    for (let car = 0; car < CARS; car++) {
      const returns = this.i32(C_RETURNS, car);
      const isBack = returns !== at(this.#returnsBefore, car);
      this.#returnsBefore[car] = returns;
      this.#lookAt(tick, car, isBack, undisturbed?.isUndisturbed(car) ?? true);
    }
    this.#keepMotion();
  }

  #lookAt(tick: number, car: number, isBack: boolean, isUndisturbed: boolean): void {
    const { f64, f32 } = this.arrays;
    const [poses, motions] = [this.#poses, this.#motions];
    const dx = at(f64, X + car) - at(poses, car);
    const dy = at(f64, X + CARS + car) - at(poses, CARS + car);
    const movedM = Math.sqrt(dx * dx + dy * dy);
    const vx = at(f32, VX + car);
    const vy = at(f32, VX + CARS + car);
    const vx0 = at(motions, car);
    const vy0 = at(motions, CARS + car);
    const speed = Math.sqrt(vx * vx + vy * vy);
    const speed0 = Math.sqrt(vx0 * vx0 + vy0 * vy0);
    const faster = speed > speed0 ? speed : speed0;
    if (!(movedM <= faster * TICK_S + JUMP_SLACK_M)) {
      this.tally[isBack ? 'respawns' : 'jumps'] += 1;
      if (!isBack) this.tally.example('jumps', this.where(tick, car));
      return;
    }
    this.#movedM[car] = at(this.#movedM, car) + movedM;
    this.#drivenM[car] = at(this.#drivenM, car) + 0.5 * (speed + speed0) * TICK_S;
    this.tally.carTicks += 1;
    this.#turn(tick, car, 0.5 * (vx + vx0), (vy - vy0) / TICK_S, speed);
    this.#track(tick, car, speed, isUndisturbed);
  }

  #turn(tick: number, car: number, vx: number, vyPerS: number, speed: number): void {
    const { f64, f32 } = this.arrays;
    const poses = this.#poses;
    const hx = at(f64, HX + car);
    const hy = at(f64, HX + CARS + car);
    const hx0 = at(poses, HX - X + car);
    const hy0 = at(poses, HX + CARS - X + car);
    const yawRate = 0.5 * (at(f32, YAW + car) + at(this.#motions, YAW - VX + car));
    const sine = hx0 * hy - hy0 * hx;
    const turned = sine * (1 + (sine * sine) / 6); // the arc sine up to its third power
    this.#turned[car] = at(this.#turned, car) + turned;
    this.#yawed[car] = at(this.#yawed, car) + yawRate * TICK_S;
    this.#turnedAll[car] = at(this.#turnedAll, car) + Math.abs(turned);
    const tally = this.tally;
    const error = Math.abs(turned / TICK_S - yawRate);
    if (error > tally.headingError.value) tally.headingError.note(error, this.where(tick, car));
    if (speed < STANDING_MPS) return;
    const lateral = Math.abs(vyPerS + vx * yawRate);
    tally.addLateral(lateral);
    if (lateral > tally.lateral.value) tally.lateral.note(lateral, this.where(tick, car));
  }

  #track(tick: number, car: number, speed: number, isUndisturbed: boolean): void {
    const tally = this.tally;
    const stood = speed < STANDING_MPS ? at(this.stood, car) + 1 : 0;
    this.stood[car] = stood;
    if (stood > tally.stoodTicks.value) tally.stoodTicks.note(stood, this.where(tick, car));
    const lane = this.i32(C_LANE, car);
    if (lane !== at(this.#laneBefore, car)) this.#enter(car, lane);
    const share = speed / at(this.course.speedLimitMps, lane);
    if (share > tally.speedShare.value) tally.speedShare.note(share, this.where(tick, car));
    if (stood === 0) tally.movingTicks += 1;
    if (this.course.isConnector[lane] === 1 || !isUndisturbed) return;
    const offset = Math.abs(this.real(C_OFFSET, car));
    if (offset > tally.offset.value) tally.offset.note(offset, this.where(tick, car));
    if (stood > 0) return;
    tally.offsetSquares += offset * offset;
    tally.offsetTicks += 1;
  }

  #enter(car: number, lane: number): void {
    const index = this.i32(C_ROUTE_INDEX, car);
    const count = this.course.city.routes[car]?.length ?? 0;
    const further = index - at(this.#indexBefore, car);
    this.#lanesDone[car] = at(this.#lanesDone, car) + (further < 0 ? further + count : further);
    this.#indexBefore[car] = index;
    this.#laneBefore[car] = lane;
  }

  /** Adds the figures of the whole drive. */
  finish(tick: number): void {
    const tally = this.tally;
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
      if (at(this.#lanesDone, car) < (this.course.city.routes[car]?.length ?? 0)) {
        tally.unfinishedLoops += 1;
        tally.example('unfinished loops', this.where(tick, car));
      }
    }
  }
}
