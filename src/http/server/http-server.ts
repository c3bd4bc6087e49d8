import * as uws from 'uWebSockets.js';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Encoding } from '../../codec/encoding.ts';
import { answerEncoding } from '../../codec/negotiate.ts';
import { TwinError } from '../../errors.ts';
import { WAIT_MS_MAX } from '../../limits.ts';
import type { RouteMeter } from '../../metrics.ts';
import { CommonHeaders, preflight } from './common-headers.ts';
import { Exchange } from './exchange.ts';
import { bodyless, type Reply } from './reply.ts';
import type { Match, Resource, Route, RouteBody } from './router.ts';
import type { Entrance, ServerOptions, Stream, TlsFiles } from './server-options.ts';

/** A body may not take longer to arrive; the library ends silent connections sooner. */
const BODY_MS = 30_000;
const SWEEP_MS = 500;
const DRAIN_LOOK_MS = 10;
/** Who asks one thing after another over a connection gets there before it ends. */
const DRAIN_QUIET_MS = 250;
/** Requests under way, and bytes of their bodies; beyond it is 503. */
const OPEN_MAX = 10_000;
const HELD_BYTES_MAX = 64 * 1024 * 1024;
const HELD_BYTES_PER_ADDRESS_MAX = 8 * 1024 * 1024;
const MESSAGE_BYTES_MAX = 1024;
const MESSAGES_PER_S_MAX = 1000;
/** The library drops the connection without a word beyond this, so it leaves room to say 1009. */
const MESSAGE_DROP_BYTES = 16 * 1024;
/** Answers to a client's pings are all that may pile up: frames wait for an empty buffer. */
const BACKPRESSURE_BYTES_MAX = 64 * 1024;
const SOCKET_IDLE_S = 120;
/** LIBUS_LISTEN_EXCLUSIVE_PORT: a second process on this port fails instead of sharing it. */
const LISTEN_EXCLUSIVE = 1;

type Listen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: uws.us_listen_socket | false) => void,
) => void;

/** A listening HTTP server. Rejects requests that are not well-formed before anybody sees them. */
export class HttpServer<Session = never> {
  readonly port: number;
  readonly #options: ServerOptions<Session>;
  readonly #headers: CommonHeaders;
  readonly #app: uws.TemplatedApp;
  readonly #listener: uws.us_listen_socket;
  readonly #sweeper: NodeJS.Timeout;
  readonly #meters = new Map<Route, RouteMeter>();
  readonly #unmatched: RouteMeter;
  readonly #open = new Set<Exchange>();
  /** Answered, and not all of it sent. */
  readonly #sending = new Set<Exchange>();
  /** What clients accept comes in few spellings. */
  readonly #encodings = new LRUCache<string, Encoding>({ max: 256 });
  /** Bytes of bodies that are still coming, in all and by address. */
  #heldBytes = 0;
  readonly #heldBy = new Map<string, number>();
  /** What each stream's client has sent in the current second. */
  readonly #heard = new WeakMap<object, { second: number; count: number }>();
  #isDraining = false;
  readonly #boot = randomBytes(5).toString('hex');
  #requestCount = 0;

  /** Throws where it cannot listen. */
  constructor(options: ServerOptions<Session>) {
    const { name, tls, router, stream, metrics } = options;
    this.#options = options;
    this.#headers = new CommonHeaders(options.corsOrigins);
    this.#unmatched = metrics.routeMeter(name, 'none');
    for (const route of router.routes) {
      this.#meters.set(route, metrics.routeMeter(name, `${route.method} ${route.path}`));
    }
    this.#app = tls ? secureApp(name, tls) : uws.App();
    if (stream) {
      const pattern = stream.path.replace(/\{(\w+)\}/g, ':$1');
      this.#app.ws(pattern, this.#webSocketBehavior(stream));
    }
    this.#app.any('/*', (response, request) => this.#accept(response, request));
    this.#listener = this.#listen();
    this.port = uws.us_socket_local_port(this.#listener as unknown as uws.us_socket);
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** Requests under way. */
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
   * Stops listening and waits for requests under way, for answers that are still being read, and a
   * quiet moment. Open connections are served, and end with their next answer; streams are refused.
   */
  async drain(graceMs: number): Promise<void> {
    const { clock } = this.#options;
    this.#isDraining = true;
    uws.us_listen_socket_close(this.#listener);
    const endMs = clock.now() + graceMs;
    for (let quietMs = 0; quietMs < DRAIN_QUIET_MS && clock.now() < endMs; ) {
      await setTimeout(DRAIN_LOOK_MS);
      quietMs = this.#open.size + this.#sending.size > 0 ? 0 : quietMs + DRAIN_LOOK_MS;
    }
  }

  /** Ends all connections. */
  end(): void {
    clearInterval(this.#sweeper);
    this.#app.close();
  }

  // The library ends the process where a handler returns without an answer and without having
  // asked to be told of an abort, so that is what every request begins with.
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
    return new Exchange(response, requestId, this.#unmatched);
  }

  #begin(exchange: Exchange, request: uws.HttpRequest): void {
    exchange.read(request);
    if (exchange.head.isAmbiguous()) {
      exchange.isLast = true;
      throw new TwinError('bad_request');
    }
    if (exchange.method === 'GET') {
      exchange.encoding = this.#encodingOf(exchange.head.accept);
    }
  }

  #encodingOf(accept: string): Encoding {
    if (accept === '' || accept === '*/*') return 'json';
    const known = this.#encodings.get(accept) ?? answerEncoding(accept);
    this.#encodings.set(accept, known);
    return known;
  }

  #match(exchange: Exchange): Match {
    const match = this.#options.router.match(exchange.path);
    if (match === undefined) throw new TwinError('not_found');
    exchange.params = match.params;
    return match;
  }

  /** Where to go from a path with a slash too many; undefined where nothing is there either. */
  #withoutSlash({ path, query }: Exchange): string | undefined {
    const { dropsTrailingSlash, router } = this.#options;
    if (!dropsTrailingSlash || !path.endsWith('/')) return undefined;
    const shorter = path.slice(0, -1);
    if (router.match(path) !== undefined || router.match(shorter) === undefined) return undefined;
    return query === '' ? shorter : `${shorter}?${query}`;
  }

  #serve(exchange: Exchange, response: uws.HttpResponse): void {
    const elsewhere = this.#withoutSlash(exchange);
    if (elsewhere !== undefined) {
      this.#answer(exchange, bodyless(307, [['Location', elsewhere]]));
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
    if (this.#open.size >= OPEN_MAX) throw new TwinError('overloaded');
    if (route.body) this.#collect(exchange, response, route, route.body);
    else this.#run(exchange, route);
  }

  #answerWithoutRoute(exchange: Exchange, { allow }: Resource): void {
    if (exchange.method === 'OPTIONS') {
      this.#answer(exchange, preflight(allow));
      return;
    }
    const refusal = this.#options.render(new TwinError('method_not_allowed'), exchange.encoding);
    this.#answer(exchange, { ...refusal, headers: [...refusal.headers, ['Allow', allow]] });
  }

  // Even a request without a body is only served once the parser has found it complete: it calls
  // handlers before it has looked at how the body is framed.
  #collect(
    exchange: Exchange,
    response: uws.HttpResponse,
    route: Route,
    { maxBytes }: RouteBody,
  ): void {
    this.#await(exchange, BODY_MS);
    exchange.deadlineError = 'request_timeout';
    response.onData((chunk, isLast) => {
      if (!exchange.isOpen) return;
      try {
        this.#keep(exchange, chunk, isLast, maxBytes);
        if (!isLast) return;
        exchange.joinChunks();
        if (exchange.head.isChunked) setImmediate(() => this.#runWhereOpen(exchange, route));
        else this.#run(exchange, route);
      } catch (error) {
        this.#fail(exchange, error);
      }
    });
  }

  // The parser looks at what follows the last chunk only after it has handed that on; where it does
  // not like what it finds the connection ends, and nothing must have been done.
  #runWhereOpen(exchange: Exchange, route: Route): void {
    if (!exchange.isOpen) return;
    try {
      this.#run(exchange, route);
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
    // What comes in one piece is not held, so it is served however much others leave unfinished.
    if (!isLast || exchange.chunkBytes > 0) this.#hold(exchange, chunk.byteLength);
    exchange.keepChunk(chunk);
  }

  #hold(exchange: Exchange, bytes: number): void {
    exchange.heldBy ??= exchange.addressKey();
    const ofAddress = (this.#heldBy.get(exchange.heldBy) ?? 0) + bytes;
    if (ofAddress > HELD_BYTES_PER_ADDRESS_MAX || this.#heldBytes + bytes > HELD_BYTES_MAX) {
      exchange.isLast = true;
      throw new TwinError('overloaded', 'Too many bodies are on their way; send fewer at a time.');
    }
    this.#heldBy.set(exchange.heldBy, ofAddress);
    this.#heldBytes += bytes;
    exchange.heldBytes += bytes;
  }

  #release(exchange: Exchange): void {
    if (exchange.heldBy === undefined) return;
    const left = (this.#heldBy.get(exchange.heldBy) ?? 0) - exchange.heldBytes;
    if (left > 0) this.#heldBy.set(exchange.heldBy, left);
    else this.#heldBy.delete(exchange.heldBy);
    this.#heldBytes -= exchange.heldBytes;
    exchange.heldBy = undefined;
    exchange.heldBytes = 0;
  }

  #run(exchange: Exchange, route: Route): void {
    const result = route.handle(exchange);
    if (!(result instanceof Promise)) {
      this.#answer(exchange, result);
      return;
    }
    this.#await(exchange, WAIT_MS_MAX);
    exchange.deadlineError = 'overloaded';
    result.then(
      (reply) => this.#answerLate(exchange, reply),
      (error) => this.#fail(exchange, error),
    );
  }

  #answerLate(exchange: Exchange, reply: Reply): void {
    this.#options.metrics.observeWait((this.#options.clock.now() - exchange.startMs) / 1000);
    this.#answer(exchange, reply);
  }

  #await(exchange: Exchange, ms: number): void {
    exchange.startMs = this.#options.clock.now();
    exchange.deadlineMs = exchange.startMs + ms;
    this.#open.add(exchange);
  }

  /** Nothing is waited for any more. */
  #settle(exchange: Exchange): void {
    this.#open.delete(exchange);
    this.#release(exchange);
    exchange.chunkBytes = 0;
  }

  #abandon(exchange: Exchange): void {
    exchange.isOpen = false;
    exchange.isGone = true;
    this.#sending.delete(exchange);
    this.#settle(exchange);
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (!(error instanceof TwinError)) {
      const { route } = exchange.meter;
      this.#options.log.error(
        { err: error, route, requestId: exchange.requestId },
        'a fault of ours',
      );
    }
    this.#answer(exchange, this.#options.render(error, exchange.encoding));
  }

  #answer(exchange: Exchange, reply: Reply): void {
    this.#settle(exchange);
    exchange.isLast ||= this.#isDraining;
    exchange.answer(reply, this.#headers.of(exchange.method, exchange.head.origin));
    if (!exchange.isSending || exchange.isGone) return;
    this.#sending.add(exchange);
    exchange.sent = () => this.#sending.delete(exchange);
  }

  #sweep(): void {
    const nowMs = this.#options.clock.now();
    for (const exchange of this.#open) {
      if (exchange.deadlineMs > nowMs) continue;
      exchange.isLast = true;
      this.#fail(exchange, new TwinError(exchange.deadlineError, deadlineHint(exchange)));
    }
  }

  #webSocketBehavior(stream: Stream<Session>): uws.WebSocketBehavior<Session> {
    return {
      compression: 0,
      maxPayloadLength: MESSAGE_DROP_BYTES,
      maxBackpressure: BACKPRESSURE_BYTES_MAX,
      idleTimeout: SOCKET_IDLE_S,
      sendPingsAutomatically: true,
      upgrade: (response, request, context) => this.#upgrade(stream, response, request, context),
      open: (socket) => stream.opened(socket.getUserData(), socket),
      message: (socket, message) => {
        if (message.byteLength > MESSAGE_BYTES_MAX) socket.end(1009, 'message too long');
        else this.#bear(socket);
      },
      ping: (socket) => this.#bear(socket),
      pong: (socket, message) => {
        if (!this.#bear(socket)) return;
        stream.ponged(socket.getUserData(), Buffer.from(message).toString('latin1'));
      },
      drain: (socket) => stream.drained(socket.getUserData()),
      close: (socket) => stream.closed(socket.getUserData()),
    };
  }

  /**
   * Counts what a client sends on a stream, where it has nothing to say. The library goes through
   * hundreds of thousands of small messages in one turn: whoever sends so many is cut off at once.
   * False where it was.
   */
  #bear(socket: uws.WebSocket<Session>): boolean {
    const session = socket.getUserData() as object;
    const second = Math.floor(this.#options.clock.now() / 1000);
    const heard = this.#heard.get(session);
    if (heard?.second !== second) this.#heard.set(session, { second, count: 1 });
    else if (++heard.count > MESSAGES_PER_S_MAX) {
      socket.close();
      return false;
    }
    return true;
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
      if (exchange.isOpen) this.#enter(exchange, entrance, response, context);
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

  #findEntrance(
    exchange: Exchange,
    stream: Stream<Session>,
  ): Entrance<Session> | Promise<Entrance<Session>> {
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
    const { session, protocol } = entrance();
    exchange.isOpen = false;
    this.#settle(exchange);
    exchange.meter.answered(101);
    const { webSocketKey } = exchange.head;
    response.cork(() => response.upgrade(session, webSocketKey, protocol, '', context));
  }
}

function secureApp(name: string, { certFile, keyFile }: TlsFiles): uws.TemplatedApp {
  try {
    return uws.SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (cause) {
    throw new Error(`${name}: cannot use certificate ${certFile} with key ${keyFile}`, { cause });
  }
}

/** What a client of a change must know that was given up on: it may still come about. */
function deadlineHint({ method, deadlineError }: Exchange): string | undefined {
  if (method === 'GET' || deadlineError === 'request_timeout') return undefined;
  return 'This took too long and may still be done: read back what came of it.';
}
