import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { TwinError } from '../errors.ts';
import { matchesEtag } from './etag.ts';
import { bodyless, type Header, type Reply } from './reply.ts';
import type { Call, Route } from './router.ts';
import * as schemas from './schemas.ts';
import type { WorldAccess } from './world-access.ts';

const PAGE = 'index.html';
const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
]);
const POLICY = "default-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'";

/** A file as it is served: whole, and to those who have it. */
interface Asset {
  etag: string;
  whole: Reply;
  notModified: Reply;
}

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
  const names = readdirSync(folder).filter(
    (name) => TYPES.has(extname(name)) && !name.includes('.test.'),
  );
  return new Map(names.map((name) => [name, readAsset(join(folder, name))]));
}

function readAsset(path: string): Asset {
  const body = readFileSync(path);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers: Header[] = [
    ['ETag', etag],
    ['Cache-Control', 'no-cache'],
    ['Content-Security-Policy', POLICY],
  ];
  const type = TYPES.get(extname(path)) ?? '';
  return {
    etag,
    whole: { status: 200, type, body, headers },
    notModified: bodyless(304, headers),
  };
}

function fresh({ etag, whole, notModified }: Asset, { head }: Call): Reply {
  return matchesEtag(head.ifNoneMatch, etag) ? notModified : whole;
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
