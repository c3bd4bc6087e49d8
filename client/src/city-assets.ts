import type { CarType } from '../../src/twin/fleet.ts';
import type { CityMap } from '../../src/twin/wire.ts';

/** What the worlds of one city are lived with. */
export interface CityAssets {
  /** The compiled kernel. */
  kernel: Uint8Array<ArrayBuffer>;
  /** The kernel's table of the city. */
  table: ArrayBuffer;
  carTypes: readonly CarType[];
  /** As `GET /api/v1/worlds/{id}/map` answers. */
  map: CityMap;
}

/** Finds the assets of a city by its name. */
export type AssetSource = (city: string) => Promise<CityAssets>;
