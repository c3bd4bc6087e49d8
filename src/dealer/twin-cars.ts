import { lruCache } from '../lru-cache.ts';
import { parseVin } from '../twin/vin.ts';
import type { FleetEntry } from '../twin/wire.ts';
import type { TwinService, World } from '../twin-service.ts';

/** A car of a living world. */
export interface LivingCar {
  /** Id of the world. */
  world: string;
  entry: FleetEntry;
}

/** Number of deleted worlds that are remembered; their numbers are never reused. */
const GONE_MAX = 10_000;
const VIN_LENGTH = 17;

/** Finds cars of living worlds by VIN, without resetting the worlds' idle time. */
export class TwinCars {
  readonly #worlds: Pick<TwinService, 'peek' | 'load'>;
  readonly #gone = lruCache<number, true>(GONE_MAX);

  constructor(worlds: Pick<TwinService, 'peek' | 'load'>) {
    this.#worlds = worlds;
  }

  /** Undefined if no living world has the VIN. Throws TwinError if the store does not answer. */
  async find(vin: string): Promise<LivingCar | undefined> {
    const address = isTwinVin(vin) ? parseVin(vin) : undefined;
    if (address === undefined || this.#gone.has(address.world)) return undefined;
    const world = this.#worlds.peek(address.world) ?? (await this.#load(address.world));
    const entry = world?.fleet[address.car];
    return world && entry && { world: world.id, entry };
  }

  /** Whether a world is still in memory. */
  isAtHand(world: number): boolean {
    return this.#worlds.peek(world) !== undefined;
  }

  async #load(number: number): Promise<World | undefined> {
    const world = await this.#worlds.load(number);
    if (world === undefined) this.#gone.set(number, true);
    return world;
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
