import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { decodeTable } from '../../src/city/table/table-coding.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import type { CityMap } from '../../src/twin/wire.ts';
import type { AssetSource, CityAssets } from './city-assets.ts';

const HERE = import.meta.url;
const decompressed = promisify(brotliDecompress);
const known = new Map<string, Promise<CityAssets>>();
let kernel: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** The cities of this release, from files of the package. Rejects for an unknown name. */
export const packedAssets: AssetSource = (city) => {
  const assets = known.get(city) ?? readAssets(city);
  known.set(city, assets);
  return assets;
};

async function readAssets(city: string): Promise<CityAssets> {
  kernel ??= unpacked('kernel.wasm');
  const [code, table, map] = await Promise.all([
    kernel,
    unpacked(`${city}.coded`),
    unpacked(`${city}.map.json`),
  ]);
  const parsed = JSON.parse(new TextDecoder().decode(map)) as CityMap;
  return { kernel: code, table: decodeTable(table), carTypes: CAR_TYPES, map: parsed };
}

async function unpacked(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await readFile(new URL(`../assets/${name}.br`, HERE)).catch((cause) => {
    throw new RangeError(`the package has no ${name}`, { cause });
  });
  return Uint8Array.from(await decompressed(packed));
}
