import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TwinError } from '../errors.ts';
import { type Asset, fresh, isAsset, readAsset } from './assets.ts';
import type { Reply } from './reply.ts';
import type { Route } from './router.ts';
import * as schemas from './schemas.ts';
import type { WorldAccess } from './world-access.ts';

const PAGE = 'index.html';
const POLICY = "default-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'";

/**
 * The viewer's page and what belongs to it. Its files are read once, here.
 * @param folder holds index.html; throws where it does not
 */
export function viewerRoutes(folder: string, worlds: WorldAccess): Route[] {
  const assets = readAssets(folder);
  const page = assets.get(PAGE);
  if (page === undefined) throw new Error(`there is no ${PAGE} in ${folder}`);
  return [pageRoute(page, worlds), assetRoute(assets)];
}

function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const names = readdirSync(folder).filter((name) => isAsset(name) && !name.includes('.test.'));
  return new Map(names.map((name) => [name, readAsset(join(folder, name), POLICY)]));
}

/** The page is the same for every world; for one that is gone it says so, and the status too. */
function pageRoute(page: Asset, worlds: WorldAccess): Route {
  const gone: Reply = { ...page.whole, status: 404 };
  return {
    method: 'GET',
    path: '/worlds/{id}',
    operationId: 'viewWorld',
    summary: 'The live map of a world, for a browser',
    tag: 'viewer',
    auth: 'none',
    params: { id: schemas.WorldId },
    answers: { 200: { description: 'The page' }, 304: { description: 'You have it' } },
    errors: ['rate_limited', 'store_unavailable'],
    handle: async (call) => {
      try {
        await worlds.byId(call, call.params[0]);
        return fresh(page, call);
      } catch (error) {
        if (error instanceof TwinError && error.code === 'unknown_world') return gone;
        throw error;
      }
    },
  };
}

function assetRoute(assets: ReadonlyMap<string, Asset>): Route {
  return {
    method: 'GET',
    path: '/assets/{file}',
    operationId: 'getAsset',
    summary: 'A file of the viewer',
    tag: 'viewer',
    auth: 'none',
    params: { file: { type: 'string' } },
    answers: { 200: { description: 'The file' }, 304: { description: 'You have it' } },
    errors: ['not_found'],
    handle: (call) => {
      const asset = assets.get(call.params[0] ?? '');
      if (asset === undefined) throw new TwinError('not_found');
      return fresh(asset, call);
    },
  };
}
