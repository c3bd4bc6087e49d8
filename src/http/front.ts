import type { Clock } from '../clock.ts';
import type { RateLimitSettings } from '../config.ts';
import type { DemoLogin } from '../dealer/demo.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { TwinService } from '../twin/service.ts';
import { detailReply } from './dealer/detail.ts';
import { docsRoutes, readDocsFiles, streamDocsRoute } from './docs/docs-routes.ts';
import { opsRoutes } from './ops.ts';
import { consoleRoutes, readWebFiles, viewerRoutes, type WebFiles } from './pages/page-routes.ts';
import { HttpServer } from './server/http-server.ts';
import { createRateLimits, type RateLimits } from './server/rate-limits.ts';
import { errorReply } from './server/reply.ts';
import { type Route, Router } from './server/router.ts';
import type { TlsFiles } from './server/server-options.ts';
import { DEALER_PLATFORM, TWIN } from './server/services.ts';
import { Fanout } from './twin/fanout.ts';
import { twinRoutes } from './twin/twin-routes.ts';
import { vehicleRoutes } from './twin/vehicle-routes.ts';
import { WorldAccess } from './twin/world-access.ts';
import { type StreamSession, streamRoute, WorldStream } from './twin/world-stream.ts';

export interface FrontEndOptions {
  host: string;
  /** Of each port 0 takes a free one. */
  twinPort: number;
  dealerPort: number;
  opsHost: string;
  opsPort: number;
  /** What viewer and stream URLs are built from; by default the listening address. */
  publicTwinUrl?: string | undefined;
  tls?: TlsFiles | undefined;
  corsOrigins: '*' | readonly string[];
  rateLimits: RateLimitSettings | 'off';
  /** Where the pages were built. */
  webFolder: string;
  /** Known log-ins, in demo mode; without it there are none. */
  demoLogins: readonly DemoLogin[];
  /** Hash of the kernel that lives the worlds. */
  kernelHash: string;
}

/** What the operations of the dealer platform need of the front end. */
export interface DealerSurroundings {
  limits: RateLimits;
  /** What viewer URLs are built from; no slash at its end. */
  publicTwinUrl: () => string;
}

/** What the front end shares with the rest of the node. */
export interface FrontEndParts {
  service: TwinService;
  /** The operations of the dealer platform. */
  dealerRoutes: (around: DealerSurroundings) => Route[];
  clock: Clock;
  metrics: Metrics;
  log: Log;
  /** Whether what the node stands on takes requests; by default it does. */
  isReady?: () => boolean;
}

export interface FrontEnd {
  /** Listening addresses, as URLs. */
  twinUrl: string;
  dealerUrl: string;
  opsUrl: string;
  /** Streams are closed with 1012, requests under way finished, then all connections ended. */
  close(): Promise<void>;
}

const SWEEP_MS = 1000;
const CLOSE_GRACE_MS = 5_000;

/** Opens the three ports. Throws, with none of them open, where one cannot be had. */
export function startFrontEnd(options: FrontEndOptions, parts: FrontEndParts): FrontEnd {
  const servers: Pick<HttpServer, 'drain' | 'end'>[] = [];
  const fanout = new Fanout(parts.clock);
  const state = { twinUrl: '', isReady: false };
  const publicTwinUrl = () => options.publicTwinUrl ?? state.twinUrl;
  const limits = createRateLimits(options.rateLimits, parts.clock);
  const docs = readDocsFiles();
  const web = readWebFiles(options.webFolder);
  const opened = <Server extends Pick<HttpServer, 'drain' | 'end'>>(server: Server): Server => {
    servers.push(server);
    return server;
  };
  try {
    const twin = opened(openTwin(options, parts, { fanout, limits, publicTwinUrl, docs, web }));
    const dealer = opened(openDealer(options, parts, { limits, publicTwinUrl, docs, web }));
    const ops = opened(openOps(options, parts, () => state.isReady && (parts.isReady?.() ?? true)));
    const scheme = options.tls ? 'https' : 'http';
    state.twinUrl = urlOf(scheme, options.host, twin.port);
    state.isReady = true;
    const stopFrames = connect(parts, fanout);
    return {
      twinUrl: state.twinUrl,
      dealerUrl: urlOf(scheme, options.host, dealer.port),
      opsUrl: urlOf('http', options.opsHost, ops.port),
      async close() {
        state.isReady = false;
        await Promise.all([
          ...servers.map((server) => server.drain(CLOSE_GRACE_MS)),
          fanout.endAll(),
        ]);
        stopFrames();
        for (const server of servers) server.end();
      },
    };
  } catch (error) {
    for (const server of servers) server.end();
    throw error;
  }
}

/** Lets frames flow from the service to the streams. Returns what stops it. */
function connect({ service, metrics }: FrontEndParts, fanout: Fanout): () => void {
  service.onBeat((frames, done) => fanout.publish(frames, done));
  service.onStreamEnd((world, code) => fanout.endWorld(world.number, code));
  metrics.gauge('stream_watchers', 'Open streams.', () => fanout.watcherCount);
  metrics.counter('stream_frames_sent_total', 'Frames sent.', () => fanout.framesSent);
  metrics.counter(
    'stream_frames_skipped_total',
    'Frames missed by readers that could not keep up.',
    () => fanout.framesSkipped,
  );
  metrics.counter('stream_bytes_total', 'Bytes of frames sent.', () => fanout.bytesSent);
  const sweeper = setInterval(() => fanout.sweep(), SWEEP_MS).unref();
  return () => clearInterval(sweeper);
}

/** What the services share of the front end. */
interface Shared extends DealerSurroundings {
  docs: ReturnType<typeof readDocsFiles>;
  web: WebFiles;
}

function openTwin(
  options: FrontEndOptions,
  { service, clock, metrics, log }: FrontEndParts,
  { fanout, limits, publicTwinUrl, docs, web }: Shared & { fanout: Fanout },
): HttpServer<StreamSession> {
  const worlds = new WorldAccess(service, limits);
  const { host, twinPort, tls, corsOrigins, kernelHash } = options;
  const routes = [
    ...twinRoutes({ service, worlds, limits, publicUrl: publicTwinUrl, kernelHash }),
    ...vehicleRoutes({ worlds, limits }),
    ...viewerRoutes(web, worlds, publicTwinUrl),
    streamRoute(),
  ];
  const documentation = [...docsRoutes(TWIN, routes, docs), streamDocsRoute(publicTwinUrl)];
  const router = new Router([...routes, ...documentation]);
  const stream = new WorldStream(worlds, limits, fanout);
  return new HttpServer({
    name: 'twin',
    host,
    port: twinPort,
    tls,
    router,
    stream,
    render: errorReply,
    corsOrigins,
    clock,
    metrics,
    log,
  });
}

function openDealer(
  { host, dealerPort, tls, corsOrigins, demoLogins }: FrontEndOptions,
  { dealerRoutes, clock, metrics, log }: FrontEndParts,
  { docs, web, ...around }: Shared,
): HttpServer {
  const routes = dealerRoutes(around);
  const { publicTwinUrl } = around;
  const pages = consoleRoutes(web, { demoLogins, publicTwinUrl });
  return new HttpServer({
    name: 'dealer',
    host,
    port: dealerPort,
    tls,
    router: new Router([...routes, ...pages, ...docsRoutes(DEALER_PLATFORM, routes, docs)]),
    render: detailReply,
    dropsTrailingSlash: true,
    corsOrigins,
    clock,
    metrics,
    log,
  });
}

function openOps(
  { opsHost, opsPort }: FrontEndOptions,
  parts: FrontEndParts,
  isReady: () => boolean,
): HttpServer {
  parts.metrics.addProcess();
  return new HttpServer({
    name: 'ops',
    host: opsHost,
    port: opsPort,
    router: new Router(opsRoutes(parts.metrics, isReady)),
    render: errorReply,
    // No page of another origin may read what the private port says.
    corsOrigins: [],
    ...parts,
  });
}

/** A server that listens everywhere is named by an address where this machine reaches it. */
function urlOf(scheme: string, host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
