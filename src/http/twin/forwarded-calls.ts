import type { ForwardedCall, ForwardedReply } from '../../cluster-service.ts';
import { BetweenNodes, TwinError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { RouteMeter } from '../../route-meter.ts';
import type { Time } from '../../time.ts';
import { type FairTurns, REQUEST_SHARE } from '../server/fair-turns.ts';
import { errorReply, isStreamed } from '../server/reply.ts';
import type { Call, Route, Router } from '../server/router.ts';
import type { StreamedAnswers } from '../server/streamed-answers.ts';
import type { Traces } from '../server/traces.ts';

/** Calls of all nodes without an answer; further ones get 503. */
const PENDING_MAX = 10_000;
/** A larger body is never overwritten. */
const FRAME_BYTES_MAX = 65_536;
const SERVICE = 'forwarded';

interface Dependencies {
  /** Of the routes as they are answered here. */
  router: Router;
  /** Shared with the requests of clients. */
  turns: FairTurns;
  streamed: StreamedAnswers;
  traces: Traces;
  metrics: Metrics;
  time: Pick<Time, 'now'>;
  log: Log;
}

/** Answers what clients have asked other nodes, by the same routes. */
export class ForwardedCalls {
  readonly #dependencies: Dependencies;
  readonly #meters = new Map<Route, RouteMeter>();
  readonly #unmatched: RouteMeter;
  #pendingCount = 0;

  constructor(dependencies: Dependencies) {
    const { metrics, router } = dependencies;
    this.#dependencies = dependencies;
    this.#unmatched = metrics.routeMeter(SERVICE, 'none');
    for (const route of router.routes) {
      this.#meters.set(route, metrics.routeMeter(SERVICE, `${route.method} ${route.path}`));
    }
  }

  /** Errors are answers, but for BetweenNodes: nothing was done, and another node can answer. */
  async answer(forwarded: ForwardedCall): Promise<ForwardedReply> {
    const { path, method, encoding } = forwarded;
    const match = this.#dependencies.router.match(path);
    const route = match?.resource.routes.get(method);
    if (match === undefined || route === undefined) {
      // The other node has another version.
      this.#unmatched.answered(404);
      return errorReply(new TwinError('not_found'), encoding);
    }
    const { time, traces } = this.#dependencies;
    const span = traces.begin(forwarded.traceparent);
    const meter = this.#meters.get(route) ?? this.#unmatched;
    const startMs = meter.picks() ? time.now() : undefined;
    let reply: ForwardedReply;
    try {
      reply = await this.#run(route, forwarded, match.params);
    } catch (error) {
      if (error instanceof BetweenNodes) throw error;
      this.#log(error, route, forwarded);
      reply = errorReply(error, encoding);
    }
    if (startMs === undefined) meter.answered(reply.status);
    else meter.timed(reply.status, time.now() - startMs);
    if (span !== undefined) {
      const { requestId } = forwarded;
      const { service, route: name } = meter;
      traces.end(span, { requestId, service, route: name, status: reply.status });
    }
    return reply;
  }

  async #run(
    route: Route,
    forwarded: ForwardedCall,
    params: readonly string[],
  ): Promise<ForwardedReply> {
    const { turns, streamed } = this.#dependencies;
    if (this.#pendingCount >= PENDING_MAX) throw new TwinError('overloaded');
    this.#pendingCount++;
    try {
      const call = callOf(forwarded, params);
      const key = forwarded.addressKey;
      if (!turns.take(REQUEST_SHARE)) await turns.next(key, REQUEST_SHARE);
      const handled = route.handle(call);
      // Nearly all are answered at once.
      const reply = handled instanceof Promise ? await handled : handled;
      if (!isStreamed(reply)) return withOwnBytes(reply);
      const failed = (error: unknown) => this.#log(error, route, call);
      return { ...reply, body: await streamed.pass(key, reply.body, failed) };
    } finally {
      this.#pendingCount--;
    }
  }

  #log(error: unknown, { method, path }: Route, { requestId }: Pick<Call, 'requestId'>): void {
    if (error instanceof TwinError) return;
    const route = `${method} ${path}`;
    this.#dependencies.log.error({ err: error, route, requestId }, 'internal error');
  }
}

function callOf(forwarded: ForwardedCall, params: readonly string[]): Call {
  return {
    method: forwarded.method,
    path: forwarded.path,
    query: forwarded.query,
    head: forwarded.head,
    encoding: forwarded.encoding,
    requestId: forwarded.requestId,
    params,
    body: withOwnMemory(forwarded.body),
    addressKey: () => forwarded.addressKey,
    publicUrl: forwarded.publicTwinUrl,
  };
}

/** A handler may give the memory of a body to a thread: not that of a message with other calls. */
function withOwnMemory(body: Uint8Array): Uint8Array {
  return body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
}

/** The bytes of a frame are those of the next one before they are sent. */
function withOwnBytes<Given extends { body: string | Uint8Array }>(reply: Given): Given {
  const { body } = reply;
  if (typeof body === 'string' || body.byteLength > FRAME_BYTES_MAX) return reply;
  return { ...reply, body: new Uint8Array(body) };
}
