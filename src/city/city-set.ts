import type { CityNames } from './names.ts';
import type { City } from './types.ts';

/** The cities of the catalogue in every form that a node needs, by the city index of the kernel. */
export interface CitySet {
  cities: readonly City[];
  tables: readonly ArrayBuffer[];
  names: readonly CityNames[];
}

/** The folder that `npm run build:cities` fills: a JSON file, a kernel table and its coded form per city. */
export const BUILT_CITIES = new URL('../../build/cities/', import.meta.url);
