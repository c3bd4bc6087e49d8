import { CITIES } from '../city/catalogue.ts';
import type { City, CityBody } from '../city/types.ts';
import { generateGrid } from './cities/grid.ts';
import { generateMixedTown } from './cities/mixed-town.ts';
import { generateOldTown } from './cities/old-town.ts';

/**
 * How a city comes about: a file of `cities` plans its streets and junctions; `network` makes roads,
 * lanes and signals of the plan; `land` puts houses and greens beside them; `hazards` looks for the
 * spots of the hazards and lays the zones around them; `routes` chooses the loops that cars drive.
 */

const GENERATORS: Readonly<Record<string, (seed: number) => CityBody>> = {
  grid: generateGrid,
  'old-town': generateOldTown,
  'mixed-town': generateMixedTown,
};

/**
 * The city of that name from that seed: equal arguments give deeply equal cities on any machine.
 *
 * @throws RangeError for a name that the catalogue does not have
 */
export function generateCity(name: string, seed: number): City {
  const entry = CITIES.find((city) => city.name === name);
  const grow = GENERATORS[name];
  if (!entry || !grow) throw new RangeError(`there is no city "${name}"`);
  const { title, description } = entry;
  return { name, title, description, ...grow(seed) };
}
