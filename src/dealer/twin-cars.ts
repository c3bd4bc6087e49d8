import { LRUCache } from 'lru-cache';
import type { TwinService, World } from '../twin/service.ts';
import { parseVin } from '../twin/vin.ts';
import type { FleetEntry } from '../twin/wire.ts';

/** A car that drives in a world. */
export interface LivingCar {
  /** Id of the world. */
  world: string;
  entry: FleetEntry;
}

/** Worlds that are known to be gone, which is for good. */
const GONE_MAX = 10_000;
const VIN_LENGTH = 17;

/** Finds the cars of living worlds by their VINs. Looking does not keep a world alive. */
export class TwinCars {
  readonly #worlds: Pick<TwinService, 'peek' | 'load'>;
  readonly #gone = new LRUCache<number, true>({ max: GONE_MAX });

  constructor(worlds: Pick<TwinService, 'peek' | 'load'>) {
    this.#worlds = worlds;
  }

  /** Undefined where the VIN is none of a living world. Throws TwinError where nobody can tell. */
  async find(vin: string): Promise<LivingCar | undefined> {
    const address = isTwinVin(vin) ? parseVin(vin) : undefined;
    if (address === undefined || this.#gone.has(address.world)) return undefined;
    const world = this.#worlds.peek(address.world) ?? (await this.#load(address.world));
    const entry = world?.fleet[address.car];
    return world && entry && { world: world.id, entry };
  }

  /** Whether the world of a VIN that has been found lives on, as far as that is known at once. */
  isAtHand(vin: string): boolean {
    const address = parseVin(vin);
    return address !== undefined && this.#worlds.peek(address.world) !== undefined;
  }

  async #load(number: number): Promise<World | undefined> {
    const world = await this.#worlds.load(number);
    if (world === undefined) this.#gone.set(number, true);
    return world;
  }
}

/** Whether it is a VIN that a world could have, in either case. */
export function isTwinVin(vin: string): boolean {
  return vin.length === VIN_LENGTH && parseVin(vin) !== undefined;
}
