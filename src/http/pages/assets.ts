import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type ContentCoding, contentCoding } from '../../codec/negotiate.ts';
import { matchesEtag } from '../server/etag.ts';
import { bodyless, type Header, type Reply } from '../server/reply.ts';
import type { Call } from '../server/router.ts';

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
]);

/** Codings that a file may lie in beside itself, by what its name then ends in; best first. */
const ENDINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const satisfies readonly [ContentCoding, string][];

/** A file as it is served: in each of its codings. */
export interface Asset {
  /** Best first, the file as it is last. */
  codings: readonly ContentCoding[];
  variants: ReadonlyMap<ContentCoding, Variant>;
}

/** A file in one coding: whole, and to those who have it. */
interface Variant {
  etag: string;
  whole: Reply;
  notModified: Reply;
}

export interface AssetHeaders {
  /** What the page that it may be is allowed to load. */
  policy: string;
  /** Who may keep it, and for how long. */
  cache: string;
}

/** Bodies by coding; the file as it is apart. */
export type Coded = ReadonlyMap<ContentCoding, Uint8Array>;

const NOT_CODED: Coded = new Map();

/** Whether a file of this name is one that browsers are given. */
export function isAsset(name: string): boolean {
  return TYPES.has(extname(name));
}

/** A file of a folder, with what lies beside it compressed. */
export function readAsset(path: string, headers: AssetHeaders): Asset {
  const beside = ENDINGS.filter(([, ending]) => existsSync(path + ending));
  const coded = new Map(beside.map(([coding, ending]) => [coding, readFileSync(path + ending)]));
  return assetOf(path, readFileSync(path), headers, coded);
}

/** A file that is in no folder. */
export function assetOf(
  name: string,
  body: string | Uint8Array,
  headers: AssetHeaders,
  coded: Coded = NOT_CODED,
): Asset {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const type = TYPES.get(extname(name)) ?? '';
  const variants = new Map<ContentCoding, Variant>();
  for (const [coding, bytes] of [...coded, ['identity', body] as const]) {
    const etag = coding === 'identity' ? `"${hash}"` : `"${hash}-${coding}"`;
    const common: Header[] = [
      ['ETag', etag],
      ['Cache-Control', headers.cache],
      ['Content-Security-Policy', headers.policy],
    ];
    if (coded.size > 0) common.push(['Vary', 'Accept-Encoding']);
    const notModified = bodyless(304, [...common]);
    if (coding !== 'identity') common.push(['Content-Encoding', coding]);
    const whole = { status: 200, type, body: bytes, headers: common };
    variants.set(coding, { etag, whole, notModified });
  }
  return { codings: [...variants.keys()], variants };
}

/** The file in the coding that the client likes best, or that the client has it. */
export function fresh(asset: Asset, call: Call): Reply {
  const { etag, whole, notModified } = chosen(asset, call);
  return matchesEtag(call.head.ifNoneMatch, etag) ? notModified : whole;
}

/** The file, in an answer of another status. */
export function withStatus(status: number, asset: Asset, call: Call): Reply {
  return { ...chosen(asset, call).whole, status };
}

function chosen({ codings, variants }: Asset, { head }: Call): Variant {
  return variants.get(contentCoding(head.acceptEncoding, codings)) as Variant;
}
