import {
  A_STATE,
  A_X,
  A_Y,
  ACTOR_WAITS,
  C_EMERGENCY,
  C_FLAGS,
  C_X,
  C_Y,
  CAR_COUNT,
  FLAG_AEB,
  FLAG_ESC,
  FLAG_EVASIVE,
  HAZARD_BYTES,
  HAZARD_MAX,
  HAZARDS,
} from '../../../assembly/layout.ts';
import type { SlabArrays } from '../../kernel/kernel.ts';

/** A car counts as disturbed for so long after an intervention or near an active hazard: 5 s. */
export const DISTURBED_TICKS = 250;
/** An actor that is out concerns the cars up to here, m. */
const CONCERNS_M = 60;
const INTERVENTIONS = FLAG_AEB | FLAG_ESC | FLAG_EVASIVE;

/**
 * Which cars of a world drive undisturbed: none of their functions intervened within the last 5 s,
 * and no actor was near them.
 */
export class Undisturbed {
  readonly #f64: Float64Array;
  readonly #i32: Int32Array;
  readonly #spots: number;
  /** First tick at which each car counts again. */
  readonly #from = new Int32Array(CAR_COUNT);
  #tick = 0;

  /** `spots`: how many hazard spots the city has. */
  constructor({ f64, i32 }: SlabArrays, spots: number) {
    if (spots > HAZARD_MAX) throw new RangeError(`${spots} spots`);
    this.#f64 = f64;
    this.#i32 = i32;
    this.#spots = spots;
  }

  /** To be called after every tick. */
  look(tick: number): void {
    this.#tick = tick;
    for (let car = 0; car < CAR_COUNT; car++) {
      const flags = this.#i32[C_FLAGS / 4 + car] as number;
      const demand = this.#f64[C_EMERGENCY / 8 + car] as number;
      if ((flags & INTERVENTIONS) !== 0 || demand > 0) this.#disturb(car);
    }
    for (let spot = 0; spot < this.#spots; spot++) this.#lookAt(HAZARDS + spot * HAZARD_BYTES);
  }

  isUndisturbed(car: number): boolean {
    return this.#tick >= (this.#from[car] as number);
  }

  #disturb(car: number): void {
    this.#from[car] = this.#tick + DISTURBED_TICKS;
  }

  #lookAt(actor: number): void {
    if (this.#i32[(actor + A_STATE) / 4] === ACTOR_WAITS) return;
    const x = this.#f64[(actor + A_X) / 8] as number;
    const y = this.#f64[(actor + A_Y) / 8] as number;
    for (let car = 0; car < CAR_COUNT; car++) {
      const dx = (this.#f64[C_X / 8 + car] as number) - x;
      const dy = (this.#f64[C_Y / 8 + car] as number) - y;
      if (dx * dx + dy * dy < CONCERNS_M * CONCERNS_M) this.#disturb(car);
    }
  }
}
