import { formatRequest } from '../bench/common/http-pool.ts';
import type { MadeWorld } from '../bench/common/made-worlds.ts';
import type { Dice } from '../src/testing/rigs/dice.ts';
import { FEATURES } from '../src/twin/catalogue.ts';

const PATH = '/api/v1/vehicle/features';

/** A request that switches a random feature of a random car on or off; it may change nothing. */
export function randomChange(url: URL, worlds: readonly MadeWorld[], dice: Dice): Buffer {
  const vin = dice.pick(dice.pick(worlds).vins);
  const body = JSON.stringify({ [dice.pick(FEATURES).name]: dice.below(2) === 1 });
  return formatRequest(url, 'PATCH', PATH, { 'X-VIN': vin }, body);
}
