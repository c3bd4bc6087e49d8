import { dealerUrlOf } from '../../bench/common/dealer-client.ts';
import { askOnce, formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import { Latencies, type LatencySummary } from '../../bench/common/latencies.ts';
import { openLoop, type Sender } from '../../bench/common/loops.ts';
import { type MadeWorld, madeWorld } from '../../bench/common/made-worlds.ts';
import type { Answer } from '../../bench/common/response-parser.ts';
import type { Server } from '../../bench/common/server.ts';
import { type Crowd, gather } from '../crowd.ts';
import type { FrameSummary } from '../frame-tally.ts';

/** Another one than that of the hostile clients. */
const ADDRESS = '127.0.0.3';
const WORLDS = 2;
const ENCODINGS = ['json', 'msgpack'];
const CONNECTIONS = 4;
const FRAMES_PER_S = 12.5;

/** What healthy users met in one phase. */
export interface Met {
  streams: FrameSummary;
  /** Frames that were due on all streams. */
  framesDue: number;
  /** From the moment at which a request was due to its answer, whatever that was. */
  reads: LatencySummary;
  changes: LatencySummary;
  answered: number;
  /** Requests that were not answered with 2xx or 304, by status; `lost`, `unanswered`: not at all. */
  failed: Record<string, number>;
}

/** Requests that a healthy user sends in turn. */
interface Errand {
  ratePerS: number;
  kind: 'reads' | 'changes';
  sender: Sender;
  requests: readonly Buffer[];
}

/** Watches two worlds and sends a few requests a second, while others do what they want. */
export class HealthyUsers {
  readonly #crowd: Crowd;
  readonly #pools: readonly HttpPool[];
  readonly #errands: readonly Errand[];

  static async join(server: Server): Promise<HealthyUsers> {
    const twin = await HttpPool.open(server.url, CONNECTIONS, ADDRESS);
    const dealer = await HttpPool.open(dealerUrlOf(server), CONNECTIONS, ADDRESS);
    const make = formatRequest(server.url, 'POST', '/api/v1/worlds');
    const worlds = await Promise.all(Array.from({ length: WORLDS }, () => twin.ask(make)));
    const made = worlds.map(madeWorld);
    const paths = made.flatMap(({ id }) =>
      ENCODINGS.map((encoding) => `/ws/worlds/${id}?encoding=${encoding}`),
    );
    const crowd = await gather(server.url, paths, ADDRESS);
    const errands = (await Promise.all(made.map((world) => errandsOf(server, twin, world)))).flat();
    const dealers = formatRequest(dealerUrlOf(server), 'GET', '/api/dealers');
    errands.push({ kind: 'reads', ratePerS: 2, sender: dealer, requests: [dealers] });
    return new HealthyUsers(crowd, [twin, dealer], errands);
  }

  private constructor(crowd: Crowd, pools: readonly HttpPool[], errands: readonly Errand[]) {
    this.#crowd = crowd;
    this.#pools = pools;
    this.#errands = errands;
  }

  /** What they meet until `end` resolves. */
  async measure(end: Promise<unknown>): Promise<Met> {
    const over = new AbortController();
    const latencies = { reads: new Latencies(), changes: new Latencies() };
    const statuses: Record<string, number> = {};
    const count = (status: number | string, times = 1) => {
      statuses[status] = (statuses[status] ?? 0) + times;
    };
    const run = ({ kind, ratePerS, sender, requests }: Errand) => {
      const request = (index: number) => requests[index % requests.length] as Buffer;
      const answered = (_: number, answer: Answer | undefined, tookMs: number) => {
        latencies[kind].record(tookMs);
        count(answer?.status ?? 'lost');
      };
      const seconds = Number.POSITIVE_INFINITY;
      return openLoop(sender, { ratePerS, seconds, request, answered }, over.signal);
    };
    this.#crowd.tally.record();
    const running = this.#errands.map(run);
    await end;
    over.abort();
    this.#crowd.tally.countWaiting();
    const streams = this.#crowd.tally.summary();
    const results = await Promise.all(running);
    const seconds = results[0]?.seconds ?? 0;
    for (const { failed } of results) if (failed.unanswered) count('unanswered', failed.unanswered);
    const isWell = ([status]: [string, number]) => /^(2\d\d|304)$/.test(status);
    const each = Object.entries(statuses);
    return {
      streams,
      framesDue: Math.floor(seconds * FRAMES_PER_S * this.#crowd.sockets.length),
      reads: latencies.reads.summary(),
      changes: latencies.changes.summary(),
      answered: each.filter(isWell).reduce((sum, [, times]) => sum + times, 0),
      failed: Object.fromEntries(each.filter((entry) => !isWell(entry))),
    };
  }

  leave(): void {
    for (const each of [this.#crowd, ...this.#pools]) each.close();
  }
}

/** The errands around one world, with a person who comes anew every other second. */
async function errandsOf(server: Server, twin: HttpPool, world: MadeWorld): Promise<Errand[]> {
  const { url } = server;
  const vin = { 'X-VIN': world.vins[0] ?? '' };
  const mapPath = `/api/v1/worlds/${world.id}/map`;
  const map = formatRequest(url, 'GET', mapPath);
  const etag = /\r\netag: *(\S+)/i.exec((await twin.ask(map)).head)?.[1] ?? '';
  const reads = [
    formatRequest(url, 'GET', '/api/v1/vehicle/telemetry', vin),
    formatRequest(url, 'GET', `/api/v1/worlds/${world.id}/state`),
    map,
    formatRequest(url, 'GET', mapPath, { 'If-None-Match': etag }),
  ];
  const changes = [false, true].map((aeb) =>
    formatRequest(url, 'PATCH', '/api/v1/vehicle/features', vin, JSON.stringify({ aeb })),
  );
  const visitor: Sender = {
    send: (request, answered) => {
      askOnce(url, request, ADDRESS).then(answered, () => answered(undefined));
    },
  };
  return [
    { kind: 'reads', ratePerS: 4, sender: twin, requests: reads },
    { kind: 'reads', ratePerS: 0.5, sender: visitor, requests: [map] },
    { kind: 'changes', ratePerS: 0.5, sender: twin, requests: changes },
  ];
}
