import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { TwinError } from '../../errors.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import type { LockstepAssets } from '../../twin/lockstep.ts';
import { type Asset, assetOf, assetRoute, FOR_EVER, fresh, readAsset } from '../pages/assets.ts';
import { mapMaybePromise } from '../server/maybe-promise.ts';
import type { Route } from '../server/router.ts';
import * as schemas from './schemas.ts';
import type { WorldAccess } from './world-access.ts';

const TAG = 'lockstep';
const HEADERS = { cache: FOR_EVER };
const NAME_DIGITS = 32;

/** What a build has for clients that live a world themselves, with compressed copies. */
export interface LockstepFiles {
  /** The kernel that steps the worlds of this node. */
  kernel: string;
  /** The module that writes frames. */
  frames: string;
  /** Folder of the tables of the cities. */
  cities: string;
}

/**
 * What clients need to live a world themselves, under names that are hashes of the content.
 * @throws Error if a file is missing
 */
export function lockstepAssets(
  files: LockstepFiles,
  cityNames: readonly string[],
  worlds: WorldAccess,
): { routes: Route[]; assetsOf(city: string): LockstepAssets } {
  const assets = new Map<string, Asset>();
  const add = (asset: Asset, ending: string): string => {
    const name = `${hashOf(asset)}.${ending}`;
    assets.set(name, asset);
    return `/lockstep/${name}`;
  };
  const common = {
    kernel: add(built(files.kernel), 'wasm'),
    frames: add(built(files.frames), 'wasm'),
    car_types: add(carTypes(), 'json'),
  };
  const tables = new Map(
    cityNames.map((city) => [city, add(built(join(files.cities, `${city}.table`)), 'table')]),
  );
  return {
    routes: routesOf(assets, worlds),
    assetsOf: (city) => {
      const table = tables.get(city);
      if (table === undefined) throw new RangeError(`no city ${city}`);
      return { ...common, table };
    },
  };
}

function built(path: string): Asset {
  if (!existsSync(path)) throw new Error(`${path} is missing: run npm run build`);
  return readAsset(path, HEADERS);
}

function carTypes(): Asset {
  const text = JSON.stringify(CAR_TYPES);
  const coded = new Map([
    ['br', brotliCompressSync(text)],
    ['gzip', gzipSync(text)],
  ] as const);
  return assetOf('car-types.json', text, HEADERS, coded);
}

/** Of the uncompressed content. */
function hashOf({ variants }: Asset): string {
  const body = variants.get('identity')?.whole.body ?? '';
  return createHash('sha256').update(body).digest('hex').slice(0, NAME_DIGITS);
}

function routesOf(assets: ReadonlyMap<string, Asset>, worlds: WorldAccess): Route[] {
  const anyFile = assetRoute(
    {
      path: '/lockstep/{file}',
      operationId: 'getLockstepFile',
      summary: 'A file with which a client lives a world itself; its name is a hash of its content',
      tag: TAG,
    },
    (file) => assets.get(file),
  );
  const ofWorld: Route = {
    ...anyFile,
    path: '/api/v1/worlds/{id}/lockstep/{file}',
    operationId: 'getLockstepFileOfWorld',
    summary: 'Such a file of the node that serves the world, which may have another release',
    place: 'world',
    params: { id: schemas.WorldId, ...anyFile.params },
    errors: [...anyFile.errors, 'unknown_world', 'rate_limited', 'store_unavailable'],
    handle: (call) =>
      mapMaybePromise(worlds.byId(call, call.params[0]), () => {
        const asset = assets.get(call.params[1] ?? '');
        if (asset === undefined) throw new TwinError('not_found');
        return fresh(asset, call);
      }),
    answerHere: (call, { status }) => {
      const asset = assets.get(call.params[1] ?? '');
      return status === 304 && asset !== undefined ? fresh(asset, call) : undefined;
    },
  };
  return [anyFile, ofWorld];
}
