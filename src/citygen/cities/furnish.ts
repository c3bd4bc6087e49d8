import { boundsOf } from '../../city/geometry.ts';
import type { Block, City } from '../../city/types.ts';
import { placeHazardSpots } from '../hazards/spots.ts';
import type { StretchPlan } from '../hazards/ways.ts';
import { zonesAround } from '../hazards/zones.ts';
import type { Network } from '../network/network.ts';
import type { RandomStream } from '../random-stream.ts';
import { planRoutes } from '../routes/routes.ts';

/** A generated city; the catalogue has the rest. */
export type GeneratedCity = Omit<City, 'name' | 'title' | 'description'>;

/**
 * Adds hazard spots along the stretches, zones and routes of at most `loopMaxM` to streets and
 * houses.
 */
export function furnish(
  network: Network,
  blocks: readonly Block[],
  stretches: readonly StretchPlan[],
  loopMaxM: number,
  random: RandomStream,
): GeneratedCity {
  const hazards = placeHazardSpots(network, blocks, stretches);
  return {
    bounds: boundsOf(blocks.flatMap(({ polygon }) => polygon)),
    ...network,
    blocks,
    zones: zonesAround(network, hazards),
    hazards,
    routes: planRoutes(network, hazards, loopMaxM, random),
  };
}
