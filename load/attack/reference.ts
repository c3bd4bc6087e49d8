import { formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import { Latencies } from '../../bench/common/latencies.ts';
import { openLoop } from '../../bench/common/loops.ts';
import { type Server, startEmptyServer } from '../../bench/common/server.ts';
import { type Crowd, gather } from '../crowd.ts';

/** As many as the healthy users of a node have and send. */
const STREAMS = 4;
const READS_PER_S = 11;
/** About what a snapshot has. */
const ANSWER_BYTES = 4000;

/** What users meet at a server that does nothing. */
export interface MachineDelay {
  gapP99Ms: number;
  readP99Ms: number;
}

/**
 * A server that does nothing, in a process beside the node, with users in the process of the node's.
 * What delays them is not the node's main thread, but that the machine has too few processors for
 * node, attackers and users together.
 */
export class Reference {
  readonly #server: Server;
  readonly #pool: HttpPool;
  readonly #crowd: Crowd;

  static async start(): Promise<Reference> {
    const server = await startEmptyServer();
    const pool = await HttpPool.open(server.url, STREAMS);
    const paths = Array.from({ length: STREAMS }, () => `/ws/${ANSWER_BYTES}`);
    return new Reference(server, pool, await gather(server.url, paths));
  }

  private constructor(server: Server, pool: HttpPool, crowd: Crowd) {
    this.#server = server;
    this.#pool = pool;
    this.#crowd = crowd;
  }

  /** What its users meet until `end` resolves. */
  async measure(end: Promise<unknown>): Promise<MachineDelay> {
    const over = new AbortController();
    const latencies = new Latencies();
    const read = formatRequest(this.#server.url, 'GET', `/bytes/${ANSWER_BYTES}`);
    const loop = {
      ratePerS: READS_PER_S,
      seconds: Number.POSITIVE_INFINITY,
      request: () => read,
      answered: (_: number, __: unknown, tookMs: number) => latencies.record(tookMs),
    };
    this.#crowd.tally.record();
    const running = openLoop(this.#pool, loop, over.signal);
    await end;
    over.abort();
    this.#crowd.tally.countWaiting();
    const { p99Ms: gapP99Ms } = this.#crowd.tally.summary();
    await running;
    return { gapP99Ms, readP99Ms: latencies.summary().p99Ms };
  }

  async stop(): Promise<void> {
    this.#crowd.close();
    this.#pool.close();
    await this.#server.stop();
  }
}
