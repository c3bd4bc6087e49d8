import { pino } from 'pino';
import { TwinError } from '../../errors.ts';
import { HttpServer } from '../../http/server/http-server.ts';
import { LargeAnswers } from '../../http/server/large-answers.ts';
import {
  bodyless,
  errorReply,
  ok,
  type Pieces,
  type Reply,
  reply,
} from '../../http/server/reply.ts';
import { type Call, type Route, Router } from '../../http/server/router.ts';
import type { ServerOptions } from '../../http/server/server-options.ts';
import { StreamedAnswers } from '../../http/server/streamed-answers.ts';
import { Traces } from '../../http/server/traces.ts';
import { Metrics } from '../../metrics.ts';
import { systemRandom } from '../../random.ts';
import { TokenBuckets } from '../../token-buckets.ts';
import { TestTime } from './test-time.ts';

export const LARGE = Buffer.alloc(3_000_000, 'abc');
/** A body that fits into one write. */
const PAGE = LARGE.subarray(0, 60_000);
/** More than the operating system buffers for a client that does not read. */
export const HUGE = Buffer.alloc(24_000_000, 'abcd');

interface Pending {
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
}

/** A server with one route of each kind, on a free port, in time that a test moves. */
export class TestServer {
  /** Bodies that handlers got: empty if no handler ran. */
  readonly calls: string[] = [];
  readonly logLines: string[] = [];
  readonly time = TestTime.standing();
  readonly metrics = new Metrics();
  readonly #streamed = new StreamedAnswers(this.time);
  readonly server: HttpServer;
  readonly url: string;
  /** Of all addresses: a test may take it away. */
  readonly work = new TokenBuckets({ burst: 1_000_000, perS: 1 }, this.time);
  /** The last request of `/never`. */
  pending: Pending | undefined;
  /** Makes the body of `/pieces`. */
  pieces: () => Pieces = async function* () {};

  constructor() {
    this.server = new HttpServer(this.options({ corsOrigins: '*', router: this.#router() }));
    this.url = `http://127.0.0.1:${this.server.port}`;
  }

  get port(): number {
    return this.server.port;
  }

  /** Options for another server in the same time. */
  options(changes: Partial<ServerOptions>): ServerOptions {
    const { time, metrics } = this;
    const log = pino({ level: 'info' }, { write: (line: string) => this.logLines.push(line) });
    return {
      name: 'test',
      host: '127.0.0.1',
      port: 0,
      router: new Router([]),
      render: (error, { encoding }) => errorReply(error, encoding),
      corsOrigins: [],
      streamed: this.#streamed,
      large: new LargeAnswers(time, undefined),
      work: this.work,
      time,
      random: systemRandom,
      metrics,
      traces: new Traces({ time, random: systemRandom, log }),
      log,
      ...changes,
    };
  }

  #router(): Router {
    const echo = (call: Call) => this.#echo(call);
    return new Router([
      route('GET', '/', echo),
      route('GET', '/things/{id}', echo),
      route('POST', '/things', echo),
      route('PUT', '/things/{id}', echo),
      { ...route('POST', '/long', echo), body: { maxBytes: 2_000_000 } },
      route('GET', '/large', () => reply(200, LARGE, 'json')),
      route('GET', '/page', () => {
        this.calls.push('page');
        return reply(200, PAGE, 'json');
      }),
      route('GET', '/huge', () => reply(200, HUGE, 'json')),
      route('GET', '/pieces', ({ encoding }) => reply(200, this.pieces(), encoding)),
      route('GET', '/nothing', () => {
        this.calls.push('nothing');
        return bodyless(304, [['ETag', '"a"']]);
      }),
      route('GET', '/refused', () => {
        throw new TwinError('rate_limited', undefined, 7);
      }),
      route('GET', '/bug', () => {
        throw new Error('secret 123');
      }),
      route('GET', '/late', async () => {
        await Promise.resolve();
        return ok('late', 'json');
      }),
      route(
        'GET',
        '/never',
        () => new Promise((resolve, reject) => (this.pending = { resolve, reject })),
      ),
    ]);
  }

  #echo({ params, query, body, encoding }: Call): Reply {
    const text = Buffer.from(body).toString();
    this.calls.push(text);
    return ok({ params, query, body: text }, encoding);
  }
}

function route(method: Route['method'], path: string, handle: Route['handle']): Route {
  const common = { summary: '', tag: '', auth: 'none', answers: {}, errors: [] } as const;
  const body = method === 'GET' ? {} : { body: { maxBytes: 1000 } };
  return { ...common, ...body, method, path, operationId: path, handle };
}
