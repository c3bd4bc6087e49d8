import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type ContentCoding, contentCoding } from '../../codec/negotiate.ts';
import { TwinError } from '../../errors.ts';
import { freshReply, type TaggedReply, tagOf } from '../server/etag.ts';
import { bodyless, type Header, type Reply, type WholeReply } from '../server/reply.ts';
import type { Call, Route } from '../server/router.ts';

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.coded', 'application/octet-stream'],
]);

const POLICY = 'Content-Security-Policy';

/** Codings of precompressed files, with the ending of their names; best first. */
const ENDINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const satisfies readonly [ContentCoding, string][];

/** A file as it is served, in each of its codings. */
export interface Asset {
  /** Best first; the uncompressed file is last. */
  codings: readonly ContentCoding[];
  variants: ReadonlyMap<ContentCoding, TaggedReply>;
}

/** The cache control of what has another name once its content is another. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

export interface AssetHeaders {
  /** Content security policy; undefined: of what no browser shows. */
  policy?: string;
  /** Cache control. */
  cache: string;
}

/** Whether browsers may get a file of this name. */
export function isAsset(name: string): boolean {
  return TYPES.has(extname(name));
}

/** A file of a folder, with its precompressed versions. */
export function readAsset(path: string, headers: AssetHeaders): Asset {
  const compressed = ENDINGS.filter(([, ending]) => existsSync(path + ending));
  const coded = new Map(
    compressed.map(([coding, ending]) => [coding, readFileSync(path + ending)]),
  );
  return assetOf(path, readFileSync(path), headers, coded);
}

/**
 * A file that is made in memory.
 * @param coded its compressed bodies
 */
export function assetOf(
  name: string,
  body: string | Uint8Array,
  headers: AssetHeaders,
  coded: ReadonlyMap<ContentCoding, Uint8Array> = new Map(),
): Asset {
  const tag = tagOf(body);
  const type = TYPES.get(extname(name)) ?? '';
  const variants = new Map<ContentCoding, TaggedReply>();
  for (const [coding, bytes] of [...coded, ['identity', Buffer.from(body)] as const]) {
    const etag = coding === 'identity' ? `"${tag}"` : `"${tag}-${coding}"`;
    const common: Header[] = [
      ['ETag', etag],
      ['Cache-Control', headers.cache],
    ];
    if (headers.policy !== undefined) common.push([POLICY, headers.policy]);
    if (coded.size > 0) common.push(['Vary', 'Accept-Encoding']);
    const notModified = bodyless(304, [...common]);
    if (coding !== 'identity') common.push(['Content-Encoding', coding]);
    const head = { status: 200, type, headers: common };
    variants.set(coding, { etag, whole: { ...head, body: bytes }, notModified });
  }
  return { codings: [...variants.keys()], variants };
}

/** The file with another content security policy. */
export function withPolicy({ codings, variants }: Asset, policy: string): Asset {
  const headersOf = ({ headers }: Reply): Header[] => [
    ...headers.filter(([name]) => name !== POLICY),
    [POLICY, policy],
  ];
  const changed = [...variants].map(([coding, { etag, whole, notModified }]) => {
    const own = { ...whole, headers: headersOf(whole) };
    return [
      coding,
      { etag, whole: own, notModified: bodyless(304, headersOf(notModified)) },
    ] as const;
  });
  return { codings, variants: new Map(changed) };
}

/** A route of assets, of one or of all with a `{file}` in the path. */
export function assetRoute(
  { path, ...about }: Pick<Route, 'path' | 'operationId' | 'summary' | 'tag'>,
  find: (file: string) => Asset | undefined,
): Route {
  const isOne = !path.endsWith('/{file}');
  return {
    ...about,
    method: 'GET',
    path,
    auth: 'none',
    ...(isOne ? {} : { params: { file: { type: 'string' } } }),
    answers: {
      200: { description: isOne ? 'The page' : 'The file' },
      304: { description: 'Not modified' },
    },
    errors: isOne ? [] : ['not_found'],
    handle: (call) => {
      const asset = find(call.params[0] ?? '');
      if (asset === undefined) throw new TwinError('not_found');
      return fresh(asset, call);
    },
  };
}

/** The file in the best coding that the client accepts, or 304 if the client has it. */
export function fresh(asset: Asset, call: Call): Reply {
  return freshReply(chosen(asset, call), call.head.ifNoneMatch);
}

/** The file with another status. */
export function withStatus(status: number, asset: Asset, call: Pick<Call, 'head'>): WholeReply {
  return { ...chosen(asset, call).whole, status };
}

function chosen({ codings, variants }: Asset, { head }: Pick<Call, 'head'>): TaggedReply {
  return variants.get(contentCoding(head.acceptEncoding, codings)) as TaggedReply;
}

/** The result of `make`, which runs at the first call. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
