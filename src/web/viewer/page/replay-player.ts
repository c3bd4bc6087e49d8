import { batch, computed, signal } from '@preact/signals';
import { prefersReducedMotion } from '../../common/media.ts';
import { RequestError, reasonOf } from '../../common/request.ts';
import { readIncident, readReplay } from '../api/twin.ts';
import { type Incident, type Replay, type Snapshot, TICKS_PER_S } from '../api/types.ts';
import { inSentence, joinWords } from '../formatting.ts';
import {
  emptyWorld,
  framesAround,
  interpolateCar,
  interpolateWorld,
} from '../live/interpolation.ts';
import { carOf } from '../live/playback.ts';
import { explanations } from '../replay/explanations.ts';
import {
  bearingOf,
  type Parties,
  partiesOf,
  placesIn,
  TRAIL_STEP_TICKS,
  trailOf,
} from '../replay/parties.ts';
import { extent, played, type Speed, within } from '../replay/timeline.ts';
import type { Focus, ShownWorld } from '../scene/types.ts';
import type { Address } from './address.ts';
import type { EarlierIncidents } from './earlier-incidents.ts';
import { FRAME_TICKS } from './frame-buffer.ts';
import type { LiveWorld } from './live-world.ts';

/** How often an incident is read again until it is explained. */
const EXPLAINED_MS = 1000;
/** So often a request that failed is repeated by itself, and after so long. */
const RETRIES_MAX = 3;
const RETRY_MS = 2500;
/** A replay goes on for so long after its contact, if that much has been lived. */
const AFTERMATH_TICKS = 2 * TICKS_PER_S;
/** The rest of one that was read sooner is read so long after it has been lived, and so often at most. */
const REST_SLACK_MS = 300;
const REST_READS_MAX = 5;
/** How often the panels get the position of the replay. */
const PUBLISH_TICKS = 2;

/** How a replay begins: at a moment, and with an explanation. */
export type Start = Pick<Address, 'moment' | 'set'>;
const NO_START: Start = { moment: null, set: null };

type ReplayedWorld = Pick<LiveWorld, 'id' | 'fleet' | 'ask'>;
type EarlierReports = Pick<EarlierIncidents, 'find' | 'has'>;

const isUnknown = (error: unknown): boolean =>
  error instanceof RequestError && error.code === 'unknown_incident';

/** The open incident and its replay. */
export class ReplayPlayer {
  /** Id. */
  readonly id = signal<string | null>(null);
  readonly incident = signal<Incident | null>(null);
  readonly error = signal('');
  /** The world has no incident of this id. */
  readonly isUnknown = signal(false);
  /** There is a report of the incident, but it cannot be shown again. */
  readonly hasNoReplay = signal(false);
  readonly asItWas = signal<Replay | null>(null);
  /** It is on its way; the live world is shown meanwhile. */
  readonly isOpening = computed(
    () =>
      this.id.value !== null &&
      this.asItWas.value === null &&
      !this.hasNoReplay.value &&
      !this.isUnknown.value &&
      this.error.value === '',
  );
  /** The counterfactual replay with the features of `explanation`. */
  readonly asItWouldHaveBeen = signal<Replay | null>(null);
  /** Index of the shown explanation. */
  readonly chosen = signal(0);
  readonly explanation = computed(() => {
    const incident = this.incident.value;
    return incident === null ? null : (explanations(incident)[this.chosen.value] ?? null);
  });
  /** Beside a ghost: “with ESC”. */
  readonly #ghostSign = computed(() => {
    const features = this.explanation.value?.features ?? [];
    return `with ${joinWords(features.map(inSentence))}`;
  });
  readonly tick = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal<Speed>(1);
  readonly shown: ShownWorld = emptyWorld();
  readonly #live: ReplayedWorld;
  readonly #earlier: EarlierReports;
  #exactTick = 0;
  #start: Start = NO_START;
  #parties: Parties = { vins: [], hazards: [] };
  #bearing = 0;
  /** What `shown.focus` was made of. */
  #focusOf: { tick: number; would: Replay | null } | undefined;
  #trails: { step: number; would: Replay | null; lines: Focus['trails'] } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #retries = 0;
  /** Repeats the request that has failed. */
  #again: () => Promise<void> = async () => {};

  constructor(live: ReplayedWorld, earlier: EarlierReports) {
    this.#live = live;
    this.#earlier = earlier;
  }

  get frames(): readonly Snapshot[] {
    return this.asItWas.peek()?.frames ?? [];
  }

  /** Opens an incident; null returns to the live world. */
  open(id: string | null): void {
    if (id === this.id.peek()) return;
    clearTimeout(this.#timer);
    clearTimeout(this.#restTimer);
    this.#start = NO_START;
    this.#retries = 0;
    batch(() => {
      this.id.value = id;
      this.incident.value = null;
      this.error.value = '';
      this.isUnknown.value = false;
      this.hasNoReplay.value = false;
      this.asItWas.value = null;
      this.asItWouldHaveBeen.value = null;
      this.chosen.value = 0;
      this.isPlaying.value = false;
    });
    if (id !== null) void this.#load(id);
  }

  /** What a link asks for of the open incident. */
  startAt(start: Start): void {
    this.#start = start;
    if (this.asItWas.peek() === null) return;
    if (start.moment !== null) {
      this.seek(start.moment);
      this.isPlaying.value = false;
    }
    const before = this.chosen.peek();
    this.#chooseSet();
    if (this.chosen.peek() !== before) this.choose(this.chosen.peek());
  }

  /** Plays from the beginning, slow around the contact only. Resolves at the end, or when somebody stops it. */
  playThrough(): Promise<void> {
    const speed = this.speed.peek();
    this.seek(extent(this.frames)[0]);
    this.speed.value = 1;
    this.isPlaying.value = true;
    return new Promise((resolve) => {
      const stop = this.isPlaying.subscribe((isPlaying) => {
        if (isPlaying) return;
        queueMicrotask(() => stop());
        if (this.speed.peek() === 1) this.speed.value = speed;
        resolve();
      });
    });
  }

  /** Shows another explanation. */
  choose(index: number): void {
    this.chosen.value = index;
    this.asItWouldHaveBeen.value = null;
    this.error.value = '';
    void this.#loadGhost();
  }

  /** Repeats what has failed. */
  async retry(): Promise<void> {
    clearTimeout(this.#timer);
    this.error.value = '';
    await this.#again();
  }

  seek(tick: number): void {
    this.#exactTick = within(tick, extent(this.frames));
    this.tick.value = this.#exactTick;
  }

  toggle(): void {
    const [first, last] = extent(this.frames);
    if (!this.isPlaying.peek() && this.#exactTick >= last) this.seek(first);
    this.isPlaying.value = !this.isPlaying.peek() && last > first;
  }

  /** Advances by seconds of real time. */
  advance(seconds: number): void {
    if (!this.isPlaying.peek()) return;
    const [, last] = extent(this.frames);
    const contactTick = this.incident.peek()?.tick ?? Number.NEGATIVE_INFINITY;
    const range = { contactTick, end: last };
    this.#exactTick = played(this.#exactTick, seconds, this.speed.peek(), range);
    const isEnd = this.#exactTick >= last;
    if (isEnd || Math.abs(this.#exactTick - this.tick.peek()) >= PUBLISH_TICKS) {
      this.tick.value = this.#exactTick;
    }
    if (isEnd) this.isPlaying.value = false;
  }

  /** Interpolates the world at the position of the replay; false where there is none. */
  show(): boolean {
    const around = framesAround(this.frames, this.#exactTick);
    if (around === null) return false;
    const fleet = this.#live.fleet.peek();
    // A link leads here before anybody has told whose cars these are.
    if (fleet.length === 0) return false;
    if (this.shown.cars.length !== fleet.length) this.shown.cars = fleet.map(carOf);
    interpolateWorld(this.shown, ...around, this.#exactTick);
    this.#showGhosts();
    this.#showFocus();
    return true;
  }

  #showFocus(): void {
    const incident = this.incident.peek();
    if (incident === null) return;
    const [tick, would] = [this.#exactTick, this.asItWouldHaveBeen.peek()];
    if (this.#focusOf?.tick === tick && this.#focusOf.would === would) return;
    this.#focusOf = { tick, would };
    const { cars, hazards, ghosts } = this.shown;
    const { x, y } = incident.place;
    this.shown.focus = {
      places: placesIn({ vehicles: cars, hazards, ghosts }, this.#parties, [x, y]),
      bearing: this.#bearing,
      trails: this.#trailsAt(tick, would),
    };
  }

  /** Trails go on in steps, so that they are not made anew for each displayed frame. */
  #trailsAt(tick: number, would: Replay | null): Focus['trails'] {
    const step = Math.floor(tick / TRAIL_STEP_TICKS);
    if (this.#trails?.step === step && this.#trails.would === would) return this.#trails.lines;
    const until = step * TRAIL_STEP_TICKS;
    const lines = [
      ...this.#parties.vins.map((vin) => ({
        isGhost: false,
        places: trailOf(this.frames, vin, until),
      })),
      ...this.shown.ghosts.map(({ vin }) => ({
        isGhost: true,
        places: trailOf(would?.frames ?? [], vin, until),
      })),
    ];
    this.#trails = { step, would, lines };
    return lines;
  }

  #showGhosts(): void {
    this.shown.ghostSign = this.#ghostSign.peek();
    const would = framesAround(this.asItWouldHaveBeen.peek()?.frames ?? [], this.#exactTick);
    const vins = would === null ? [] : (this.explanation.peek()?.vins ?? []);
    const before = this.shown.ghosts.splice(0);
    if (would === null) return;
    const { ghosts, cars } = this.shown;
    for (const vin of vins) {
      const car = cars.findIndex((each) => each.vin === vin);
      const entry = cars[car];
      if (entry === undefined) continue;
      const ghost = before.find((each) => each.vin === vin) ?? { ...entry };
      interpolateCar(ghost, car, ...would, this.#exactTick);
      ghosts.push(ghost);
    }
  }

  /** Null: the world has none of this id. */
  async #readIncident(id: string): Promise<Incident | null> {
    const service = () => readIncident(this.#live.id, id);
    const incident = await this.#live.ask('incident', [id], service);
    return incident ?? (await this.#earlier.find(id)) ?? null;
  }

  /** Null: it cannot be shown again. */
  async #readWhole(id: string): Promise<Replay | null> {
    if (this.#earlier.has(id)) return null;
    return await this.#readReplay(id, []).catch((error) => {
      // The service has the report.
      if (isUnknown(error)) return null;
      throw error;
    });
  }

  #readReplay(id: string, features: readonly string[]): Promise<Replay> {
    const service = () => readReplay(this.#live.id, id, features);
    return this.#live.ask('replay', [id, features], service);
  }

  async #load(id: string): Promise<void> {
    try {
      const incident = await this.#readIncident(id);
      if (id !== this.id.peek()) return;
      this.incident.value = incident;
      // The report can be read before the replay is there.
      const replay = incident && (await this.#readWhole(id));
      if (id !== this.id.peek()) return;
      this.#retries = 0;
      batch(() => {
        this.isUnknown.value = incident === null;
        this.hasNoReplay.value = incident !== null && replay === null;
      });
      if (incident === null || replay === null) return;
      batch(() => {
        this.shown.contact = [incident.place.x, incident.place.y];
        this.#parties = partiesOf(incident);
        this.#bearing = bearingOf(incident, replay.frames);
        this.#focusOf = undefined;
        this.#trails = undefined;
        this.asItWas.value = replay;
        const { moment } = this.#start;
        this.seek(moment ?? extent(replay.frames)[0]);
        this.isPlaying.value = moment === null && !prefersReducedMotion.peek();
      });
      this.#chooseSet();
      this.#awaitRest(incident);
      if (incident.explained) await this.#loadGhost();
      else this.#awaitExplanation(id);
    } catch (error) {
      this.#fail(id, error, () => this.#load(id));
    }
  }

  /** What was read right after the contact ends with what had been lived by then. */
  #awaitRest({ id, tick }: Pick<Incident, 'id' | 'tick'>, reads = 0): void {
    const missingTicks = tick + AFTERMATH_TICKS - extent(this.frames)[1];
    if (missingTicks < FRAME_TICKS || reads >= REST_READS_MAX) return;
    const lived = (missingTicks / TICKS_PER_S) * 1000;
    this.#restTimer = setTimeout(async () => {
      // What is there can be played meanwhile.
      const replay = await this.#readReplay(id, []).catch(() => null);
      if (id !== this.id.peek()) return;
      if (replay !== null) this.asItWas.value = replay;
      this.#awaitRest({ id, tick }, reads + 1);
    }, lived + REST_SLACK_MS);
  }

  #awaitExplanation(id: string): void {
    this.#timer = setTimeout(async () => {
      // A failed request is repeated.
      const incident = await this.#readIncident(id).catch(() => null);
      if (id !== this.id.peek()) return;
      if (incident?.explained !== true) return this.#awaitExplanation(id);
      this.incident.value = incident;
      this.#chooseSet();
      await this.#loadGhost();
    }, EXPLAINED_MS);
  }

  /** Chooses the explanation that the link names. */
  #chooseSet(): void {
    const incident = this.incident.peek();
    if (incident === null || this.#start.set === null) return;
    const index = explanations(incident).findIndex(({ set }) => set === this.#start.set);
    if (index >= 0) this.chosen.value = index;
  }

  async #loadGhost(): Promise<void> {
    const id = this.id.peek();
    const explanation = this.explanation.peek();
    if (id === null || explanation === null || this.hasNoReplay.peek()) return;
    const isWanted = () => id === this.id.peek() && explanation === this.explanation.peek();
    try {
      const replay = await this.#readReplay(id, explanation.features);
      if (!isWanted()) return;
      this.#retries = 0;
      this.asItWouldHaveBeen.value = replay;
    } catch (error) {
      const again = async () => {
        if (isWanted()) await this.#loadGhost();
      };
      if (isWanted()) this.#fail(id, error, again);
    }
  }

  /** @param again repeats what has failed */
  #fail(id: string, error: unknown, again: () => Promise<void>): void {
    if (id !== this.id.peek()) return;
    this.#again = again;
    this.isUnknown.value = isUnknown(error);
    if (this.isUnknown.peek()) return;
    const isRefused = error instanceof RequestError && error.status >= 400 && error.status < 500;
    if (!isRefused && this.#retries++ < RETRIES_MAX) {
      this.#timer = setTimeout(() => void this.retry(), RETRY_MS);
      return;
    }
    this.error.value = reasonOf(error);
  }
}
