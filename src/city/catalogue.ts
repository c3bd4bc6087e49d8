import { generateGrid } from './cities/grid.ts';
import { generateMixedTown } from './cities/mixed-town.ts';
import { generateOldTown } from './cities/old-town.ts';
import type { City, CityBody } from './types.ts';

/**
 * How a city comes about: a file of `cities` plans its streets and junctions; `network` makes roads,
 * lanes and signals of the plan; `land` puts houses and greens beside them; `hazards` looks for the
 * spots of the hazards and lays the zones around them; `routes` chooses the loops that cars drive.
 */

export interface CityEntry {
  name: string;
  title: string;
  description: string;
  /** The city is grown from it; a world's own seed has no part in that. */
  seed: number;
  generate: (seed: number) => CityBody;
}

/** All cities; the first is the default. */
export const CITIES: readonly CityEntry[] = [
  {
    name: 'grid',
    title: 'Modern grid with a signalised arterial',
    description:
      'Six streets by six, with a four-lane arterial whose junctions have signals, ' +
      'through streets with priority, quiet streets with none, and two parks.',
    seed: 20_251_120,
    generate: generateGrid,
  },
  {
    name: 'old-town',
    title: 'Compact old town behind its ramparts',
    description:
      'Narrow streets with tight bends and blind corners inside a ring of gates, ' +
      'stop and priority junctions, and two sets of signals on the High Street.',
    seed: 13_480_701,
    generate: generateOldTown,
  },
  {
    name: 'mixed-town',
    title: 'Mixed town with a ring road',
    description:
      'A centre inside a four-lane ring road of 60 km/h with signals, suburbs and works ' +
      'around it, and wide roads with sharp bends past parks.',
    seed: 19_580_412,
    generate: generateMixedTown,
  },
];

/**
 * The city of that name from that seed: equal arguments give deeply equal cities on any machine.
 *
 * @throws RangeError for a name that the catalogue does not have
 */
export function generateCity(name: string, seed: number): City {
  const entry = CITIES.find((city) => city.name === name);
  if (!entry) throw new RangeError(`there is no city "${name}"`);
  const { title, description } = entry;
  return { name, title, description, ...entry.generate(seed) };
}
