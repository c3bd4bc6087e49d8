import {
  A_HX,
  A_HY,
  A_SPEED,
  A_STATE,
  A_X,
  A_Y,
  ACTOR_STANDS,
  C_HX,
  C_HY,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  HAZARD_BYTES,
  HAZARDS,
} from '../../../assembly/layout.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isF32, type SlabArrays } from '../../kernel/slab-arrays.ts';
import { SlabView } from './kernel.ts';

/** A place, and a heading as a unit vector. */
export interface Pose {
  x: number;
  y: number;
  hx: number;
  hy: number;
}

/** Sets an element of an array of real numbers, see `realOf`. */
export function setReal({ f64, f32 }: SlabArrays, array: number, i: number, value: number): void {
  if (isF32(array)) f32[array / 4 + i] = value;
  else f64[array / 8 + i] = value;
}

/** A world's arrays, to be put into a state that it would hardly come to by itself. */
export class SlabEditor extends SlabView {
  setReal(array: number, car: number, value: number): void {
    setReal(this.arrays, array, car, value);
  }

  setI32(array: number, car: number, value: number): void {
    this.arrays.i32[array / 4 + car] = value;
  }

  /** Sets the pose of a car's centre of gravity. */
  placeCar(car: number, { x, y, hx, hy }: Pose): void {
    this.setReal(C_X, car, x);
    this.setReal(C_Y, car, y);
    this.setReal(C_HX, car, hx);
    this.setReal(C_HY, car, hy);
  }

  /** Takes a car's motion: forward, sideways and turning. */
  stopCar(car: number): void {
    for (const array of [C_VX, C_VY, C_YAW_RATE]) this.setReal(array, car, 0);
  }

  /** Lets the actor of a spot stand at a place, though it may have a speed. */
  placeActor(spot: number, { x, y, hx, hy }: Pose, speedMps = 0): void {
    const actor = HAZARDS + spot * HAZARD_BYTES;
    this.setReal(actor + A_X, 0, x);
    this.setReal(actor + A_Y, 0, y);
    this.setReal(actor + A_HX, 0, hx);
    this.setReal(actor + A_HY, 0, hy);
    this.setReal(actor + A_SPEED, 0, speedMps);
    this.setI32(actor + A_STATE, 0, ACTOR_STANDS);
  }
}

/** Changes a world in place. */
export function edit(kernel: Kernel, slab: number, change: (world: SlabEditor) => void): void {
  change(new SlabEditor(kernel.view(slab)));
}
