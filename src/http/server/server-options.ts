import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Random } from '../../random.ts';
import type { Time } from '../../time.ts';
import type { ConnectionCount } from './connection-count.ts';
import type { FairTurns } from './fair-turns.ts';
import type { Head } from './head.ts';
import type { LargeAnswers } from './large-answers.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RateLimits } from './rate-limits.ts';
import type { WholeReply } from './reply.ts';
import type { Call, Router } from './router.ts';
import type { StreamedAnswers } from './streamed-answers.ts';
import type { Traces } from './traces.ts';

/** The part of a WebSocket of the library that streams use. */
export interface StreamSocket {
  /** Returns 1 if the operating system accepted it, 0 if a part is buffered, 2 if it is dropped. */
  send(message: string | Uint8Array, isBinary: boolean): number;
  ping(message: string): number;
  /** Everything sent within `send` is one write. */
  cork(send: () => void): unknown;
  getBufferedAmount(): number;
  end(code: number, reason: string): void;
}

/** A request for a stream, with the headers of an upgrade. */
export interface UpgradeCall extends Call {
  readonly head: Head;
}

/** A stream that may be opened. */
export interface Entrance<Session> {
  /** Admits it; may still refuse it by throwing. */
  enter(): { session: Session; protocol: string };
  /** Called instead if the client is gone. */
  abandon?(): void;
}

/** The WebSocket side of a server. Its path is also a route, for requests without an upgrade. */
export interface Stream<Session> {
  path: string;
  /** Refuses by throwing. The server enters right before it upgrades the connection. */
  find(call: UpgradeCall): MaybePromise<Entrance<Session>>;
  opened(session: Session, socket: StreamSocket): void;
  /** @param message payload of the pong; a client may send anything */
  ponged(session: Session, message: string): void;
  drained(session: Session): void;
  closed(session: Session): void;
}

export interface ServerOptions<Session = never> {
  /** In metrics and logs. */
  name: string;
  host: string;
  /** 0 takes a free port. */
  port: number;
  tls?: Config['tls'];
  router: Router;
  stream?: Stream<Session>;
  /** Renders anything that a handler threw. */
  render: (error: unknown, call: Pick<Call, 'encoding' | 'method' | 'path' | 'head'>) => WholeReply;
  /** Answers a path with a trailing slash with 307 to the path without it. */
  redirectsTrailingSlash?: true;
  /** Origins whose scripts may read answers: all, some, or none. */
  corsOrigins: Config['corsOrigins'];
  proxies?: Config['proxies'];
  /** Shared by the servers of a node. */
  streamed: StreamedAnswers;
  large: LargeAnswers;
  /** Turns of requests that others take as well. */
  turns?: FairTurns | undefined;
  /** What bodies are paid from. */
  work: RateLimits['work'];
  /** Undefined: any number of connections. */
  connections?: ConnectionCount;
  traces: Traces;
  time: Time;
  random: Random;
  metrics: Metrics;
  log: Log;
}
