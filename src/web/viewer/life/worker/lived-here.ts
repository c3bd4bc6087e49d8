import { TICK_MS } from '../../../../../assembly/layout.ts';
import type { LiveEvent, LiveState } from '../../../../../client/src/live-events.ts';
import { type LiveDependencies, LiveWorld } from '../../../../../client/src/live-world.ts';
import type { LocalWorld } from '../../../../../client/src/local-world.ts';
import { type Platform, systemPlatform } from '../../../../../client/src/platform.ts';
import type { FleetEntry, Incident, WorldEvent } from '../../api/types.ts';
import { marksOf } from '../marks.ts';
import type { LifeState, Report, Request } from '../messages.ts';
import { Answers, statesOf } from './answers.ts';
import { Reports } from './reports.ts';

/** The page gets every second state, 25 a second; the display interpolates. */
const SHOWN_EVERY_TICKS = 2;
/** So many of the last states may still have to be displayed, ticks. */
const CORRECTED_TICKS = 24;

/** What happened longer ago is no news, but the past: ten seconds, ticks. */
const NEWS_TICKS = 500;
/** A younger world is a new one: the node lives it in a few milliseconds. A minute. */
const NEW_TICKS = 3000;

/** The page is told what turned out otherwise once in this time, ms. */
const PAST_AGAIN_MS = 1000;

/** A journal that could not be read is asked for again after so long. */
const JOURNAL_RETRY_MS = 15_000;

const STATES: Readonly<Record<LiveState, LifeState>> = {
  connecting: 'connecting',
  live: 'living',
  verified: 'living',
  unverified: 'unverified',
  reconnecting: 'alone',
  fallback: 'shown',
  ended: 'gone',
};

type Asked = Extract<Request, { type: 'ask' }>;

/** What is told in one turn. */
interface News {
  events: WorldEvent[];
  incidents: Incident[];
  /** Some of it happened long ago. */
  isOld: boolean;
}

/** The world as it lives in this thread, and what the page is told of it. */
export class LivedHere {
  readonly #live: LiveWorld;
  readonly #report: (report: Report) => void;
  readonly #answers = new Answers(
    () => this.#world(),
    () => this.#learning,
  );
  /** Ends when the whole life is known, or could not be learned just now. */
  #learning: Promise<void> = Promise.resolve();
  #state: LifeState = 'connecting';
  readonly #platform: Platform;
  readonly #reports: Reports;
  readonly #mayLoad = Promise.withResolvers<void>();
  #hasMet = false;
  #news: News | undefined;
  #isPastDue = false;

  constructor(
    { world, streamUrl }: { world: string; streamUrl: string },
    report: (report: Report) => void,
    dependencies: Partial<LiveDependencies> = {},
  ) {
    this.#report = report;
    this.#platform = dependencies.platform ?? systemPlatform;
    this.#reports = new Reports(
      this.#platform,
      () => this.#live.world,
      (incidents) => this.#newsOf().incidents.push(...incidents),
    );
    const mayLoad = (tick: number) => this.#meet(tick);
    this.#live = new LiveWorld({ id: world, stream_url: streamUrl }, { mayLoad, ...dependencies });
    this.#live.subscribe((event) => this.#told(event));
    void this.#show();
  }

  take(request: Exclude<Request, { type: 'open' }>): void {
    if (request.type === 'reconnect') this.#live.reconnect();
    else if (request.type === 'load') this.#mayLoad.resolve();
    else void this.#answer(request);
  }

  /** The page knows what is to come first. */
  #meet(tick: number): Promise<void> {
    if (!this.#hasMet) this.#report({ type: 'met', isNew: tick < NEW_TICKS });
    this.#hasMet = true;
    return this.#mayLoad.promise;
  }

  #world(): LocalWorld {
    const { world } = this.#live;
    if (world === undefined) throw new Error('the world does not live here now');
    return world;
  }

  async #show(): Promise<void> {
    try {
      for await (const frame of this.#live.snapshots({ everyTick: true })) {
        if (this.#live.world !== undefined && frame.tick % SHOWN_EVERY_TICKS !== 0) continue;
        this.#report({ type: 'frame', frame, dueMs: this.#dueMs(frame.tick) });
      }
    } catch {
      // The world does not exist any more: its state says so.
    }
  }

  /** When the clock of the server was at a tick, by the clock of this computer. */
  #dueMs(tick: number): number {
    const { serverTick = Number.NaN } = this.#live;
    return performance.timeOrigin + this.#platform.now() - (serverTick - tick) * TICK_MS;
  }

  #told(event: LiveEvent): void {
    if (event.type === 'state') this.#enter(STATES[event.state]);
    else if (event.type === 'restart') this.#begin();
    else if (event.type === 'watchers') this.#report(event);
    else if (event.type === 'event') this.#newsOf(event.event.tick).events.push(event.event);
    else if (event.type === 'incident') this.#tellOf(event.incident);
    else if (event.type === 'rollback') this.#rolledBack(event.tick, event.ticks);
  }

  #tellOf(incident: Incident): void {
    this.#newsOf(incident.tick).incidents.push(incident);
    this.#reports.add(incident);
  }

  #enter(state: LifeState): void {
    if (state === this.#state) return;
    const isLiving = state === 'living' || state === 'unverified';
    const isFirst = this.#state === 'connecting' && isLiving;
    this.#state = state;
    if (isFirst) this.#begin();
    this.#report({ type: 'state', state });
  }

  /** The world lives here from now on, or was read anew. */
  #begin(): void {
    const { world } = this.#live;
    if (world === undefined) return;
    // The document of the API names the colours, too.
    this.#report({ type: 'fleet', fleet: world.fleet as readonly FleetEntry[] });
    this.#reportPast(world);
    if (!world.knowsAll) this.#learning = this.#knowWholeLife(world);
  }

  /** What lies before the first state that the node has sent comes later. */
  async #knowWholeLife(world: LocalWorld): Promise<void> {
    try {
      if (await this.#live.knowWholeLife()) this.#reportPast(world);
    } catch {
      this.#platform.after(JOURNAL_RETRY_MS, () => {
        if (world === this.#live.world) this.#learning = this.#knowWholeLife(world);
      });
    }
  }

  #reportPast(world: LocalWorld): void {
    // What is on its way is part of it.
    this.#news = undefined;
    const untilTick = this.#live.toldTick;
    const { events, incidents } = world.happened(Number.NEGATIVE_INFINITY, untilTick);
    this.#report({
      ...{ type: 'past', extent: [world.firstTick, world.tick], isWhole: world.knowsAll },
      marks: marksOf(events),
      ...{ events: world.events(undefined, untilTick), incidents },
    });
    this.#reports.restart(incidents);
  }

  /** All of the past is much, and whoever switches features can have it told again and again. */
  #reportPastSoon(): void {
    if (this.#isPastDue) return;
    this.#isPastDue = true;
    this.#platform.after(PAST_AGAIN_MS, () => {
      this.#isPastDue = false;
      const { world } = this.#live;
      if (world !== undefined) this.#reportPast(world);
    });
  }

  /** What is told in one turn, some of it of a tick, goes to the page in one message. */
  #newsOf(tick?: number) {
    const { world } = this.#live;
    const news: News = this.#news ?? { events: [], incidents: [], isOld: false };
    if (this.#news === undefined) queueMicrotask(() => this.#reportNews(news));
    this.#news = news;
    if (world !== undefined && tick !== undefined) news.isOld ||= world.tick - tick > NEWS_TICKS;
    return news;
  }

  #reportNews({ events, incidents, isOld }: News): void {
    if (events !== this.#news?.events) return;
    this.#news = undefined;
    const { world } = this.#live;
    if (isOld && world !== undefined) this.#reportPast(world);
    else this.#report({ type: 'news', events, incidents });
  }

  #rolledBack(tick: number, lateTicks: number): void {
    const { world } = this.#live;
    if (world === undefined) return;
    this.#correct(world, lateTicks);
    // What the page was told of may not have happened, and something else instead.
    if (tick < this.#live.toldTick) this.#reportPastSoon();
  }

  #correct(world: LocalWorld, lateTicks: number): void {
    const first = world.tick - Math.min(lateTicks, CORRECTED_TICKS) + 1;
    const firstShown = Math.ceil(first / SHOWN_EVERY_TICKS) * SHOWN_EVERY_TICKS;
    const frames = [...statesOf(world, [firstShown, world.tick], SHOWN_EVERY_TICKS)];
    this.#report({ type: 'corrected', frames, lateTicks });
  }

  async #answer({ number, question, given }: Asked): Promise<void> {
    try {
      const answer = await this.#answers.answer(question, given);
      this.#report({ type: 'answer', number, answer });
    } catch (error) {
      this.#report({ type: 'refusal', number, why: String(error) });
    }
  }
}
