import type { Log } from '../../log.ts';
import type { Random } from '../../random.ts';
import type { Time } from '../../time.ts';

/** https://www.w3.org/TR/trace-context/: later versions may go on behind a dash. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const VERSION = '00';
const NO_VERSION = 'ff';
const NO_TRACE = /^0+$/;
const SAMPLED = 1;
const SPAN_BYTES = 8;
/** Requests that are logged a second: any client can ask for it. */
const LOGGED_PER_S = 100;
const SECOND_MS = 1000;

/** What this node does for a request of a trace. Ids are those of W3C Trace Context, in hexadecimal. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Of whoever has sent the request. */
  parentId: string;
  startMs: number;
}

/** What a request was, and what has become of it. */
export interface Traced {
  requestId: string;
  service: string;
  /** Method and path, with its parameters as names. */
  route: string;
  status: number;
}

export interface TracesDependencies {
  time: Pick<Time, 'now'>;
  random: Random;
  log: Log;
}

/**
 * Logs requests that belong to a sampled trace, so that each can be followed over several nodes: one line a
 * node, where the parent of the second is the span of the first.
 */
export class Traces {
  readonly #dependencies: TracesDependencies;
  #secondMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(dependencies: TracesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @param traceparent the header of a request, '' where it has none
   * @returns undefined where it is none, is not sampled, or too many are
   */
  begin(traceparent: string): Span | undefined {
    if (traceparent === '') return undefined;
    const [, version, traceId = '', parentId = '', flags = '', rest] =
      TRACEPARENT.exec(traceparent) ?? [];
    if (version === undefined || version === NO_VERSION) return undefined;
    if (version === VERSION && rest !== undefined) return undefined;
    if (NO_TRACE.test(traceId) || NO_TRACE.test(parentId)) return undefined;
    const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
    if (!isSampled || !this.#hasRoom()) return undefined;
    const { random, time } = this.#dependencies;
    const spanId = Buffer.from(random.bytes(SPAN_BYTES)).toString('hex');
    return { traceId, spanId, parentId, startMs: time.now() };
  }

  #hasRoom(): boolean {
    const nowMs = this.#dependencies.time.now();
    if (nowMs >= this.#secondMs + SECOND_MS) {
      this.#secondMs = nowMs;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= LOGGED_PER_S;
  }

  /** The request is answered. */
  end({ startMs, ...ids }: Span, traced: Traced): void {
    const { time, log } = this.#dependencies;
    const ms = Math.round((time.now() - startMs) * 1000) / 1000;
    log.info({ ...ids, ...traced, ms }, 'traced request');
  }
}

/** The header with which a node passes a request on; '' where it is in no trace. */
export function traceparentOf(span: Span | undefined): string {
  return span === undefined ? '' : `${VERSION}-${span.traceId}-${span.spanId}-01`;
}
