import type { City } from './types.ts';

interface CityEntry extends Pick<City, 'name' | 'title' | 'description'> {
  /** Seed of the city itself, independent of the seeds of worlds. */
  seed: number;
}

/** All cities; the first is the default. */
export const CITIES: readonly CityEntry[] = [
  {
    name: 'grid',
    title: 'Modern grid with a wide avenue',
    description:
      'Six streets by six, with an avenue of four lanes and traffic lights, ' +
      'through streets with priority, quiet streets with none, and two parks.',
    seed: 20_251_120,
  },
  {
    name: 'old-town',
    title: 'Compact old town behind its ramparts',
    description:
      'Narrow streets with tight bends and blind corners inside a ring of gates, ' +
      'stop and priority junctions, and traffic lights on the High Street and at the east gate.',
    seed: 13_480_701,
  },
  {
    name: 'mixed-town',
    title: 'Mixed town with a ring road',
    description:
      'A centre inside a four-lane ring road of 60 km/h with traffic lights, suburbs and works ' +
      'around it, and wide roads with sharp bends past parks.',
    seed: 19_580_412,
  },
];
