import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Encoding } from '../../codec/encoding.ts';
import { type ContentCoding, prefersHtml } from '../../codec/negotiate.ts';
import type { DemoLogin } from '../../dealer/demo.ts';
import { TwinError } from '../../errors.ts';
import { parseIncidentId } from '../../twin/incidents.ts';
import type { LinkPreview } from '../../twin/link-preview.ts';
import type { MaybePromise } from '../server/maybe-promise.ts';
import type { Reply, WholeReply } from '../server/reply.ts';
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
  withPolicy,
  withStatus,
} from './assets.ts';
import { picturePath } from './preview-routes.ts';

const VIEWER = 'viewer/index.html';
const CONSOLE = 'console/index.html';
const CLUSTER = 'cluster/index.html';
const NOT_FOUND = 'not-found/index.html';
/** The licences of what the pages contain and the node runs. */
const NOTICES = 'THIRD-PARTY-NOTICES.txt';
/** What is shown instead of something else. */
const FOR_A_MINUTE = 'public, max-age=60';
/** What keeps its name. */
const CHECKED_EACH_TIME = 'no-cache';
const ASSET_POLICY = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'";
/** The worker in which the world of a viewer lives: it has a policy of its own. */
const LIFE_WORKER = /^life-worker-[\w-]+\.js$/;
/** Of the viewer and its worker: the kernel is compiled in the browser. */
const WITH_KERNEL = "'self' 'wasm-unsafe-eval'";

/** Where a page names the picture that goes with links to it. */
const PICTURE = /property="og:image" content="\/([^"]+)"/;

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

interface ViewerContext {
  worlds: WorldAccess;
  /** What links to an incident say; undefined if that cannot be told. */
  previewOf: (call: Call, incident: string) => Promise<LinkPreview | undefined>;
  publicTwinUrl: () => string;
  /** Undefined: the viewer does not mention the console. */
  publicDealerUrl: () => string | undefined;
  /** The streams of worlds are at the URLs of their nodes, of which there may be any. */
  hasNodeUrls: boolean;
}

/** The viewer's page at the address of every world, with 404 for an unknown one, and its files. */
export function viewerRoutes(files: WebFiles, context: ViewerContext): Route[] {
  // The addresses are known once the node listens.
  const { page, pageAbout, workerOf } = viewerPages(files, context);
  const found = (call: Call): MaybePromise<Reply> => {
    const incident = new URLSearchParams(call.query).get('incident') ?? '';
    if (parseIncidentId(incident) === undefined) return fresh(page(), call);
    const asked = context.previewOf(call, incident);
    return asked.then((preview) => {
      const about = preview && pageAbout(call.params[0] ?? '', incident, preview);
      return fresh(about ?? page(), call);
    });
  };
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
    query: { incident: schemas.IncidentId },
    answers: { 200: { description: 'The page' }, 304: { description: 'Not modified' } },
    errors: ['rate_limited', 'store_unavailable'],
    handle: async (call) => {
      try {
        await context.worlds.byId(call, call.params[0]);
        return await found(call);
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
  return [route, ...fileRoutes(files, workerOf)];
}

function viewerPages(
  files: WebFiles,
  { publicTwinUrl, publicDealerUrl, hasNodeUrls }: ViewerContext,
) {
  const html = once(() => {
    const dealerUrl = publicDealerUrl();
    const settings = {
      ...(hasNodeUrls && STREAMS_OF_NODES),
      ...(dealerUrl !== undefined && { 'dealer-url': dealerUrl }),
    };
    return withMeta(withPicture(files.viewer, publicTwinUrl()), settings);
  });
  const connect = once(() => {
    const dealerUrl = publicDealerUrl();
    // Some browsers do not apply 'self' to ws: URLs.
    const streams = hasNodeUrls ? 'ws: wss:' : originOf(publicTwinUrl().replace(/^http/, 'ws'));
    return `'self' ${streams}${dealerUrl === undefined ? '' : ` ${originOf(dealerUrl)}`}`;
  });
  const pageAbout = (world: string, incident: string, preview: LinkPreview) => {
    const picture = `${publicTwinUrl()}${picturePath(world, incident)}`;
    return pageOf(withPreview(html(), preview, picture), policy(), false);
  };
  const policy = once(() => policyOf(connect(), WITH_KERNEL));
  const workerOf = once(() => {
    const workers = [...files.assets].filter(([name]) => LIFE_WORKER.test(name));
    const own = `default-src 'none'; script-src ${WITH_KERNEL}; connect-src ${connect()}`;
    return new Map(workers.map(([name, asset]) => [name, withPolicy(asset, own)]));
  });
  return { page: once(() => pageOf(html(), policy())), pageAbout, workerOf };
}

/** The picture of a city that goes with the viewer's page, to be shown instead of another one. */
export function cityPicture({ viewer, assets }: WebFiles): () => Asset {
  return once(() => {
    const name = PICTURE.exec(viewer)?.[1]?.replace(/^assets\//, '') ?? '';
    const body = assets.get(name)?.variants.get('identity')?.whole.body;
    if (body === undefined) throw new Error('the page of the viewer names no picture');
    return assetOf(name, body, { policy: ASSET_POLICY, cache: FOR_A_MINUTE });
  });
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
    const connect = `'self' ${originOf(publicTwinUrl())}`;
    return pageOf(withMeta(files.console, settings), policyOf(connect));
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
  return once(() => pageOf(files.cluster, policyOf("'self'")));
}

/** As `render`, but a browser gets a page where there is nothing, except in an API. */
export function withNotFoundPage(
  files: WebFiles,
  render: (error: unknown, encoding: Encoding) => WholeReply,
): ServerOptions['render'] {
  const page = once(() => pageOf(files.notFound, policyOf("'none'")));
  return (error, call) => {
    const isNowhere = error instanceof TwinError && error.code === 'not_found';
    const isRead = call.method === 'GET' || call.method === 'HEAD';
    const isApi = call.path.startsWith('/api/');
    const asksForPage = isRead && !isApi && prefersHtml(call.head.accept);
    return isNowhere && asksForPage ? withStatus(404, page(), call) : render(error, call.encoding);
  };
}

const NO_ASSETS: ReadonlyMap<string, Asset> = new Map();

/**
 * The files of all pages.
 * @param own versions of this node, by name
 */
export function fileRoutes({ assets, notices }: WebFiles, own = () => NO_ASSETS): Route[] {
  const tag = 'viewer';
  return [
    assetRoute(
      { path: '/assets/{file}', operationId: 'getAsset', summary: 'A file of the page', tag },
      (file) => own().get(file) ?? assets.get(file),
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

/** @param isKept whether it is made once: then it is worth while to compress it */
function pageOf(html: string, policy: string, isKept = true): Asset {
  // The page build cannot compress pages: they contain settings of this node.
  const coded = new Map<ContentCoding, Uint8Array>();
  if (isKept) coded.set('br', brotliCompressSync(html)).set('gzip', gzipSync(html));
  return assetOf('page.html', html, { policy, cache: CHECKED_EACH_TIME }, coded);
}

/**
 * @param connect sources that the scripts of a page may connect to
 * @param script sources of these
 */
function policyOf(connect: string, script = "'self'"): string {
  return [
    "default-src 'none'",
    `script-src ${script}`,
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${connect}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** Whoever shows a link with its picture wants the whole address of the picture. */
function withPicture(html: string, publicUrl: string): string {
  const whole = (_: string, path: string) =>
    `property="og:image" content="${quoted(publicUrl)}/${path}"`;
  return html.replace(PICTURE, whole);
}

/** The page with what a link to an incident says, for services that show links. */
function withPreview(html: string, preview: LinkPreview, picture: string): string {
  const { headline, verdict, description, alt } = preview;
  const contents = {
    title: `${headline}. ${verdict}.`,
    description,
    image: picture,
    'image:alt': alt,
  };
  return Object.entries(contents).reduce((page, [name, content]) => {
    const tag = new RegExp(`(property="og:${name}" content=)"[^"]*"`);
    return page.replace(tag, (_, start: string) => `${start}"${quoted(content)}"`);
  }, html);
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
