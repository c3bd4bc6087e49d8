import { readFileSync } from 'node:fs';
import { mapOf } from '../../src/city/map.ts';
import { loadCities } from '../../src/load-cities.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import type { AssetSource, CityAssets } from '../src/city-assets.ts';

const kernel = Uint8Array.from(readFileSync(new URL('../../build/kernel.wasm', import.meta.url)));
const { cities, tables } = loadCities();
const known = new Map(
  cities.map((city, i): [string, CityAssets] => {
    const table = tables[i] ?? new ArrayBuffer(0);
    return [city.name, { kernel, table, carTypes: CAR_TYPES, map: mapOf(city) }];
  }),
);

/** The assets of the built cities. */
export const builtAssets: AssetSource = async (city) => {
  const assets = known.get(city);
  if (assets === undefined) throw new RangeError(`no city is called ${city}`);
  return assets;
};
