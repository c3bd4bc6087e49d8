import { boundsOf } from '../../city/geometry.ts';
import type { Block, City } from '../../city/types.ts';
import { placeHazardSpots } from '../hazards/spots.ts';
import { zonesAround } from '../hazards/zones.ts';
import type { Network } from '../network/network.ts';
import type { RandomStream } from '../random-stream.ts';
import { loopsOver } from '../routes/loops.ts';
import { planRoutes } from '../routes/routes.ts';

/** A generated city; the catalogue has the rest. */
export type GeneratedCity = Omit<City, 'name' | 'title' | 'description'>;

/** A car drives a loop of this length within three minutes. */
const SHORT_LOOPS = { lengthMinM: 800, lengthMaxM: 1300 } as const;

/**
 * Adds hazard spots, zones and routes to streets and houses. Spots are placed where many short
 * loops pass several of them, so that routes can pass several spots too.
 */
export function furnish(
  network: Network,
  blocks: readonly Block[],
  random: RandomStream,
): GeneratedCity {
  const starts = network.lanes.flatMap(({ road }, lane) => (road >= 0 ? [lane] : []));
  const loops = loopsOver(network.lanes, [], starts, SHORT_LOOPS, random);
  const hazards = placeHazardSpots(network, blocks, loops);
  return {
    bounds: boundsOf(blocks.flatMap(({ polygon }) => polygon)),
    ...network,
    blocks,
    zones: zonesAround(network, hazards),
    hazards,
    routes: planRoutes(network, hazards, random),
  };
}
