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
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import { SlabView } from './kernel.ts';

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
  readonly #world: SlabView;
  readonly #spots: number;
  /** First tick at which each car counts again. */
  readonly #from = new Int32Array(CAR_COUNT);
  #tick = 0;

  /** `spots`: how many hazard spots the city has. */
  constructor(slab: SlabArrays, spots: number) {
    if (spots > HAZARD_MAX) throw new RangeError(`${spots} spots`);
    this.#world = new SlabView(slab);
    this.#spots = spots;
  }

  /** To be called after every tick. */
  look(tick: number): void {
    this.#tick = tick;
    for (let car = 0; car < CAR_COUNT; car++) {
      const flags = this.#world.i32(C_FLAGS, car);
      const demand = this.#world.real(C_EMERGENCY, car);
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
    if (this.#world.i32(actor + A_STATE, 0) === ACTOR_WAITS) return;
    const x = this.#world.real(actor + A_X, 0);
    const y = this.#world.real(actor + A_Y, 0);
    for (let car = 0; car < CAR_COUNT; car++) {
      const dx = this.#world.real(C_X, car) - x;
      const dy = this.#world.real(C_Y, car) - y;
      if (dx * dx + dy * dy < CONCERNS_M * CONCERNS_M) this.#disturb(car);
    }
  }
}
