import {
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_BRAKE,
  C_DRIVE,
  C_EFFECTIVE,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  CAR_COUNT,
  CAR_TYPE_BYTES,
  CAR_TYPES,
  CITY_BASE,
  F_ALL,
} from '../../../assembly/layout.ts';
import { carTypeFields } from '../../kernel/car-types.ts';
import { realOf, slabArrays } from '../../kernel/slab-arrays.ts';
import type { CarType } from '../../twin/fleet.ts';
import { loadProbe } from './probe.ts';
import { setReal } from './slab-editor.ts';

const SLAB = CITY_BASE;
/** Rolling resistance, which the brakes' row always holds, m/s². */
export const ROLLING_MPS2 = 0.15;
export const DRY = 0.95;
export const GRAVITY = 9.81;
/** ½ ρ c_d A, N s²/m². */
const AIR_DRAG = 0.4;
/** A wish for more braking than any car can give, m/s². */
export const FULL = -20;

/** Deceleration by air, m/s². */
export const airOf = (type: CarType, speed: number): number =>
  (AIR_DRAG * speed ** 2) / type.massKg;

/**
 * The kernel's vehicle model on an endless plane, without drivers and obstacles: a test sets values
 * and moves the cars itself. Car i is of type i modulo the number of types; all begin at the
 * origin, heading east, with every feature on.
 */
export class ProvingGround {
  readonly probe = loadProbe();
  readonly #view = new DataView(this.probe.memory.buffer);
  readonly #slab = slabArrays(this.probe.memory.buffer, SLAB);

  constructor(types: readonly CarType[], friction = DRY) {
    for (const [i, type] of types.entries()) {
      for (const [field, value] of carTypeFields(type)) {
        this.#view.setFloat64(CAR_TYPES + i * CAR_TYPE_BYTES + field, value, true);
      }
    }
    for (let car = 0; car < CAR_COUNT; car++) {
      this.setI32(C_TYPE, car, car % types.length);
      this.setI32(C_EFFECTIVE, car, F_ALL);
      this.set(C_HX, car, 1);
      this.set(C_BRAKE, car, ROLLING_MPS2);
    }
    this.setFriction(friction);
  }

  get(array: number, car = 0): number {
    return realOf(this.#slab, array, car);
  }

  set(array: number, car: number, value: number): void {
    setReal(this.#slab, array, car, value);
  }

  getI32(array: number, car = 0): number {
    return this.#view.getInt32(SLAB + array + car * 4, true);
  }

  setI32(array: number, car: number, value: number): void {
    this.#view.setInt32(SLAB + array + car * 4, value, true);
  }

  setAll(array: number, value: number): void {
    for (let car = 0; car < CAR_COUNT; car++) this.set(array, car, value);
  }

  /** What the drivers of all cars want, and already demand of the actuators. */
  demand(accel: number): void {
    this.setAll(C_ACCEL_WANTED, accel);
    this.setAll(C_ACCEL_TARGET, accel);
  }

  setFriction(friction: number): void {
    this.setAll(C_FRICTION_FRONT, friction);
    this.setAll(C_FRICTION_REAR, friction);
  }

  /** Drives a car so that it keeps its speed; `gain` in 1/s. */
  hold(car: number, speed: number, gain: number): void {
    this.set(C_DRIVE, car, ROLLING_MPS2 + gain * (speed - this.get(C_VX, car)));
  }

  /** Vehicle model alone: angle, drive and brake stay as they are. */
  integrate(): void {
    this.probe.integrate(SLAB);
  }

  /** Actuators, then vehicle model. */
  move(ticks = 1): void {
    for (let tick = 0; tick < ticks; tick++) this.probe.move(SLAB);
  }

  moveSingly(): void {
    this.probe.moveSingly(SLAB);
  }

  followAccel(speed: number, leadSpeed: number, gap: number, standstill: number, car = 0): number {
    return this.probe.followAccel(SLAB, car, speed, leadSpeed, gap, standstill);
  }

  speed(car = 0): number {
    return Math.hypot(this.get(C_VX, car), this.get(C_VY, car));
  }

  heading(car = 0): number {
    return Math.atan2(this.get(C_HY, car), this.get(C_HX, car));
  }

  /** Of the motion to the heading, rad. */
  slip(car = 0): number {
    return Math.atan2(this.get(C_VY, car), this.get(C_VX, car));
  }

  /** From the origin, m. */
  distance(car = 0): number {
    return Math.hypot(this.get(C_X, car), this.get(C_Y, car));
  }
}
