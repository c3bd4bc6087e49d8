import { type FleetEntry, type Snapshot, TICKS_PER_S } from '../api/types.ts';
import type { ShownWorld } from '../scene/types.ts';
import { Glide } from './glide.ts';
import { emptyWorld, framesAround, interpolateWorld } from './interpolation.ts';

const TICK_MS = 1000 / TICKS_PER_S;
const FRAME_MS = 80;
/** Delay behind the newest frame: one frame to interpolate, and half of one for late arrivals. */
const DELAY_FRAMES = 1.5;
/** The same where it is known when frames were due, and thus how late they come. */
const DELAY_FRAMES_DUE = 1;
/** Frames that are later come in a burst, after a pause. */
const BURST_MS = 400;
const DELAY_MAX_MS = 1500;
/** By how much the playback is faster or slower than real time while the delay changes. */
const SLEW = 0.1;
/** A larger difference is jumped over: the tab slept, or another node serves the world. */
const RESYNC_MS = 1000;
const FRAMES_MAX = 40;
/** A display that is older is no longer live. */
const BEHIND_MS = 1000;
/** Weights of early and late arrivals in the estimate of the clock. */
const EARLY_TRUST = 0.3;
const LATE_TRUST = 0.01;
/** Decay of the lateness per frame. */
const LATENESS_DECAY = 0.98;
const INTERVAL_TRUST = 0.2;

/**
 * Plays frames back evenly and slightly delayed, however irregularly they arrive. The delay grows
 * while frames come late or rarely, and shrinks again.
 */
export class Playback {
  readonly shown: ShownWorld = emptyWorld();
  #frames: Snapshot[] = [];
  /** Estimate of the local clock at tick 0. */
  #originMs = Number.NaN;
  #latenessMs = 0;
  #intervalMs = FRAME_MS;
  #delayFrames = DELAY_FRAMES;
  #delayMs = FRAME_MS * DELAY_FRAMES;
  #shownAtMs = Number.NaN;
  #newestAtMs = Number.NaN;
  #glide: Glide | undefined;

  setFleet(fleet: readonly FleetEntry[]): void {
    this.shown.cars = fleet.map(carOf);
  }

  get delayMs(): number {
    return this.#delayMs;
  }

  get newest(): Snapshot | undefined {
    return this.#frames.at(-1);
  }

  /** `dueMs`: when the clock of the server was at its tick, by the clock of this page; NaN if that is not known. */
  add(snapshot: Snapshot, nowMs: number, dueMs = Number.NaN): void {
    const newest = this.newest;
    if (newest !== undefined && snapshot.tick <= newest.tick) return;
    if (newest !== undefined) this.#learnInterval((snapshot.tick - newest.tick) * TICK_MS);
    this.#frames.push(snapshot);
    if (this.#frames.length > FRAMES_MAX) this.#frames.shift();
    this.#newestAtMs = nowMs;
    const isDue = !Number.isNaN(dueMs);
    this.#delayFrames = isDue ? DELAY_FRAMES_DUE : DELAY_FRAMES;
    if (isDue) this.#takeClock(dueMs - snapshot.tick * TICK_MS, nowMs - dueMs);
    else this.#learnClock(nowMs - snapshot.tick * TICK_MS);
  }

  /** Takes states that turned out otherwise. `isCut`: what is displayed jumps there; else it glides. */
  correct(frames: readonly Snapshot[], isCut: boolean, nowMs: number): void {
    const [first] = frames;
    if (first === undefined) return;
    const displayed = this.shown.cars.map(({ x, y, heading }) => ({ x, y, heading }));
    this.#frames = [...this.#frames.filter(({ tick }) => tick < first.tick), ...frames];
    this.#frames.splice(0, this.#frames.length - FRAMES_MAX);
    this.#glide = undefined;
    const { tick, cars } = this.shown;
    const around = framesAround(this.#frames, tick);
    if (isCut || around === null) return;
    interpolateWorld(this.shown, ...around, tick);
    this.#glide = new Glide(displayed, cars, nowMs);
    // They are still displayed there: another change may come before the next display.
    this.#glide.move(cars, nowMs);
  }

  /** Whether the newest frame is too old to be live. */
  isBehind(nowMs: number): boolean {
    const newest = this.newest;
    if (newest === undefined) return false;
    const ageMs = nowMs - (this.#originMs + newest.tick * TICK_MS);
    const silentMs = nowMs - this.#newestAtMs;
    return Math.max(ageMs, silentMs) > BEHIND_MS + this.#intervalMs;
  }

  /** Interpolates the world at a local time; false before the first frame. */
  show(nowMs: number): boolean {
    // Time never runs backwards, even if the estimate of the clock changes.
    const tick = Math.max(this.shown.tick, this.#tickAt(nowMs));
    const around = framesAround(this.#frames, tick);
    if (around === null) return false;
    interpolateWorld(this.shown, ...around, tick);
    if (this.#glide?.move(this.shown.cars, nowMs) === false) this.#glide = undefined;
    return true;
  }

  #tickAt(nowMs: number): number {
    const wantedMs = this.#wantedDelayMs();
    const passedMs = Math.max(0, nowMs - this.#shownAtMs);
    const offMs = wantedMs - this.#delayMs;
    const slewMs = SLEW * passedMs;
    const isFar = !(Math.abs(offMs) < RESYNC_MS && passedMs < RESYNC_MS);
    this.#delayMs = isFar ? wantedMs : this.#delayMs + Math.max(-slewMs, Math.min(slewMs, offMs));
    this.#shownAtMs = nowMs;
    return (nowMs - this.#delayMs - this.#originMs) / TICK_MS;
  }

  #wantedDelayMs(): number {
    return Math.min(DELAY_MAX_MS, this.#intervalMs * this.#delayFrames + this.#latenessMs);
  }

  #learnInterval(ms: number): void {
    // A lost frame or a tab that slept does not change the rate.
    const believedMs = Math.min(ms, RESYNC_MS);
    this.#intervalMs += (believedMs - this.#intervalMs) * INTERVAL_TRUST;
  }

  #takeClock(originMs: number, lateMs: number): void {
    this.#originMs = originMs;
    this.#latenessMs *= LATENESS_DECAY;
    if (lateMs < BURST_MS) this.#latenessMs = Math.max(lateMs, this.#latenessMs);
  }

  /** Early arrivals estimate the clock best; late ones correct it only slowly. */
  #learnClock(originMs: number): void {
    const offMs = originMs - this.#originMs;
    if (!(offMs > -RESYNC_MS)) {
      this.#originMs = originMs;
      return;
    }
    // Frames that arrive in a burst, after a tab slept, tell nothing about the clock.
    const believedMs = Math.min(offMs, RESYNC_MS);
    this.#originMs += believedMs * (offMs < 0 ? EARLY_TRUST : LATE_TRUST);
    this.#latenessMs *= LATENESS_DECAY;
    if (offMs < RESYNC_MS) this.#latenessMs = Math.max(offMs, this.#latenessMs);
  }
}

export function carOf(entry: FleetEntry) {
  return {
    ...entry,
    x: 0,
    y: 0,
    heading: 0,
    speed: 0,
    braking: false,
    aeb: false,
    esc: false,
    evasive: false,
    status: 'driving' as const,
  };
}
