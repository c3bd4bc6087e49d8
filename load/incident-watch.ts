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

/** How often a world is asked for its events. */
const EVENTS_MS = 1000;
/**
 * A report is asked for so long after its end at the earliest: who asks has it explained, and here
 * nobody is to have to ask. Then so often.
 */
const FIRST_ASK_MS = 300;
const ASK_MS = 100;
/** How often a world that was left alone is asked for all its reports. */
const REPORTS_MS = 1000;

async function get<Body>(pool: HttpPool, url: URL, path: string): Promise<Body | undefined> {
  const answer = await pool.ask(formatRequest(url, 'GET', path));
  // Refused for being busy: to be asked again.
  if (answer.status >= 400) return undefined;
  return JSON.parse(answer.body.toString()) as Body;
}

/** Does something for each of some, spread out so that it is not done for all in the same moment. */
function everySoOften<T>(
  timers: StopTimer[],
  items: readonly T[],
  everyMs: number,
  work: (item: T) => void,
): void {
  for (const [i, item] of items.entries()) {
    const begin = () => timers.push(systemTime.every(everyMs, () => work(item)));
    timers.push(systemTime.after((i * everyMs) / items.length, begin));
  }
}

/** Measures in watched worlds how long after its end each incident is found explained. */
export class IncidentWatch {
  readonly tookMs: number[] = [];
  /** Requests that were refused or lost. */
  failed = 0;
  readonly #url: URL;
  readonly #pool: HttpPool;
  readonly #worlds: readonly { id: string; live: LiveIncidents }[];
  readonly #timers: StopTimer[] = [];

  constructor(url: URL, pool: HttpPool, worlds: readonly MadeWorld[]) {
    this.#url = url;
    this.#pool = pool;
    const fromMs = systemTime.wallMs();
    this.#worlds = worlds.map(({ id, createdAtMs }) => ({
      id,
      live: new LiveIncidents(createdAtMs, fromMs),
    }));
    everySoOften(this.#timers, this.#worlds, EVENTS_MS, (world) => void this.#events(world));
    this.#timers.push(systemTime.every(ASK_MS, () => this.#ask()));
  }

  async #events({ id, live }: { id: string; live: LiveIncidents }): Promise<void> {
    const path = `/api/v1/worlds/${id}/events`;
    const events = await get<CollisionEvent[]>(this.#pool, this.#url, path).catch(() => undefined);
    if (events === undefined) this.failed += 1;
    else live.note(events);
  }

  #ask(): void {
    for (const { id, live } of this.#worlds) {
      for (const incident of live.toAsk(systemTime.wallMs(), FIRST_ASK_MS)) {
        void this.#askFor(id, live, incident);
      }
    }
  }

  async #askFor(id: string, live: LiveIncidents, incident: string): Promise<void> {
    const path = `/api/v1/worlds/${id}/incidents/${incident}`;
    const report = await get<{ explained: boolean }>(this.#pool, this.#url, path).catch(
      () => undefined,
    );
    if (report === undefined) this.failed += 1;
    const tookMs = live.answered(incident, report?.explained ?? false, systemTime.wallMs());
    if (tookMs !== undefined) this.tookMs.push(tookMs);
  }

  /** Ends it and tells what was found. */
  stop() {
    for (const stop of this.#timers) stop();
    const waiting = this.#worlds.flatMap(({ live }) => live.waiting(systemTime.wallMs()));
    return { ...liveSummary(this.tookMs, waiting), failed: this.failed };
  }
}

/** A world that was left alone, from the moment when it is looked at. */
interface LookedAt {
  id: string;
  lookMs: number;
  /** Ticks up to which incidents were over when it was looked at. */
  pastTick: number;
  incidents: number;
  explained: number;
  disordered: number;
  firstMs: number | undefined;
  allMs: number | undefined;
}

/** Watches the reports of worlds come in that were left alone and are looked at now. */
export class CatchUpWatch {
  readonly #url: URL;
  readonly #pool: HttpPool;
  readonly #worlds: LookedAt[];
  readonly #timers: StopTimer[] = [];

  constructor(url: URL, pool: HttpPool, worlds: readonly MadeWorld[]) {
    this.#url = url;
    this.#pool = pool;
    const lookMs = systemTime.wallMs();
    this.#worlds = worlds.map(({ id, createdAtMs }) => ({
      id,
      lookMs,
      pastTick: Math.floor((lookMs - createdAtMs) / TICK_MS) - CHAIN_TICKS,
      incidents: 0,
      explained: 0,
      disordered: 0,
      firstMs: undefined,
      allMs: undefined,
    }));
    everySoOften(this.#timers, this.#worlds, REPORTS_MS, (world) => void this.#reports(world));
  }

  async #reports(world: LookedAt): Promise<void> {
    if (world.allMs !== undefined) return;
    const path = `/api/v1/worlds/${world.id}/incidents`;
    const reports = await get<{ tick: number; explained: boolean }[]>(
      this.#pool,
      this.#url,
      path,
    ).catch(() => undefined);
    if (reports === undefined) return;
    const past = reports.filter(({ tick }) => tick <= world.pastTick);
    const explained = past.map((report) => report.explained);
    const nowMs = systemTime.wallMs() - world.lookMs;
    world.incidents = past.length;
    world.explained = explained.filter((is) => is).length;
    world.disordered = Math.max(world.disordered, outOfOrder(explained));
    if (world.explained > 0) world.firstMs ??= nowMs;
    if (world.explained === past.length) world.allMs ??= nowMs;
  }

  get explained(): number {
    return this.#worlds.reduce((sum, { explained }) => sum + explained, 0);
  }

  get incidents(): number {
    return this.#worlds.reduce((sum, { incidents }) => sum + incidents, 0);
  }

  stop() {
    for (const stop of this.#timers) stop();
    const firsts = this.#worlds.flatMap(({ firstMs }) => firstMs ?? []);
    const alls = this.#worlds.flatMap(({ allMs }) => allMs ?? []);
    return {
      incidents: this.incidents,
      explained: this.explained,
      /** Explained before a newer one of the same world. */
      disordered: this.#worlds.reduce((sum, { disordered }) => sum + disordered, 0),
      worldsDone: alls.length,
      firstMsMax: Math.max(0, ...firsts),
      allMsMax: Math.max(0, ...alls),
    };
  }
}
