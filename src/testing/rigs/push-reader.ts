import {
  C_EFFECTIVE,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_STATUS,
  C_TYPE,
  C_VX,
  C_VY,
  C_YAW_RATE,
  F_BRAKES,
  PULSE_TICKS,
  STATUS_CRASHED,
  TICK_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { cars, SlabView } from './kernel.ts';

const GRAVITY = 9.81;
/** N s²/m². */
const AIR_DRAG = 0.4;
/** A wreck brakes by this if it has brakes, and by this in any case, m/s². */
const BRAKING = 4;
const ROLLING = 0.2;

type Vector = readonly [x: number, y: number];

interface Push {
  tick: number;
  change: Vector;
}

/**
 * Reads from the states of a world, tick by tick, what contacts do to its cars: the change of velocity
 * beyond what a wreck does by itself. In the tick in which a car becomes a wreck, that is also what it
 * accelerates or brakes: up to 0.2 m/s.
 */
export class PushReader {
  readonly #view: SlabView;
  readonly #pushes: Push[][] = cars.map(() => []);
  #expected: { wasWreck: boolean; velocity: Vector }[] = [];

  constructor(arrays: SlabArrays) {
    this.#view = new SlabView(arrays);
  }

  beforeTick(): void {
    this.#expected = cars.map((car) => {
      const wasWreck = this.#isWreck(car);
      return { wasWreck, velocity: wasWreck ? this.#slid(car) : this.#velocity(car) };
    });
  }

  afterTick(tick: number): void {
    for (const [
      car,
      {
        velocity: [x, y],
        wasWreck,
      },
    ] of this.#expected.entries()) {
      if (!this.#isWreck(car)) continue;
      const [nowX, nowY] = this.#velocity(car);
      const change = [nowX - x, nowY - y] as const;
      if (wasWreck && Math.hypot(...change) < 1e-6) continue;
      this.#pushes[car]?.push({ tick, change });
    }
  }

  #isWreck(car: number): boolean {
    return this.#view.i32(C_STATUS, car) === STATUS_CRASHED;
  }

  #velocity(car: number): Vector {
    return this.#east(car, this.#view.real(C_VX, car), this.#view.real(C_VY, car));
  }

  #east(car: number, ahead: number, left: number): Vector {
    const [hx, hy] = [this.#view.real(C_HX, car), this.#view.real(C_HY, car)];
    return [ahead * hx - left * hy, ahead * hy + left * hx];
  }

  /** The velocity of a wreck after a tick without contacts. */
  #slid(car: number): Vector {
    const view = this.#view;
    const [ahead, left] = [view.real(C_VX, car), view.real(C_VY, car)];
    const { massKg, wheelbaseM } = at(CAR_TYPES, view.i32(C_TYPE, car));
    const spin = (wheelbaseM / 2) * view.real(C_YAW_RATE, car);
    const slip = Math.hypot(ahead, left, spin);
    if (slip === 0) return [0, 0];
    const friction = (view.real(C_FRICTION_FRONT, car) + view.real(C_FRICTION_REAR, car)) / 2;
    const grip = (friction * GRAVITY) / slip;
    const brakes = view.i32(C_EFFECTIVE, car) & F_BRAKES ? BRAKING : 0;
    const along = Math.max(Math.min(brakes, grip * Math.abs(ahead)), ROLLING);
    const drag = (AIR_DRAG * ahead * ahead) / massKg;
    const across = Math.max(grip * Math.abs(left), ROLLING);
    return this.#east(car, slowed(ahead, along + drag), slowed(left, across));
  }

  /**
   * The greatest crash pulse of a car, m/s: the size of the sum of its pushes within 200 ms of one.
   * The first pulse begins at `from`, another with the first push after the end of one.
   * @param until tick at which its last pulse may begin
   * @param end tick from which on pushes count for another incident
   */
  greatestPulse(car: number, from: number, until: number, end: number): number {
    const sums: [number, number][] = [[0, 0]];
    let since = from;
    for (const { tick, change } of this.#pushes[car] ?? []) {
      if (tick < from || tick >= end) continue;
      if (tick - since >= PULSE_TICKS) {
        if (tick > until) break;
        since = tick;
        sums.push([0, 0]);
      }
      const sum = at(sums, sums.length - 1);
      sum[0] += change[0];
      sum[1] += change[1];
    }
    return Math.max(...sums.map((sum) => Math.hypot(...sum)));
  }
}

function slowed(speed: number, decel: number): number {
  return Math.sign(speed) * Math.max(0, Math.abs(speed) - decel * TICK_S);
}
