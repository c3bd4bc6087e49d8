import type { Encoding } from '../../codec/encoding.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Random } from '../../random.ts';
import type { Time } from '../../time.ts';
import type { StreamSocket } from '../twin/fanout.ts';
import type { Reply } from './reply.ts';
import type { Call, Router } from './router.ts';

/** Lets a stream in: may still refuse by throwing. */
export type Entrance<Session> = () => { session: Session; protocol: string };

/** The WebSocket side of a server. Its path is also a route, for those who do not upgrade. */
export interface Stream<Session> {
  path: string;
  /** Refuses by throwing; what it returns is called when the connection is about to be upgraded. */
  find(call: Call): Entrance<Session> | Promise<Entrance<Session>>;
  opened(session: Session, socket: StreamSocket): void;
  /** @param message what the ping said, as far as the client can be trusted */
  ponged(session: Session, message: string): void;
  drained(session: Session): void;
  closed(session: Session): void;
}

/** Paths of PEM files. */
export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

export interface ServerOptions<Session = never> {
  /** In metrics and logs. */
  name: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  tls?: TlsFiles | undefined;
  router: Router;
  stream?: Stream<Session>;
  /** Makes an answer of whatever was thrown. */
  render: (error: unknown, encoding: Encoding) => Reply;
  /** Answers a path with a trailing slash with 307 to the path without it. */
  redirectsTrailingSlash?: true;
  /** Origins whose scripts may read answers: all, some, or none. */
  corsOrigins: '*' | readonly string[];
  time: Time;
  random: Random;
  metrics: Metrics;
  log: Log;
}
