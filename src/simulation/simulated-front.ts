import type { ClusterService } from '../cluster-service.ts';
import type { DealerPlatform } from '../dealer/dealer-platform.ts';
import { BodyThread } from '../http/server/body-thread.ts';
import { FairTurns } from '../http/server/fair-turns.ts';
import { Head } from '../http/server/head.ts';
import { createRateLimits } from '../http/server/rate-limits.ts';
import { errorReply, type Reply } from '../http/server/reply.ts';
import { type Call, type Route, Router } from '../http/server/router.ts';
import type { UpgradeCall } from '../http/server/server-options.ts';
import { StreamedAnswers } from '../http/server/streamed-answers.ts';
import { Traces } from '../http/server/traces.ts';
import type { Fanout } from '../http/twin/fanout.ts';
import { ForwardedCalls } from '../http/twin/forwarded-calls.ts';
import { Forwarding } from '../http/twin/forwarding.ts';
import { KeptPages } from '../http/twin/kept-pages.ts';
import { LockstepFanout } from '../http/twin/lockstep-fanout.ts';
import { feedLockstep } from '../http/twin/lockstep-feed.ts';
import { LockstepHellos } from '../http/twin/lockstep-hello.ts';
import { LongLists } from '../http/twin/long-lists.ts';
import { RelayedFrames } from '../http/twin/relayed-frames.ts';
import { twinRoutes } from '../http/twin/twin-routes.ts';
import { vehicleRoutes } from '../http/twin/vehicle-routes.ts';
import { WorldAccess } from '../http/twin/world-access.ts';
import { WorldBodies } from '../http/twin/world-bodies.ts';
import { WorldStream } from '../http/twin/world-stream.ts';
import type { Log } from '../log.ts';
import { Metrics } from '../metrics.ts';
import type { Random } from '../random.ts';
import type { Time } from '../time.ts';
import { FEATURE_NAMES, maskOf } from '../twin/catalogue.ts';
import type { TwinService } from '../twin-service.ts';
import type { Observer, Publisher } from './observer.ts';
import { simulatedDealerRoutes } from './simulated-dealer.ts';
import { shownInFrame, TOY_CITIES, TOY_LOCKSTEP } from './toy-kernel.ts';

const SWEEP_MS = 1000;
/** A front end that stops waits so long for requests, and looks so often. */
const DRAIN_MS_MAX = 5000;
const DRAIN_POLL_MS = 10;
const KEPT_BYTES_MAX = 2 ** 20;
/** Bodies in a run are short, so its thread never starts. */
const BODY_THREAD = new BodyThread();

/** A request of a client. */
export interface Request {
  /** `twin` by default. */
  service?: 'twin' | 'dealer';
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  authorization?: string;
  path: string;
  vin?: string;
  body?: string;
  /** Names it in the observer. */
  id: string;
}

export interface Answer {
  status: number;
  body: Uint8Array;
}

/** A client's end of a stream. */
export interface StreamClient {
  readonly name: string;
  framed(frame: Uint8Array): void;
  ended(): void;
}

export interface FrontParts {
  kernelHash: string;
  service: TwinService;
  cluster: ClusterService;
  platform: DealerPlatform;
  publisher: Publisher;
  observer: Observer;
  /** The product's, but for a mutant. */
  Fanout: typeof Fanout;
  time: Time;
  random: Random;
  log: Log;
}

/** The front end of a simulated node: its routes and streams, without the HTTP server. */
export class SimulatedFront {
  readonly #parts: FrontParts;
  readonly #fanout: Fanout;
  readonly #router: Router;
  readonly #dealerRouter: Router;
  readonly #stream: WorldStream;
  readonly #lockstep: LockstepFanout;
  readonly #hellos: LockstepHellos;
  #pendingCount = 0;

  constructor(parts: FrontParts) {
    const { service, cluster, platform, time, random, log } = parts;
    this.#parts = parts;
    const limits = createRateLimits('off', time);
    const worlds = new WorldAccess(service, limits);
    const publicTwinUrl = () => 'http://simulated';
    const routes = this.#routes(worlds, publicTwinUrl).map((route) => this.#watched(route));
    const forwarding = new Forwarding({ cluster, publicTwinUrl, log });
    const calls = new ForwardedCalls({
      router: new Router(routes.filter(({ place }) => place !== undefined)),
      ...{ turns: new FairTurns(time), streamed: new StreamedAnswers(time) },
      ...{ metrics: new Metrics(), traces: new Traces({ time, random, log }), time, log },
    });
    cluster.onCall((call) => calls.answer(call));
    this.#router = new Router(routes.map((route) => forwarding.wrap(route)));
    const dealer = { platform, time, log, bodyThread: BODY_THREAD, publicTwinUrl };
    this.#dealerRouter = new Router(
      simulatedDealerRoutes(dealer).map((route) => this.#watchedDealer(route)),
    );
    this.#fanout = new parts.Fanout(time);
    this.#lockstep = new LockstepFanout(time);
    this.#hellos = new LockstepHellos(() => TOY_LOCKSTEP, time);
    const streams = { fanout: this.#fanout, lockstep: this.#lockstep, hellos: this.#hellos };
    this.#stream = new WorldStream({ ...streams, worlds, limits, forwarding });
    this.#feedStreams();
    time.every(SWEEP_MS, () => {
      this.#fanout.sweep();
      this.#lockstep.sweep();
    });
  }

  #routes(worlds: WorldAccess, publicTwinUrl: () => string): Route[] {
    const { service, time, kernelHash } = this.#parts;
    const limits = createRateLimits('off', time);
    const lists = new LongLists(limits, new KeptPages(KEPT_BYTES_MAX, time));
    const cityNames = TOY_CITIES.cities.map(({ name }) => name);
    const bodies = new WorldBodies(BODY_THREAD, cityNames);
    const context = {
      service,
      worlds,
      bodies,
      limits,
      lists,
      publicTwinUrl,
      kernelHash,
    };
    return [...twinRoutes(context), ...vehicleRoutes(context)];
  }

  #feedStreams(): void {
    const { service, cluster, observer, publisher } = this.#parts;
    service.onFrames((frames, done) => {
      for (const { world, json } of frames) {
        if (json !== undefined) observer.framed(publisher, world.number, shownInFrame(json));
      }
      cluster.relays.publish(frames);
      this.#fanout.publish(frames, done);
    });
    service.onStreamEnd((world, why) => {
      cluster.relays.end(world.number, why);
      this.#stream.end(world, why);
    });
    const relayed = new RelayedFrames(this.#fanout);
    cluster.relays.onFrames((frames) => relayed.publish(frames));
    cluster.relays.onStreamEnd((number, code) => {
      this.#fanout.endWorld(number, code);
      this.#lockstep.endWorld(number, code);
    });
    feedLockstep({ fanout: this.#lockstep, hellos: this.#hellos, service, cluster });
  }

  /** The route as the node of the world answers it: what it says is observed. */
  #watched(route: Route): Route {
    const handle = async (call: Call): Promise<Reply> => {
      const reply = await route.handle(call);
      this.#answered(route, call, reply);
      return reply;
    };
    return { ...route, handle };
  }

  #watchedDealer(route: Route): Route {
    const handle = async (call: Call): Promise<Reply> => {
      const reply = await route.handle(call);
      const { observer, publisher } = this.#parts;
      if (reply.status >= 400) return reply;
      if (route.auth === 'bearer') observer.tokens.accepted(publisher.name, call.requestId);
      observer.tokens.done(publisher.name, call.requestId);
      return reply;
    };
    return { ...route, handle };
  }

  #answered({ operationId }: Route, call: Call, { status, body }: Reply): void {
    if (status >= 400) return;
    const { observer, publisher } = this.#parts;
    if (operationId === 'getState') {
      observer.answered(publisher, call.requestId, shownInFrame(body as Uint8Array));
    } else if (operationId === 'getFeatures') {
      observer.declared(publisher, call.requestId, maskIn(body));
    } else if (operationId === 'patchFeatures') observer.acknowledged(publisher, call.requestId);
  }

  /** Resolves once all requests that have come are answered. */
  async drain(): Promise<void> {
    const { time } = this.#parts;
    const endMs = time.now() + DRAIN_MS_MAX;
    while (this.#pendingCount > 0 && time.now() < endMs) await time.sleep(DRAIN_POLL_MS);
  }

  /** Never rejects. */
  async answer(request: Request): Promise<Answer> {
    const { method, path, service } = request;
    this.#pendingCount += 1;
    try {
      const router = service === 'dealer' ? this.#dealerRouter : this.#router;
      const match = router.match(path);
      const route = match?.resource.routes.get(method);
      if (match === undefined || route === undefined) throw new Error(`no route ${method} ${path}`);
      const { status, body } = await route.handle(callOf(request, match.params));
      return { status, body: await bytesOf(body) };
    } catch (error) {
      const { status, body } = errorReply(error, 'json');
      return { status, body: await bytesOf(body) };
    } finally {
      this.#pendingCount -= 1;
    }
  }

  /** Resolves with what closes the stream. Rejects if it is refused. */
  async watch(worldId: string, client: StreamClient): Promise<() => void> {
    const { time } = this.#parts;
    const request: Request = { method: 'GET', path: `/ws/worlds/${worldId}`, id: client.name };
    const call = { ...callOf(request, [worldId]), head: new Head() } satisfies UpgradeCall;
    const entrance = await this.#stream.find(call);
    const { session } = entrance.enter();
    let isOpen = true;
    let isGreeted = false;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#stream.closed(session);
    };
    this.#stream.opened(session, {
      send(message) {
        // The first message is no frame.
        if (isGreeted) client.framed(message as Uint8Array);
        isGreeted = true;
        return 1;
      },
      ping: (message) => {
        time.immediate(() => isOpen && this.#stream.ponged(session, message));
        return 1;
      },
      cork: (send) => send(),
      getBufferedAmount: () => 0,
      end() {
        close();
        client.ended();
      },
    });
    return close;
  }
}

/** The declared features in an answer. */
function maskIn(body: Reply['body']): number {
  const text = typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString();
  const { declared } = JSON.parse(text) as { declared: Record<string, boolean> };
  return maskOf(FEATURE_NAMES.filter((name) => declared[name]));
}

function callOf(request: Request, params: readonly string[]) {
  const { method, path, vin = '', body = '', authorization = '', id } = request;
  const absent = { accept: '', acceptEncoding: '', ifNoneMatch: '' };
  return {
    ...{ method, path, params, query: '', encoding: 'json' as const, requestId: id },
    head: { ...absent, authorization, vin, contentType: 'application/json' },
    body: Buffer.from(body),
    addressKey: () => '127.0.0.1',
  };
}

async function bytesOf(body: Reply['body']): Promise<Uint8Array> {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(await bytesOf(piece));
  return Buffer.concat(pieces);
}
