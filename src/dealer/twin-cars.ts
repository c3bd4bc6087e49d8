import { parseVin } from '../twin/vin.ts';
import type { FleetEntry } from '../twin/wire.ts';
import type { Absence, Presence } from '../twin-service.ts';

/** A car of a living world. */
export interface LivingCar {
  /** Id of the world. */
  world: string;
  entry: FleetEntry;
}

const VIN_LENGTH = 17;

/** Finds cars of living worlds by VIN, without resetting the worlds' idle time. */
export class TwinCars {
  readonly #presence: Presence;

  constructor(presence: Presence) {
    this.#presence = presence;
  }

  /** Undefined if no living world has the VIN. Throws TwinError if the store does not answer. */
  async find(vin: string): Promise<LivingCar | undefined> {
    const found = await this.#locate(vin);
    return typeof found === 'string' ? undefined : found;
  }

  /**
   * Id of the living world that has the VIN. Null: none has it, and none ever will; undefined: none has
   * it now. Throws TwinError if the store does not answer.
   */
  async worldIdOf(vin: string): Promise<string | null | undefined> {
    const found = await this.#locate(vin);
    if (typeof found !== 'string') return found.world;
    return found === 'gone' ? null : undefined;
  }

  /** Whether a world is known to live without asking the store. */
  isAtHand(world: number): boolean {
    return this.#presence.isKnown(world);
  }

  async #locate(vin: string): Promise<LivingCar | Absence> {
    const address = isTwinVin(vin) ? parseVin(vin) : undefined;
    if (address === undefined) return 'gone';
    const world = await this.#presence.find(address.world);
    if (typeof world === 'string') return world;
    const entry = world.fleet[address.car];
    return entry === undefined ? 'gone' : { world: world.id, entry };
  }
}

/** Whether a world could have this VIN, in either case of letters. */
export function isTwinVin(vin: string): boolean {
  return worldOf(vin) !== undefined;
}

/** The number of the world that could have this VIN. */
export function worldOf(vin: string): number | undefined {
  return vin.length === VIN_LENGTH ? parseVin(vin)?.world : undefined;
}
