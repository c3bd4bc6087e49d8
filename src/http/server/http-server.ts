import * as uws from 'uWebSockets.js';
import { TwinError, type TwinErrorCode } from '../../errors.ts';
import { BACKPRESSURE_BYTES_MAX, WAIT_MS_MAX } from '../../limits.ts';
import type { RouteMeter } from '../../route-meter.ts';
import type { StopTimer } from '../../time.ts';
import { AnswerEncodings } from './answer-encodings.ts';
import { BackpressureSampler } from './backpressure-sampler.ts';
import { commonHeaders, preflight } from './common-headers.ts';
import { countConnections } from './connection-count.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import { FairTurns, REQUEST_SHARE } from './fair-turns.ts';
import { HeldBytes } from './held-bytes.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { MessageRate } from './message-rate.ts';
import { bodyless, isStreamed, type Reply } from './reply.ts';
import type { Match, Resource, Route, RouteBody } from './router.ts';
import { secureApp } from './secure-app.ts';
import type { Entrance, ServerOptions, Stream } from './server-options.ts';
import { TurnGuard } from './turn-guard.ts';
import { Upgrades, type UserData } from './upgrades.ts';

/** Time limit for a body to arrive. The library closes silent connections earlier. */
const BODY_MS = 30_000;
const SWEEP_MS = 500;
const DRAIN_POLL_MS = 10;
/** Time without requests before a drain ends, so that a client can finish a series of them. */
const DRAIN_QUIET_MS = 250;
/** Maximum number of pending requests; further requests get 503. */
const OPEN_MAX = 10_000;
const MESSAGE_BYTES_MAX = 1024;
/** Beyond this the library drops the connection without a close code; below it we send 1009. */
const MESSAGE_DROP_BYTES = 16 * 1024;
const SOCKET_IDLE_S = 120;
/** LIBUS_LISTEN_EXCLUSIVE_PORT: a second process fails on this port instead of sharing it. */
const LISTEN_EXCLUSIVE = 1;

type Listen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: uws.us_listen_socket | false) => void,
) => void;

/** A listening HTTP server. It rejects malformed requests before any handler runs. */
export class HttpServer<Session = never> {
  readonly port: number;
  readonly #options: ServerOptions<Session>;
  readonly #exchangeContext: ExchangeContext;
  readonly #commonHeaders: ReturnType<typeof commonHeaders>;
  readonly #app: uws.TemplatedApp;
  readonly #listener: uws.us_listen_socket;
  readonly #stopSweeping: StopTimer;
  readonly #meters = new Map<Route, RouteMeter>();
  readonly #unmatched: RouteMeter;
  readonly #open = new Set<Exchange>();
  readonly #upgrades = new Upgrades<uws.WebSocket<UserData<Session>>>();
  /** Answered, but not sent completely. */
  readonly #sending = new Set<Exchange>();
  readonly #encodings = new AnswerEncodings();
  readonly #held: HeldBytes;
  readonly #turn: TurnGuard;
  /** While some requests wait for their turn, all do. */
  readonly #turns: FairTurns;
  readonly #messageRate: MessageRate;
  #isDraining = false;
  /** Distinguishes the request ids of this server from those of other servers. */
  readonly #boot: string;
  #requestCount = 0;

  /** Throws if it cannot listen. */
  constructor(options: ServerOptions<Session>) {
    const { name, tls, router, stream, metrics, time, random, proxies, traces } = options;
    this.#options = options;
    const sampler = new BackpressureSampler(random);
    this.#exchangeContext = { time, proxies, traces, sampler, sending: this.#sending };
    this.#held = new HeldBytes(options.work);
    this.#turn = new TurnGuard(time);
    this.#turns = options.turns ?? new FairTurns(time);
    this.#messageRate = new MessageRate(time);
    this.#boot = Buffer.from(random.bytes(5)).toString('hex');
    this.#commonHeaders = commonHeaders(options);
    this.#unmatched = metrics.routeMeter(name, 'none');
    for (const route of router.routes) {
      this.#meters.set(route, metrics.routeMeter(name, `${route.method} ${route.path}`));
    }
    metrics.pendingOf(name, () => this.#open.size);
    this.#app = tls ? secureApp(name, tls, uws.SSLApp) : uws.App();
    if (options.connections) countConnections(this.#app, options.connections, proxies);
    if (stream) {
      const pattern = stream.path.replace(/\{(\w+)\}/g, ':$1');
      this.#app.ws(pattern, this.#webSocketBehavior(stream));
    }
    this.#app.any('/*', (response, request) => this.#accept(response, request));
    this.#listener = this.#listen();
    this.port = uws.us_socket_local_port(this.#listener as unknown as uws.us_socket);
    this.#stopSweeping = time.every(SWEEP_MS, () => this.#sweep());
  }

  /** Pending requests. */
  get openCount(): number {
    return this.#open.size;
  }

  #listen(): uws.us_listen_socket {
    const { name, host, port } = this.#options;
    const listen = this.#app.listen.bind(this.#app) as unknown as Listen;
    let listener: uws.us_listen_socket | false = false;
    listen(host, port, LISTEN_EXCLUSIVE, (socket) => {
      listener = socket;
    });
    if (listener) return listener;
    throw new Error(`${name}: cannot listen on ${host}:${port}; is the port in use?`);
  }

  /**
   * Stops listening. Waits until all requests are answered, all answers are sent and no request
   * has arrived for a moment. Open connections close after their next answer; new streams are
   * refused.
   */
  async drain(graceMs: number): Promise<void> {
    const { time } = this.#options;
    this.#isDraining = true;
    uws.us_listen_socket_close(this.#listener);
    const endMs = time.now() + graceMs;
    for (let quietMs = 0; quietMs < DRAIN_QUIET_MS && time.now() < endMs; ) {
      await time.sleep(DRAIN_POLL_MS);
      quietMs = this.#open.size + this.#sending.size > 0 ? 0 : quietMs + DRAIN_POLL_MS;
    }
  }

  /** Ends all connections. */
  end(): void {
    this.#stopSweeping();
    this.#app.close();
  }

  // The library ends the process if a handler returns with neither an answer nor an abort
  // callback. So every request begins by registering the callback.
  #accept(response: uws.HttpResponse, request: uws.HttpRequest): void {
    const exchange = this.#newExchange(response);
    response.onAborted(() => this.#abandon(exchange));
    try {
      this.#begin(exchange, request);
      this.#serve(exchange, response);
    } catch (error) {
      this.#fail(exchange, error);
    }
    exchange.isCorked = false;
  }

  #newExchange(response: uws.HttpResponse): Exchange {
    const requestId = `${this.#boot}-${(this.#requestCount++).toString(36)}`;
    return new Exchange(response, requestId, this.#unmatched, this.#exchangeContext);
  }

  #begin(exchange: Exchange, request: uws.HttpRequest): void {
    exchange.read(request);
    exchange.isDeferred = this.#turn.isOverdone(exchange);
    // The library is lax about the bytes between chunks. Whoever sees other chunks there than a proxy
    // in front must not see another request.
    exchange.isLast = exchange.head.isChunked || this.#options.connections?.isCrowded === true;
    if (exchange.head.isAmbiguous(exchange.method)) {
      exchange.isLast = true;
      // The library cannot end the connection after an answer without a body.
      if (exchange.method === 'HEAD') exchange.disconnect();
      throw new TwinError('bad_request');
    }
    if (exchange.isRead) exchange.encoding = this.#encodings.of(exchange.head.accept);
  }

  #match(exchange: Exchange): Match {
    const match = this.#options.router.match(exchange.path);
    if (match === undefined) throw new TwinError('not_found');
    exchange.params = match.params;
    return match;
  }

  #slashRedirect({ path, query }: Exchange): string | undefined {
    const { redirectsTrailingSlash, router } = this.#options;
    const shorter = redirectsTrailingSlash && router.withoutSlash(path);
    return shorter && query !== '' ? `${shorter}?${query}` : shorter;
  }

  #serve(exchange: Exchange, response: uws.HttpResponse): void {
    const location = this.#slashRedirect(exchange);
    if (location !== undefined) {
      this.#answer(exchange, bodyless(307, [['Location', location]]));
      return;
    }
    const { resource } = this.#match(exchange);
    const route = resource.routes.get(exchange.method);
    if (route === undefined) {
      this.#answerWithoutRoute(exchange, resource);
      return;
    }
    exchange.meter = this.#meters.get(route) ?? this.#unmatched;
    if (exchange.head.contentEncoding !== undefined) throw new TwinError('unsupported_encoding');
    if (this.#open.size >= OPEN_MAX) {
      // Or else the client asks again in the same turn.
      exchange.isLast = true;
      throw new TwinError('overloaded');
    }
    if (route.body) this.#collect(exchange, response, route, route.body);
    else this.#runInTurn(exchange, route);
  }

  #answerWithoutRoute(exchange: Exchange, { allow }: Resource): void {
    if (exchange.method === 'OPTIONS') {
      this.#answer(exchange, preflight(allow));
      return;
    }
    const refusal = this.#options.render(new TwinError('method_not_allowed'), exchange);
    this.#answer(exchange, { ...refusal, headers: [...refusal.headers, ['Allow', allow]] });
  }

  // The parser calls handlers before it checks how the body is framed. So a route with a body
  // waits for the end of the request, even if the body is empty.
  #collect(
    exchange: Exchange,
    response: uws.HttpResponse,
    route: Route,
    { maxBytes }: RouteBody,
  ): void {
    this.#await(exchange, BODY_MS, 'request_timeout');
    const { time } = this.#options;
    response.onData((chunk, isLast) => {
      if (!exchange.isOpen) return;
      try {
        this.#keep(exchange, chunk, isLast, maxBytes);
        if (!isLast || !exchange.isOpen) return;
        exchange.takeBody();
        if (exchange.head.isChunked) {
          time.immediate(() => this.#ifOpen(exchange, () => this.#runInTurn(exchange, route)));
        } else this.#runInTurn(exchange, route);
      } catch (error) {
        this.#fail(exchange, error);
      }
    });
  }

  // While it finds 1024 connections with requests, the event loop looks for more before it does anything
  // else: timers and streams would stand still for seconds.
  #runInTurn(exchange: Exchange, route: Route): void {
    if (this.#turns.take(REQUEST_SHARE)) {
      this.#run(exchange, route);
      return;
    }
    this.#await(exchange, WAIT_MS_MAX);
    const turn = this.#turns.next(exchange.addressKey(), REQUEST_SHARE);
    void turn.then(() => this.#ifOpen(exchange, () => this.#run(exchange, route)));
  }

  // The parser delivers the last chunk before it checks the bytes after it. If these are malformed,
  // it closes the connection, and the request must not have had an effect.
  #ifOpen(exchange: Exchange, work: () => void): void {
    if (!exchange.isOpen) return;
    try {
      work();
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #keep(exchange: Exchange, chunk: ArrayBuffer, isLast: boolean, maxBytes: number): void {
    if (exchange.chunkBytes + chunk.byteLength > maxBytes) {
      exchange.isLast = true;
      throw new TwinError('body_too_large', `Send at most ${maxBytes} bytes.`);
    }
    if (chunk.byteLength === 0) return;
    // Nothing is answered: the rest of the packet would be read first.
    if (!this.#held.takesPart(exchange)) {
      exchange.disconnect();
      return;
    }
    // A body in one piece is not counted: unfinished bodies of others must not block it.
    if (!isLast || exchange.chunkBytes > 0) {
      this.#held.hold(exchange, exchange.chunkBytes + chunk.byteLength);
    }
    exchange.keepChunk(chunk);
  }

  #run(exchange: Exchange, route: Route): void {
    exchange.markStart();
    const result = route.handle(exchange);
    if (!(result instanceof Promise)) {
      this.#answer(exchange, result);
      return;
    }
    this.#await(exchange, WAIT_MS_MAX);
    result.then(
      (reply) => this.#answer(exchange, reply),
      (error) => this.#fail(exchange, error),
    );
  }

  #await(exchange: Exchange, ms: number, deadlineError: TwinErrorCode = 'overloaded'): void {
    const nowMs = this.#options.time.now();
    exchange.deadlineError = deadlineError;
    exchange.deadlineMs = nowMs + ms;
    // As long as its body has not come, it waits for the client.
    if (deadlineError !== 'request_timeout') exchange.markWait(nowMs);
    this.#open.add(exchange);
  }

  /** Marks an exchange as no longer pending. */
  #settle(exchange: Exchange): void {
    this.#open.delete(exchange);
    this.#held.release(exchange);
    exchange.chunkBytes = 0;
  }

  #abandon(exchange: Exchange): void {
    exchange.abandon();
    this.#settle(exchange);
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (!(error instanceof TwinError)) {
      const { route } = exchange.meter;
      this.#options.log.error(
        { err: error, route, requestId: exchange.requestId },
        'internal error',
      );
    }
    this.#answer(exchange, this.#options.render(error, exchange));
  }

  #answer(exchange: Exchange, reply: Reply): void {
    const { large } = this.#options;
    if (isStreamed(reply) || !large.isFree(reply.body.length)) this.#answerInTurn(exchange, reply);
    else exchange.answer(reply, this.#settledHeaders(exchange));
  }

  /** The request is pending until its turn. */
  #answerInTurn(exchange: Exchange, reply: Reply): void {
    const { streamed, large } = this.#options;
    const headers = () => this.#settledHeaders(exchange);
    const sent = isStreamed(reply)
      ? streamed.send(exchange, reply.body, () => exchange.answerInPieces(reply, headers()))
      : large.send(exchange, reply.body.length, () => exchange.answer(reply, headers()));
    if (exchange.isOpen && !this.#open.has(exchange)) this.#await(exchange, WAIT_MS_MAX);
    sent.catch((error) => this.#fail(exchange, error));
  }

  /** Settles an exchange that is answered now. Returns the headers that all answers have. */
  #settledHeaders(exchange: Exchange): string {
    this.#settle(exchange);
    exchange.isLast ||= this.#isDraining;
    return this.#commonHeaders(exchange.isRead, exchange.head.origin);
  }

  #sweep(): void {
    const nowMs = this.#options.time.now();
    for (const exchange of this.#open) {
      if (exchange.deadlineMs > nowMs) continue;
      exchange.isLast = true;
      this.#fail(exchange, new TwinError(exchange.deadlineError, exchange.deadlineHint));
    }
  }

  #webSocketBehavior(stream: Stream<Session>): uws.WebSocketBehavior<UserData<Session>> {
    return {
      compression: 0,
      maxPayloadLength: MESSAGE_DROP_BYTES,
      maxBackpressure: BACKPRESSURE_BYTES_MAX,
      idleTimeout: SOCKET_IDLE_S,
      sendPingsAutomatically: true,
      upgrade: (response, request, context) => this.#upgrade(stream, response, request, context),
      open: (socket) => stream.opened(socket.getUserData().session, this.#upgrades.opened(socket)),
      message: (socket, message) => {
        if (message.byteLength > MESSAGE_BYTES_MAX) socket.end(1009, 'message too long');
        else this.#countMessage(socket);
      },
      ping: (socket) => this.#countMessage(socket),
      pong: (socket, message) => {
        if (!this.#countMessage(socket)) return;
        stream.ponged(socket.getUserData().session, Buffer.from(message).toString('latin1'));
      },
      drain: (socket) => stream.drained(socket.getUserData().session),
      close: (socket) => {
        this.#upgrades.closed(socket);
        this.#options.connections?.closed();
        stream.closed(socket.getUserData().session);
      },
    };
  }

  /** Counts a message of a client. Too many close the socket at once: then it returns false. */
  #countMessage(socket: uws.WebSocket<UserData<Session>>): boolean {
    if (!this.#messageRate.isTooHigh(socket.getUserData())) return true;
    socket.close();
    return false;
  }

  #upgrade(
    stream: Stream<Session>,
    response: uws.HttpResponse,
    request: uws.HttpRequest,
    context: uws.us_socket_context_t,
  ): void {
    const exchange = this.#newExchange(response);
    response.onAborted(() => this.#abandon(exchange));
    const enter = (entrance: Entrance<Session>) => {
      const isWanted = exchange.isOpen && !this.#isDraining;
      if (isWanted) return this.#enter(exchange, entrance, response, context);
      entrance.abandon?.();
      if (exchange.isOpen) throw new TwinError('overloaded');
    };
    try {
      this.#begin(exchange, request);
      const entrance = this.#findEntrance(exchange, stream);
      if (entrance instanceof Promise) {
        this.#await(exchange, WAIT_MS_MAX);
        entrance.then(enter).catch((error) => this.#fail(exchange, error));
      } else {
        enter(entrance);
      }
    } catch (error) {
      this.#fail(exchange, error);
    }
    exchange.isCorked = false;
  }

  #findEntrance(exchange: Exchange, stream: Stream<Session>): MaybePromise<Entrance<Session>> {
    const { resource } = this.#match(exchange);
    const route = resource.routes.get('GET');
    exchange.meter = (route && this.#meters.get(route)) ?? this.#unmatched;
    const { upgrade, webSocketVersion } = exchange.head;
    if (upgrade.toLowerCase() !== 'websocket' || webSocketVersion !== '13') {
      throw new TwinError('upgrade_required');
    }
    if (this.#isDraining || this.#open.size >= OPEN_MAX) throw new TwinError('overloaded');
    return stream.find(exchange);
  }

  #enter(
    exchange: Exchange,
    entrance: Entrance<Session>,
    response: uws.HttpResponse,
    context: uws.us_socket_context_t,
  ): void {
    const { session, protocol } = entrance.enter();
    exchange.isOpen = false;
    this.#settle(exchange);
    exchange.count(101);
    this.#upgrades.make(response, exchange.isCorked, () =>
      response.upgrade({ session }, exchange.head.webSocketKey, protocol, '', context),
    );
  }
}
