import type { ClusterOperator } from '../cluster-operator.ts';
import type { ClusterService } from '../cluster-service.ts';
import type { Config } from '../config.ts';
import type { DemoLogin } from '../dealer/demo.ts';
import type { Log } from '../log.ts';
import { REQUEST_METRICS, STREAM_METRICS } from '../metric-names.ts';
import type { Metrics } from '../metrics.ts';
import type { Random } from '../random.ts';
import type { Time } from '../time.ts';
import type { TwinService } from '../twin-service.ts';
import { BodyReader } from './dealer/body-reader.ts';
import { CallTurns } from './dealer/call-turns.ts';
import type { DealerRouteDependencies } from './dealer/dependencies.ts';
import { detailReply } from './dealer/detail.ts';
import { type DocsFiles, docsRoutes, readDocsFiles, streamDocsRoute } from './docs/docs-routes.ts';
import { dealerPlatform, TWIN } from './docs/services.ts';
import { clusterRoutes } from './ops/cluster-routes.ts';
import { opsRoutes } from './ops/ops-routes.ts';
import { IncidentPictures } from './pages/incident-pictures.ts';
import {
  cityPicture,
  clusterPage,
  consoleRoutes,
  fileRoutes,
  readWebFiles,
  viewerRoutes,
  type WebFiles,
  withNotFoundPage,
} from './pages/page-routes.ts';
import { PictureThread } from './pages/picture-thread.ts';
import { previewRoutes, previewsOf } from './pages/preview-routes.ts';
import { BodyThread } from './server/body-thread.ts';
import { ConnectionCount } from './server/connection-count.ts';
import { FairTurns } from './server/fair-turns.ts';
import { HttpServer } from './server/http-server.ts';
import { LargeAnswers } from './server/large-answers.ts';
import { askerOf, createRateLimits, type RateLimits } from './server/rate-limits.ts';
import { errorReply } from './server/reply.ts';
import { type Route, Router } from './server/router.ts';
import type { ServerOptions } from './server/server-options.ts';
import { StreamedAnswers } from './server/streamed-answers.ts';
import { Traces } from './server/traces.ts';
import { Fanout } from './twin/fanout.ts';
import { ForwardedCalls } from './twin/forwarded-calls.ts';
import { Forwarding } from './twin/forwarding.ts';
import { KeptPages } from './twin/kept-pages.ts';
import { type LockstepFiles, lockstepAssets } from './twin/lockstep-assets.ts';
import { LockstepFanout } from './twin/lockstep-fanout.ts';
import { feedLockstep } from './twin/lockstep-feed.ts';
import { LockstepHellos } from './twin/lockstep-hello.ts';
import { LongLists } from './twin/long-lists.ts';
import { RelayedFrames } from './twin/relayed-frames.ts';
import { twinRoutes } from './twin/twin-routes.ts';
import { vehicleRoutes } from './twin/vehicle-routes.ts';
import { WorldAccess } from './twin/world-access.ts';
import { WorldBodies } from './twin/world-bodies.ts';
import { type StreamSession, streamRoute, WorldStream } from './twin/world-stream.ts';

export interface FrontEndOptions
  extends Pick<
    Config,
    | 'host'
    | 'twinPort'
    | 'dealerPort'
    | 'opsHost'
    | 'opsPort'
    | 'publicTwinUrl'
    | 'publicDealerUrl'
    | 'tls'
    | 'corsOrigins'
    | 'proxies'
    | 'rateLimits'
  > {
  /** Output folder of the page build. */
  webFolder: string;
  lockstepFiles: LockstepFiles;
  /** Connections that both services together may have. */
  connectionsMax: number;
  /** Published log-ins of demo mode; otherwise empty. */
  demoLogins: readonly DemoLogin[];
  /** Hash of the kernel that steps the worlds. */
  kernelHash: string;
  /** Identity of the kernel with the table of a city alone, by its name. */
  cityKernels: ReadonlyMap<string, string>;
  /**
   * Base URL of this node alone, without a trailing slash: the streams of its worlds are there.
   * Undefined: they are where all requests are.
   */
  nodeTwinUrl?: string | undefined;
}

interface FrontEndDependencies {
  service: TwinService;
  /** Undefined: this node serves all worlds. */
  cluster?: ClusterService | undefined;
  operator: ClusterOperator;
  dealerRoutes: (shared: Omit<DealerRouteDependencies, 'platform' | 'log'>) => Route[];
  time: Time;
  random: Random;
  metrics: Metrics;
  log: Log;
  /** Why the rest of the node cannot serve requests; undefined if it can. */
  trouble: () => string | undefined;
}

export type FrontEnd = ReturnType<typeof startFrontEnd>;

const SWEEP_MS = 1000;
/** Encoded pages of all lists. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;
const STARTS_OR_STOPS = 'the node starts or stops';
const CLOSE_GRACE_MS = 5_000;

/**
 * Opens the three ports, and returns their URLs. If one is not available, it closes the others and
 * throws. `close` closes streams with 1012, finishes pending requests, then ends all connections.
 */
export function startFrontEnd(options: FrontEndOptions, dependencies: FrontEndDependencies) {
  const { host, opsHost, tls } = options;
  const { cluster, time, random, metrics, log } = dependencies;
  const servers: Pick<HttpServer, 'drain' | 'end'>[] = [];
  const state = { twinUrl: '', dealerUrl: '', isReady: false };
  const nodeCount = cluster && (() => Math.max(1, cluster.nodeCount));
  const limits = createRateLimits(options.rateLimits, time, nodeCount);
  const shared = {
    limits,
    connections: createConnectionCount(options.connectionsMax, limits, metrics),
    bodyThread: new BodyThread(),
    pictureThread: new PictureThread(),
    publicTwinUrl: () => options.publicTwinUrl ?? state.twinUrl,
    publicDealerUrl: () =>
      options.publicDealerUrl ??
      (options.publicTwinUrl === undefined ? state.dealerUrl : undefined),
    docs: readDocsFiles(),
    web: readWebFiles(options.webFolder),
  };
  const streams = { fanout: new Fanout(time), lockstep: new LockstepFanout(time) };
  const pages = new KeptPages(KEPT_BYTES_MAX, time);
  const ofAll = partsOfAll(limits, dependencies);
  const open = <Session = never>(settings: ServerSettings<Session>): HttpServer<Session> => {
    const server = new HttpServer({ ...ofAll, ...settings, time, random, metrics, log });
    servers.push(server);
    return server;
  };
  try {
    const parts = { ...shared, ...ofAll, ...streams, pages };
    const twin = open(twinServer(options, dependencies, parts));
    const dealer = open(dealerServer(options, dependencies, shared));
    const trouble = () => (state.isReady ? dependencies.trouble() : STARTS_OR_STOPS);
    const ops = open(opsServer(options, { ...dependencies, trouble }, shared));
    const scheme = tls ? 'https' : 'http';
    state.twinUrl = urlOf(scheme, host, twin.port);
    state.dealerUrl = urlOf(scheme, host, dealer.port);
    state.isReady = true;
    countStreams(metrics, streams);
    const stopMeasuring = metrics.addProcess(time);
    const stopSweeping = sweepOften(time, [streams.fanout, streams.lockstep, pages]);
    return {
      twinUrl: state.twinUrl,
      dealerUrl: state.dealerUrl,
      opsUrl: urlOf('http', opsHost, ops.port),
      async close() {
        state.isReady = false;
        const drained = servers.map((server) => server.drain(CLOSE_GRACE_MS));
        await Promise.all([...drained, streams.fanout.endAll(), streams.lockstep.endAll()]);
        stopSweeping();
        stopMeasuring();
        for (const server of servers) server.end();
        await Promise.all([shared.bodyThread.close(), shared.pictureThread.close()]);
      },
    };
  } catch (error) {
    for (const server of servers) server.end();
    throw error;
  }
}

function sweepOften(time: Time, swept: readonly { sweep(): void }[]) {
  return time.every(SWEEP_MS, () => {
    for (const each of swept) each.sweep();
  });
}

/** What all servers of a node share. */
function partsOfAll({ work }: RateLimits, { time, random, log }: FrontEndDependencies) {
  return {
    streamed: new StreamedAnswers(time),
    large: new LargeAnswers(time, work),
    traces: new Traces({ time, random, log }),
    work,
  };
}

function createConnectionCount(
  connectionsMax: number,
  limits: RateLimits,
  metrics: Metrics,
): ConnectionCount {
  const connections = new ConnectionCount(connectionsMax, limits.connections);
  metrics.read(REQUEST_METRICS.connections, () => connections.total);
  metrics.read(REQUEST_METRICS.connectionsRefused, () => connections.refused);
  return connections;
}

/** All streams of a world are fed alike, whichever node serves it. */
function feedStreams(
  stream: WorldStream,
  { fanout, lockstep }: Streams,
  { service, cluster }: FrontEndDependencies,
): void {
  service.onFrames((frames, done) => {
    // First: their bytes are valid until `done`, which may be called at once.
    cluster?.relays.publish(frames);
    fanout.publish(frames, done);
  });
  service.onStreamEnd((world, why) => {
    cluster?.relays.end(world.number, why);
    stream.end(world, why);
  });
  const relayed = new RelayedFrames(fanout);
  cluster?.relays.onFrames((frames) => relayed.publish(frames));
  cluster?.relays.onStreamEnd((worldNumber, code) => {
    fanout.endWorld(worldNumber, code);
    lockstep.endWorld(worldNumber, code);
  });
}

function countStreams(metrics: Metrics, { fanout, lockstep }: Streams): void {
  metrics.read(STREAM_METRICS.lockstepWatchers, () => lockstep.watcherCount);
  metrics.read(STREAM_METRICS.lockstepSent, () => lockstep.messagesSent);
  metrics.read(STREAM_METRICS.lockstepBytes, () => lockstep.bytesSent);
  metrics.read(STREAM_METRICS.watchers, () => fanout.watcherCount);
  metrics.read(STREAM_METRICS.sent, () => fanout.framesSent);
  metrics.read(STREAM_METRICS.skipped, () => fanout.framesSkipped);
  metrics.read(STREAM_METRICS.bytes, () => fanout.bytesSent);
}

type ServerSettings<Session = never> = Omit<
  ServerOptions<Session>,
  'streamed' | 'large' | 'traces' | 'work' | 'time' | 'random' | 'metrics' | 'log'
> &
  Partial<Pick<ServerOptions, 'large' | 'work'>>;

/** What the two public services share. */
interface Shared {
  limits: RateLimits;
  connections: ConnectionCount;
  bodyThread: BodyThread;
  pictureThread: PictureThread;
  publicTwinUrl: () => string;
  /** Undefined: visitors of the twin are not told of it. */
  publicDealerUrl: () => string | undefined;
  docs: DocsFiles;
  web: WebFiles;
}

/** The open streams of all worlds. */
interface Streams {
  fanout: Fanout;
  lockstep: LockstepFanout;
}

interface TwinParts extends Shared, Streams {
  streamed: StreamedAnswers;
  traces: Traces;
  pages: KeptPages;
}

function twinServer(
  options: FrontEndOptions,
  dependencies: FrontEndDependencies,
  parts: TwinParts,
): ServerSettings<StreamSession> {
  const { host, twinPort, tls, corsOrigins, proxies } = options;
  const { cluster, time, log } = dependencies;
  const { limits, connections, publicTwinUrl, docs } = parts;
  const worlds = new WorldAccess(dependencies.service, limits);
  const cityNames = dependencies.service.cities.map(({ name }) => name);
  const assets = lockstepAssets(options.lockstepFiles, cityNames, worlds);
  const kernelOf = (city: string) => ({
    kernel: options.cityKernels.get(city) ?? '',
    assets: assets.assetsOf(city),
  });
  const hellos = new LockstepHellos(kernelOf, time);
  const forwarding = cluster && new Forwarding({ cluster, publicTwinUrl, log });
  const routes = [
    ...allTwinRoutes(options, dependencies, parts, { worlds, forwarding }),
    ...assets.routes,
  ];
  const documentation = [...docsRoutes(TWIN, routes, docs), streamDocsRoute(publicTwinUrl)];
  const turns = new FairTurns(time);
  if (cluster) answerOthers(cluster, routes, turns, dependencies, parts);
  const stream = new WorldStream({ ...parts, hellos, worlds, forwarding });
  feedStreams(stream, parts, dependencies);
  feedLockstep({ fanout: parts.lockstep, hellos, service: dependencies.service, cluster });
  const served = forwarding ? routes.map((route) => forwarding.wrap(route)) : routes;
  return {
    ...{ name: 'twin', host, port: twinPort, tls, corsOrigins, proxies, connections, turns },
    router: new Router([...served, ...documentation]),
    stream,
    render: withNotFoundPage(parts.web, errorReply),
  };
}

/** The routes of the twin for worlds of this node. */
function allTwinRoutes(
  { kernelHash, nodeTwinUrl }: FrontEndOptions,
  { service, cluster }: FrontEndDependencies,
  parts: TwinParts,
  { worlds, forwarding }: { worlds: WorldAccess; forwarding: Forwarding | undefined },
): Route[] {
  const { limits, bodyThread, publicTwinUrl, publicDealerUrl, web, pages } = parts;
  const cityNames = service.cities.map(({ name }) => name);
  const bodies = new WorldBodies(bodyThread, cityNames);
  const lists = new LongLists(limits, pages);
  const urls = { publicTwinUrl, nodeTwinUrl: cluster && nodeTwinUrl };
  const pictures = new IncidentPictures(parts.pictureThread, limits);
  const city = cityPicture(web);
  const previews = previewRoutes({ worlds, limits, pictures, cityPicture: city });
  return [
    ...twinRoutes({ service, worlds, bodies, limits, lists, ...urls, kernelHash }),
    ...vehicleRoutes({ worlds, limits, lists }),
    ...viewerRoutes(web, {
      ...{ worlds, publicTwinUrl, publicDealerUrl },
      previewOf: previewsOf(previews, forwarding),
      hasNodeUrls: urls.nodeTwinUrl !== undefined,
    }),
    ...previews,
    streamRoute(),
  ];
}

/** Answers what other nodes forward, by the routes as they are for worlds of this node. */
function answerOthers(
  cluster: ClusterService,
  routes: readonly Route[],
  turns: FairTurns,
  { metrics, time, log }: FrontEndDependencies,
  { streamed, traces, limits }: TwinParts,
): void {
  const router = new Router(routes.filter(({ place }) => place !== undefined));
  const calls = new ForwardedCalls({ router, turns, streamed, traces, metrics, time, log });
  cluster.onCall((call) => calls.answer(call));
  cluster.relays.onAsker((client) => askerOf(limits.work, client));
}

function dealerServer(
  { host, dealerPort, tls, corsOrigins, proxies, demoLogins }: FrontEndOptions,
  { dealerRoutes, time }: FrontEndDependencies,
  { limits, connections, bodyThread, publicTwinUrl, docs, web }: Shared,
): ServerSettings {
  const bodies = new BodyReader(bodyThread);
  const routes = dealerRoutes({ limits, bodies, turns: new CallTurns(time), publicTwinUrl });
  const pages = consoleRoutes(web, demoLogins, publicTwinUrl);
  return {
    ...{ name: 'dealer', host, port: dealerPort, tls, corsOrigins, proxies, connections },
    router: new Router([
      ...routes,
      ...pages,
      ...docsRoutes(dealerPlatform(demoLogins), routes, docs),
    ]),
    render: withNotFoundPage(web, detailReply),
    redirectsTrailingSlash: true,
  };
}

function opsServer(
  { opsHost, opsPort }: FrontEndOptions,
  { metrics, operator, trouble, time }: FrontEndDependencies,
  { web }: Pick<Shared, 'web'>,
): ServerSettings {
  metrics.read(REQUEST_METRICS.ready, () => (trouble() === undefined ? 1 : 0));
  return {
    ...{ name: 'ops', host: opsHost, port: opsPort },
    // Whoever watches a node does not pay for what others of its address ask for.
    ...{ large: new LargeAnswers(time, undefined), work: undefined },
    router: new Router([
      ...opsRoutes(metrics, trouble),
      ...clusterRoutes({ operator, opsHost, page: clusterPage(web) }),
      ...fileRoutes(web),
    ]),
    render: (error, { encoding }) => errorReply(error, encoding),
    // Pages of other origins may not read the private port.
    corsOrigins: [],
  };
}

/** The URL of a server. A wildcard address is replaced by the loopback address. */
function urlOf(scheme: string, host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
