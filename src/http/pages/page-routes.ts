import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Encoding } from '../../codec/encoding.ts';
import type { ContentCoding } from '../../codec/negotiate.ts';
import type { DemoLogin } from '../../dealer/demo.ts';
import { TwinError } from '../../errors.ts';
import type { WholeReply } from '../server/reply.ts';
import type { Call, Route } from '../server/router.ts';
import type { ServerOptions } from '../server/server-options.ts';
import * as schemas from '../twin/schemas.ts';
import type { WorldAccess } from '../twin/world-access.ts';
import {
  type Asset,
  assetOf,
  assetRoute,
  FOR_EVER,
  fresh,
  isAsset,
  once,
  readAsset,
  withStatus,
} from './assets.ts';

const VIEWER = 'viewer/index.html';
const CONSOLE = 'console/index.html';
const CLUSTER = 'cluster/index.html';
const NOT_FOUND = 'not-found/index.html';
/** The licences of what the pages contain and the node runs. */
const NOTICES = 'THIRD-PARTY-NOTICES.txt';
/** What keeps its name. */
const CHECKED_EACH_TIME = 'no-cache';
const ASSET_POLICY = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The output of the page build. */
export interface WebFiles {
  viewer: string;
  console: string;
  cluster: string;
  notFound: string;
  notices: Asset;
  /** By name. */
  assets: ReadonlyMap<string, Asset>;
}

/** @param folder output of the page build. Throws if something is missing. */
export function readWebFiles(folder: string): WebFiles {
  const assets = join(folder, 'assets');
  for (const needed of [VIEWER, CONSOLE, CLUSTER, NOT_FOUND, NOTICES, 'assets']) {
    if (existsSync(join(folder, needed))) continue;
    throw new Error(`${folder} has no ${needed}: run npm run build:web`);
  }
  const names = readdirSync(assets).filter(isAsset);
  // Their names contain a hash of their content.
  const headers = { policy: ASSET_POLICY, cache: FOR_EVER };
  return {
    viewer: readFileSync(join(folder, VIEWER), 'utf8'),
    console: readFileSync(join(folder, CONSOLE), 'utf8'),
    cluster: readFileSync(join(folder, CLUSTER), 'utf8'),
    notFound: readFileSync(join(folder, NOT_FOUND), 'utf8'),
    notices: readAsset(join(folder, NOTICES), { policy: ASSET_POLICY, cache: CHECKED_EACH_TIME }),
    assets: new Map(names.map((name) => [name, readAsset(join(assets, name), headers)])),
  };
}

/** How a viewer finds the stream of a world that its page does not know: by the world's answer. */
const STREAMS_OF_NODES = { streams: 'stream-url' };

interface ViewerUrls {
  publicTwinUrl: () => string;
  /** Undefined: the viewer does not mention the console. */
  publicDealerUrl: () => string | undefined;
  /** The streams of worlds are at the URLs of their nodes, of which there may be any. */
  hasNodeUrls: boolean;
}

/** The viewer's page at the address of every world, with 404 for an unknown one, and its files. */
export function viewerRoutes(
  files: WebFiles,
  worlds: WorldAccess,
  { publicTwinUrl, publicDealerUrl, hasNodeUrls }: ViewerUrls,
): Route[] {
  // The addresses are known once the node listens.
  const page = once(() => {
    const dealerUrl = publicDealerUrl();
    const settings = {
      ...(hasNodeUrls && STREAMS_OF_NODES),
      ...(dealerUrl !== undefined && { 'dealer-url': dealerUrl }),
    };
    const html = withMeta(withPreview(files.viewer, publicTwinUrl()), settings);
    // Some browsers do not apply 'self' to ws: URLs.
    const streams = hasNodeUrls ? 'ws: wss:' : originOf(publicTwinUrl().replace(/^http/, 'ws'));
    const dealer = dealerUrl === undefined ? '' : ` ${originOf(dealerUrl)}`;
    return pageOf(html, `'self' ${streams}${dealer}`);
  });
  const found = (call: Call) => fresh(page(), call);
  const unknown = (call: Call) => withStatus(404, page(), call);
  const route: Route = {
    method: 'GET',
    path: '/worlds/{id}',
    operationId: 'viewWorld',
    summary: 'The live map of a world, for a browser',
    tag: 'viewer',
    auth: 'none',
    place: 'world',
    params: { id: schemas.WorldId },
    answers: { 200: { description: 'The page' }, 304: { description: 'Not modified' } },
    errors: ['rate_limited', 'store_unavailable'],
    handle: async (call) => {
      try {
        await worlds.byId(call, call.params[0]);
        return found(call);
      } catch (error) {
        if (!(error instanceof TwinError) || error.code !== 'unknown_world') throw error;
        return unknown(call);
      }
    },
    // The page names files of its own version, which another node may not have.
    answerHere: (call, { status }) => {
      if (status === 304) return found(call);
      return status === 404 ? unknown(call) : undefined;
    },
  };
  return [route, ...fileRoutes(files)];
}

/**
 * The dealer console: one page that navigates by the fragment of its address. The page contains
 * the published log-ins and the address of the twin.
 */
export function consoleRoutes(
  files: WebFiles,
  demoLogins: readonly DemoLogin[],
  publicTwinUrl: () => string,
): Route[] {
  const page = once(() => {
    const settings = { 'demo-logins': JSON.stringify(demoLogins), 'twin-url': publicTwinUrl() };
    // It shows how the cars of a fleet drive.
    return pageOf(withMeta(files.console, settings), `'self' ${originOf(publicTwinUrl())}`);
  });
  const route = assetRoute(
    {
      path: '/',
      operationId: 'getConsole',
      summary: 'The dealer console, for a browser',
      tag: 'console',
    },
    page,
  );
  return [route, ...fileRoutes(files)];
}

/** The page that shows operators the cluster. */
export function clusterPage(files: WebFiles): () => Asset {
  return once(() => pageOf(files.cluster, "'self'"));
}

/** As `render`, but a browser gets a page where there is nothing. */
export function withNotFoundPage(
  files: WebFiles,
  render: (error: unknown, encoding: Encoding) => WholeReply,
): ServerOptions['render'] {
  const page = once(() => pageOf(files.notFound, "'none'"));
  return (error, call) => {
    const isNowhere = error instanceof TwinError && error.code === 'not_found';
    const isRead = call.method === 'GET' || call.method === 'HEAD';
    const asksForPage = isRead && /\btext\/html\b/.test(call.head.accept);
    return isNowhere && asksForPage ? withStatus(404, page(), call) : render(error, call.encoding);
  };
}

/** The files of all pages. */
export function fileRoutes({ assets, notices }: WebFiles): Route[] {
  const tag = 'viewer';
  return [
    assetRoute(
      { path: '/assets/{file}', operationId: 'getAsset', summary: 'A file of the page', tag },
      (file) => assets.get(file),
    ),
    assetRoute(
      {
        path: `/${NOTICES}`,
        operationId: 'getNotices',
        summary: 'The licences of the software of others in the pages and the node',
        tag,
      },
      () => notices,
    ),
  ];
}

/** @param connect sources that its scripts may connect to */
function pageOf(html: string, connect: string): Asset {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${connect}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  // The page build cannot compress pages: they contain settings of this node.
  const coded = new Map<ContentCoding, Uint8Array>([
    ['br', brotliCompressSync(html)],
    ['gzip', gzipSync(html)],
  ]);
  return assetOf('page.html', html, { policy, cache: CHECKED_EACH_TIME }, coded);
}

/** Whoever shows a link with its picture wants the whole address of the picture. */
function withPreview(html: string, publicUrl: string): string {
  const whole = `property="og:image" content="${quoted(publicUrl)}/`;
  return html.replace('property="og:image" content="/', () => whole);
}

function withMeta(html: string, settings: Readonly<Record<string, string>>): string {
  const tags = Object.entries(settings).map(
    ([name, content]) => `<meta name="${name}" content="${quoted(content)}">\n`,
  );
  return html.replace('</head>', () => `${tags.join('')}</head>`);
}

const originOf = (address: string): string => new URL(address).origin;

function quoted(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
