import { CITIES } from '../city/catalogue.ts';
import type { City } from '../city/types.ts';
import type { GeneratedCity } from './cities/furnish.ts';
import { generateGrid } from './cities/grid.ts';
import { MIXED_TOWN } from './cities/mixed-town.ts';
import { OLD_TOWN } from './cities/old-town.ts';
import { generateTown } from './cities/town.ts';

const GENERATORS: Readonly<Record<string, (seed: number) => GeneratedCity>> = {
  grid: generateGrid,
  'old-town': (seed) => generateTown(OLD_TOWN, seed),
  'mixed-town': (seed) => generateTown(MIXED_TOWN, seed),
};

/**
 * The city of that name and seed: equal arguments give deeply equal cities on every machine.
 *
 * @throws RangeError for a name that is not in the catalogue
 */
export function generateCity(name: string, seed: number): City {
  const entry = CITIES.find((city) => city.name === name);
  const generate = GENERATORS[name];
  if (!entry || !generate) throw new RangeError(`there is no city "${name}"`);
  const { title, description } = entry;
  return { name, title, description, ...generate(seed) };
}
