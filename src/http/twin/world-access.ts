import { TwinError } from '../../errors.ts';
import { parseWorldId } from '../../twin/ids.ts';
import { parseVin } from '../../twin/vin.ts';
import type { TwinService, World } from '../../twin-service.ts';
import type { CallHead } from '../server/head.ts';
import { mapMaybePromise } from '../server/maybe-promise.ts';
import type { RateLimits } from '../server/rate-limits.ts';
import type { Call } from '../server/router.ts';

/** The error for a world that is not found. */
type Miss = 'unknown_world' | 'unknown_vin';

/** The car of a vehicle call. */
export interface Car {
  world: World;
  /** Index in the fleet. */
  index: number;
}

/**
 * Finds the world or the car of a call and resets its idle time. A world in memory is found
 * synchronously. A client that asks for too many unknown worlds is refused.
 */
export class WorldAccess {
  readonly #service: TwinService;
  readonly #misses: RateLimits['misses'];

  constructor(service: TwinService, limits: RateLimits) {
    this.#service = service;
    this.#misses = limits.misses;
  }

  /** Throws, or rejects with, TwinError `unknown_world`. */
  byId(call: Call, id: string | undefined): World | Promise<World> {
    return this.#byNumber(call, parseWorldId(id ?? ''), 'unknown_world');
  }

  /** As `byId`, but the idle time goes on: who looks at a link does not use the world. */
  unused(call: Call, id: string | undefined): World | Promise<World> {
    const worldNumber = parseWorldId(id ?? '');
    const world = worldNumber === undefined ? undefined : this.#service.peek(worldNumber);
    return world ?? this.#load(call.addressKey(), worldNumber, 'unknown_world');
  }

  /** The car of the call's credential. Throws, or rejects with, `missing_vin` or `unknown_vin`. */
  byVin(call: Call): Car | Promise<Car> {
    const vin = credential(call.head);
    if (vin === '') throw new TwinError('missing_vin');
    const address = carOfVin(vin);
    const index = address?.car ?? 0;
    return mapMaybePromise(this.#byNumber(call, address?.world, 'unknown_vin'), (world) => ({
      world,
      index,
    }));
  }

  #byNumber(call: Call, worldNumber: number | undefined, miss: Miss): World | Promise<World> {
    const world = worldNumber === undefined ? undefined : this.#service.peek(worldNumber);
    if (world === undefined) return this.#use(this.#load(call.addressKey(), worldNumber, miss));
    world.touch();
    return world;
  }

  async #use(loading: Promise<World>): Promise<World> {
    const world = await loading;
    world.touch();
    return world;
  }

  async #load(key: string, worldNumber: number | undefined, miss: Miss): Promise<World> {
    this.#misses?.check(key);
    const world = worldNumber === undefined ? undefined : await this.#service.load(worldNumber);
    if (world === undefined) {
      // Others of the same client may have been looked up meanwhile: these are refused then.
      this.#misses?.take(key);
      throw new TwinError(miss);
    }
    return world;
  }
}

/**
 * The VIN in `Authorization: VIN <vin>`, with the scheme in any case; with another scheme or none,
 * the VIN in `X-VIN`. Empty if there is none.
 */
function credential({ authorization, vin }: CallHead): string {
  const scheme = authorization.slice(0, 4).toLowerCase();
  if (scheme === 'vin ' || scheme === 'vin') return authorization.slice(4).trim();
  return vin.trim();
}

/** The world of the car that a call names; undefined if it names none properly. */
export function worldOfCar(head: CallHead): number | undefined {
  return carOfVin(credential(head))?.world;
}

let lastVin = '';
let lastCar: ReturnType<typeof parseVin>;

/** Parses a VIN. A call asks twice, for its node and for its car, and the second time takes no time. */
function carOfVin(vin: string): ReturnType<typeof parseVin> {
  if (vin !== lastVin) {
    lastCar = parseVin(vin);
    lastVin = vin;
  }
  return lastCar;
}
