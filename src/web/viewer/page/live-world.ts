import { computed, effect, signal } from '@preact/signals';
import { whileVisible } from '../../common/visible.ts';
import { readWorld } from '../api/twin.ts';
import { type FleetEntry, type Snapshot, TICKS_PER_S } from '../api/types.ts';
import type { LocalLife } from '../life/local-life.ts';
import type { Answer, Given, Question } from '../life/messages.ts';
import { openLife } from '../life/open-life.ts';
import { Connection } from '../live/connection.ts';
import { History } from '../live/history.ts';
import { Playback } from '../live/playback.ts';
import { browserTransport } from '../live/transport.ts';
import { WorldSource } from './world-source.ts';

/** The state of the connection as the page shows it. */
export type Status =
  | 'connecting'
  | 'live'
  | 'unverified'
  | 'behind'
  | 'reconnecting'
  | 'polling'
  | 'gone';

/** The cars of a new world are drawn by then, or something is amiss. */
const FIRST_CARS_MS = 1000;
const WATCHERS_MS = 10_000;
/** How often the panels get the newest frame. */
const PUBLISH_MS = 200;
/** Cars glide to where a change has led that came less late; else they jump, ticks. */
const GLIDE_TICKS_MAX = 0.6 * TICKS_PER_S;
/** A life connects anew if nothing was displayed for longer: the computer may have slept. */
const ASLEEP_MS = 5000;

/** In the page's performance timeline. */
const FIRST_CARS_MARK = 'first cars';

/** The live world: its fleet, its newest frame and the state of the connection. */
export class LiveWorld {
  readonly id: string;
  readonly playback = new Playback();
  readonly history = new History();
  readonly watchers = signal(0);
  readonly fleet = signal<readonly FleetEntry[]>([]);
  /** The newest frame, updated a few times a second. */
  readonly latest = signal<Snapshot | null>(null);
  readonly #source = signal<WorldSource | null>(null);
  readonly #isBehind = signal(false);
  readonly status = computed<Status>(() => {
    const { link, isVerified } = this.#source.value ?? {};
    if (link?.value !== 'streaming') return link?.value ?? 'connecting';
    if (this.#isBehind.value) return 'behind';
    return isVerified?.value === false ? 'unverified' : 'live';
  });
  /** Where the world is shown as it lives in this page. */
  readonly life = computed<LocalLife | null>(() => {
    const source = this.#source.value;
    return (source?.from.value === 'life' && source.life) || null;
  });
  /** The world lives on here, also where the node is not heard of: for some time. */
  readonly goesOn = computed(() => this.life.value !== null && !this.#isBehind.value);
  /** The node sends what is shown, and tells the rest of the world if it is asked. */
  readonly isTold = computed(() => this.#source.value?.from.value === 'node');
  readonly #carsDrawn = Promise.withResolvers<void>();
  #displayedMs = Number.POSITIVE_INFINITY;
  #publishedAtMs = Number.NEGATIVE_INFINITY;

  constructor(id: string) {
    this.id = id;
  }

  get source(): 'nowhere' | 'life' | 'node' {
    return this.#source.peek()?.from.peek() ?? 'nowhere';
  }

  /** `mapRead`: no car is drawn without the map. `isPastShown`: see SourceParts. */
  start(mapRead: Promise<void>, isPastShown: () => boolean): void {
    const source = new WorldSource({
      openLife: (listener) => openLife(this.id, listener),
      mayLoad: (isNew) => this.#mayLoad(isNew, mapRead),
      openConnection: (listener) => new Connection(browserTransport(this.id), listener),
      isPastShown,
      after: (ms, call) => {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
      frame: (frame, dueMs) => this.#take(frame, dueMs),
      corrected: (frames, lateTicks) =>
        this.playback.correct(frames, lateTicks > GLIDE_TICKS_MAX, performance.now()),
      fleet: (fleet) => this.#setFleet(fleet),
    });
    this.#source.value = source;
    addEventListener('online', () => source.retryNow());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.status.peek() !== 'live') source.retryNow();
    });
    effect(() =>
      this.isTold.value ? whileVisible(WATCHERS_MS, () => this.#refresh()) : undefined,
    );
    effect(() => {
      if (this.life.value !== null) this.watchers.value = source.watchers.value;
    });
  }

  /** What comes before all that a world is lived with: the map, and the first cars where the node sends them. */
  async #mayLoad(isNew: boolean, mapRead: Promise<void>): Promise<void> {
    await mapRead;
    if (!isNew) return;
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FIRST_CARS_MS);
    await Promise.race([this.#carsDrawn.promise, isLate]);
    clearTimeout(timer);
  }

  /** Call it when the first cars are drawn. */
  noteCarsDrawn(): void {
    performance.mark(FIRST_CARS_MARK);
    this.#carsDrawn.resolve();
  }

  /**
   * Asks the world as it lives in this page. Where it does not, or cannot tell, the service is asked: its
   * answer has the same shape.
   */
  async ask<Name extends Question>(
    question: Name,
    given: Given<Name>,
    service: () => Promise<Answer<Name>>,
  ): Promise<Answer<Name>> {
    await this.#source.peek()?.decided;
    const life = this.life.peek();
    return life === null ? service() : life.ask(question, ...given).catch(service);
  }

  /** Asks the service again at once. */
  retryNow(): void {
    this.#source.peek()?.retryNow();
  }

  /** Call it once per displayed frame. */
  publish(nowMs: number): void {
    // The clock that `nowMs` is of may stand still while the computer sleeps.
    const wallMs = Date.now();
    if (wallMs - this.#displayedMs > ASLEEP_MS) this.life.peek()?.reconnect();
    this.#displayedMs = wallMs;
    const isBehind = this.playback.isBehind(nowMs);
    if (isBehind !== this.#isBehind.peek()) this.#isBehind.value = isBehind;
    if (nowMs - this.#publishedAtMs < PUBLISH_MS) return;
    this.#publishedAtMs = nowMs;
    this.latest.value = this.playback.newest ?? null;
  }

  async #refresh(): Promise<void> {
    if (this.status.peek() === 'gone') return;
    // The connection reports a world that is gone; on other errors the old values stay.
    const world = await readWorld(this.id).catch(() => null);
    if (world === null) return;
    this.watchers.value = world.watchers;
    this.#setFleet(world.fleet);
  }

  #setFleet(fleet: readonly FleetEntry[]): void {
    if (this.fleet.peek().length > 0) return;
    this.playback.setFleet(fleet);
    this.fleet.value = fleet;
  }

  #take(snapshot: Snapshot, dueMs: number): void {
    this.playback.add(snapshot, performance.now(), dueMs);
    this.history.add(snapshot);
  }
}
