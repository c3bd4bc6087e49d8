import { boundsOf } from '../../city/geometry.ts';
import type { Block, CityBody } from '../../city/types.ts';
import { placeHazardSpots } from '../hazards/spots.ts';
import { zonesAround } from '../hazards/zones.ts';
import type { Network } from '../network/network.ts';
import type { Random } from '../random.ts';
import { loopsOver } from '../routes/loops.ts';
import { planRoutes } from '../routes/routes.ts';

/** Such loops a car drives within three minutes. */
const SHORT_LOOPS = { lengthMinM: 800, lengthMaxM: 1300 } as const;

/**
 * The whole city of these streets and houses, with zones, hazard spots and routes. Spots lie where
 * many short loops lead over several of them; routes are then chosen among the loops that do.
 */
export function furnish(network: Network, blocks: readonly Block[], random: Random): CityBody {
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
