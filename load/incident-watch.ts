import { formatRequest, type HttpPool } from '../bench/common/http-pool.ts';
import type { MadeWorld } from '../bench/common/made-worlds.ts';
import { type StopTimer, systemTime } from '../src/time.ts';
import {
  CHAIN_TICKS,
  type CollisionEvent,
  LiveIncidents,
  liveSummary,
  outOfOrder,
  TICK_MS,
} from './live-incidents.ts';

/** How often events of a world are read. */
const EVENTS_MS = 1000;
/** A request makes the node explain a report, so the first comes late enough to be unnecessary. */
const FIRST_ASK_MS = 300;
const ASK_MS = 100;
/** How often all reports of a world are read. */
const REPORTS_MS = 1000;

/** Undefined where the request was refused or got no answer: it is repeated later. */
async function get<Body>(pool: HttpPool, url: URL, path: string): Promise<Body | undefined> {
  try {
    const { status, body } = await pool.ask(formatRequest(url, 'GET', path));
    return status < 400 ? (JSON.parse(body.toString()) as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** Does `work` for each item every `everyMs`, spread evenly over that time. */
function spread<T>(items: readonly T[], everyMs: number, work: (item: T) => unknown): StopTimer {
  const stops: StopTimer[] = items.map((item, i) =>
    systemTime.after((i * everyMs) / items.length, () => {
      stops.push(systemTime.every(everyMs, () => work(item)));
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

/** Measures in watched worlds how long after its end each incident is explained. */
export class IncidentWatch {
  readonly tookMs: number[] = [];
  /** Requests that were refused or lost. */
  failed = 0;
  readonly #url: URL;
  readonly #pool: HttpPool;
  readonly #worlds: readonly { id: string; live: LiveIncidents }[];
  readonly #stops: readonly StopTimer[];

  constructor(url: URL, pool: HttpPool, worlds: readonly MadeWorld[]) {
    this.#url = url;
    this.#pool = pool;
    const fromMs = systemTime.wallMs();
    this.#worlds = worlds.map(({ id, createdAtMs }) => ({
      id,
      live: new LiveIncidents(createdAtMs, fromMs),
    }));
    this.#stops = [
      spread(this.#worlds, EVENTS_MS, (world) => this.#readEvents(world)),
      systemTime.every(ASK_MS, () => this.#askForDue()),
    ];
  }

  async #read<Body>(path: string): Promise<Body | undefined> {
    const body = await get<Body>(this.#pool, this.#url, `/api/v1/worlds/${path}`);
    if (body === undefined) this.failed += 1;
    return body;
  }

  async #readEvents({ id, live }: { id: string; live: LiveIncidents }): Promise<void> {
    live.note((await this.#read<CollisionEvent[]>(`${id}/events`)) ?? []);
  }

  #askForDue(): void {
    for (const { id, live } of this.#worlds) {
      for (const incident of live.toAsk(systemTime.wallMs(), FIRST_ASK_MS)) {
        void this.#askFor(id, live, incident);
      }
    }
  }

  async #askFor(id: string, live: LiveIncidents, incident: string): Promise<void> {
    const report = await this.#read<{ explained: boolean }>(`${id}/incidents/${incident}`);
    const tookMs = live.answered(incident, report?.explained ?? false, systemTime.wallMs());
    if (tookMs !== undefined) this.tookMs.push(tookMs);
  }

  /** Ends the watch and summarises it. */
  stop() {
    for (const stop of this.#stops) stop();
    const waiting = this.#worlds.flatMap(({ live }) => live.waiting(systemTime.wallMs()));
    return { ...liveSummary(this.tookMs, waiting), failed: this.failed };
  }
}

/** What is known of an unwatched world since somebody opened it. */
const openedNow = ({ id, createdAtMs }: MadeWorld) => {
  const openedMs = systemTime.wallMs();
  return {
    id,
    openedMs,
    /** Incidents up to this tick were over at that moment. */
    pastTick: Math.floor((openedMs - createdAtMs) / TICK_MS) - CHAIN_TICKS,
    incidents: 0,
    explained: 0,
    /** Explained before a newer one. */
    disordered: 0,
    firstMs: undefined as number | undefined,
    allMs: undefined as number | undefined,
  };
};

type OpenedWorld = ReturnType<typeof openedNow>;

/** Watches how the reports of worlds that were unwatched so far are explained. */
export class CatchUpWatch {
  readonly #url: URL;
  readonly #pool: HttpPool;
  readonly #worlds: OpenedWorld[];
  readonly #stop: StopTimer;

  constructor(url: URL, pool: HttpPool, worlds: readonly MadeWorld[]) {
    this.#url = url;
    this.#pool = pool;
    this.#worlds = worlds.map(openedNow);
    this.#stop = spread(this.#worlds, REPORTS_MS, (world) => this.#readReports(world));
  }

  async #readReports(world: OpenedWorld): Promise<void> {
    if (world.allMs !== undefined) return;
    const path = `/api/v1/worlds/${world.id}/incidents`;
    const reports = await get<{ tick: number; explained: boolean }[]>(this.#pool, this.#url, path);
    if (reports === undefined) return;
    const past = reports.filter(({ tick }) => tick <= world.pastTick);
    const explained = past.map((report) => report.explained);
    const nowMs = systemTime.wallMs() - world.openedMs;
    world.incidents = past.length;
    world.explained = explained.filter((is) => is).length;
    world.disordered = Math.max(world.disordered, outOfOrder(explained));
    if (world.explained > 0) world.firstMs ??= nowMs;
    if (world.explained === past.length) world.allMs ??= nowMs;
  }

  /** Of all worlds together. */
  counts() {
    const sum = (key: 'incidents' | 'explained' | 'disordered') =>
      this.#worlds.reduce((total, world) => total + world[key], 0);
    return {
      incidents: sum('incidents'),
      explained: sum('explained'),
      disordered: sum('disordered'),
    };
  }

  stop() {
    this.#stop();
    const alls = this.#worlds.flatMap(({ allMs }) => allMs ?? []);
    return {
      ...this.counts(),
      worldsDone: alls.length,
      firstMsMax: Math.max(0, ...this.#worlds.flatMap(({ firstMs }) => firstMs ?? [])),
      allMsMax: Math.max(0, ...alls),
    };
  }
}
