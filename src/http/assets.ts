import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { matchesEtag } from './etag.ts';
import { bodyless, type Header, type Reply } from './reply.ts';
import type { Call } from './router.ts';

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
]);

/** A file as it is served: whole, and to those who have it. */
export interface Asset {
  etag: string;
  whole: Reply;
  notModified: Reply;
}

/** Whether a file of this name is one that browsers are given. */
export function isAsset(name: string): boolean {
  return TYPES.has(extname(name));
}

/** @param policy what the page that it may be is allowed to load */
export function readAsset(path: string, policy: string): Asset {
  return assetOf(path, readFileSync(path), policy);
}

/** A file that is in no folder. */
export function assetOf(name: string, body: string | Uint8Array, policy: string): Asset {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers: Header[] = [
    ['ETag', etag],
    ['Cache-Control', 'no-cache'],
    ['Content-Security-Policy', policy],
  ];
  const type = TYPES.get(extname(name)) ?? '';
  return {
    etag,
    whole: { status: 200, type, body, headers },
    notModified: bodyless(304, headers),
  };
}

/** The file, or that the client has it. */
export function fresh({ etag, whole, notModified }: Asset, { head }: Call): Reply {
  return matchesEtag(head.ifNoneMatch, etag) ? notModified : whole;
}
