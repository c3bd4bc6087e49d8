import type { FleetEntry, Snapshot } from '../api/types.ts';
import type { ShownWorld } from '../scene/types.ts';
import { emptyWorld, interpolateWorld } from './interpolation.ts';

const TICK_MS = 20;
const FRAME_MS = 80;
/** Behind the newest frame: one frame to lie between two, and half of one for a late arrival. */
const DELAY_FRAMES = 1.5;
const DELAY_MAX_MS = 1500;
/** How much faster or slower than real time frames are played while the delay changes. */
const SLEW = 0.1;
/** Farther off than this, it is jumped: the tab slept, or the world comes from elsewhere. */
const RESYNC_MS = 1000;
const FRAMES_KEPT = 40;
/** Older than this, what is on display is not what happens now. */
const BEHIND_MS = 1000;
/** How fast an early arrival is believed, and how fast the others pull the clock along. */
const EARLY_TRUST = 0.3;
const LATE_TRUST = 0.01;
/** How fast a late arrival is forgotten, a frame. */
const LATENESS_KEPT = 0.98;
const INTERVAL_TRUST = 0.2;

/**
 * Plays frames back a little late and evenly, whatever the network does to their arrival. The delay
 * grows where they come late or far between, and shrinks again.
 */
export class Playback {
  readonly shown: ShownWorld = emptyWorld();
  #frames: Snapshot[] = [];
  /** Local clock at tick 0, by the arrivals so far. */
  #originMs = Number.NaN;
  #latenessMs = 0;
  #intervalMs = FRAME_MS;
  #delayMs = FRAME_MS * DELAY_FRAMES;
  #shownAtMs = Number.NaN;
  #newestAtMs = Number.NaN;

  /** Who the cars are. */
  setFleet(fleet: readonly FleetEntry[]): void {
    this.shown.cars = fleet.map(carOf);
  }

  get delayMs(): number {
    return this.#delayMs;
  }

  get newest(): Snapshot | undefined {
    return this.#frames.at(-1);
  }

  add(snapshot: Snapshot, nowMs: number): void {
    const newest = this.newest;
    if (newest !== undefined && snapshot.tick <= newest.tick) return;
    if (newest !== undefined) this.#learnInterval((snapshot.tick - newest.tick) * TICK_MS);
    this.#frames.push(snapshot);
    if (this.#frames.length > FRAMES_KEPT) this.#frames.shift();
    this.#newestAtMs = nowMs;
    this.#learnClock(nowMs - snapshot.tick * TICK_MS);
  }

  /** Whether the newest frame is too old to be called the present. */
  isBehind(nowMs: number): boolean {
    const newest = this.newest;
    if (newest === undefined) return false;
    const ageMs = nowMs - (this.#originMs + newest.tick * TICK_MS);
    const silentMs = nowMs - this.#newestAtMs;
    return Math.max(ageMs, silentMs) > BEHIND_MS + this.#intervalMs;
  }

  /** Writes the world at a moment of the local clock to the world; false where there is none yet. */
  show(nowMs: number): boolean {
    const [first] = this.#frames;
    if (first === undefined) return false;
    // What was shown is not taken back, whatever the clock has learnt since.
    const tick = Math.max(this.shown.tick, this.#tickAt(nowMs));
    const next = this.#frames.findIndex((frame) => frame.tick > tick);
    const after = this.#frames.at(next) ?? first;
    const before = next > 0 ? (this.#frames[next - 1] ?? after) : after;
    interpolateWorld(this.shown, before, after, tick);
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
    return Math.min(DELAY_MAX_MS, this.#intervalMs * DELAY_FRAMES + this.#latenessMs);
  }

  #learnInterval(ms: number): void {
    // A gap of one frame that was lost, or of a tab that slept, says nothing of the rate.
    const believedMs = Math.min(ms, RESYNC_MS);
    this.#intervalMs += (believedMs - this.#intervalMs) * INTERVAL_TRUST;
  }

  /** The earliest arrival tells the clock best; lateness only pulls it along slowly. */
  #learnClock(originMs: number): void {
    const offMs = originMs - this.#originMs;
    if (!(offMs > -RESYNC_MS)) {
      this.#originMs = originMs;
      return;
    }
    // Frames that come in a heap, as to a tab that slept, tell nothing of the clock.
    const believedMs = Math.min(offMs, RESYNC_MS);
    this.#originMs += believedMs * (offMs < 0 ? EARLY_TRUST : LATE_TRUST);
    this.#latenessMs *= LATENESS_KEPT;
    if (offMs < RESYNC_MS) this.#latenessMs = Math.max(offMs, this.#latenessMs);
  }
}

export function carOf({ vin, model, plate, colour }: FleetEntry) {
  return {
    vin,
    model,
    plate,
    colour,
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
