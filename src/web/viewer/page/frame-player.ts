import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { reasonOf } from '../../common/request.ts';
import { type FleetEntry, type Snapshot, TICKS_PER_S } from '../api/types.ts';
import type { Extent } from '../life/life.ts';
import { emptyWorld, framesAround, interpolateWorld } from '../live/interpolation.ts';
import { carOf } from '../live/playback.ts';
import { within } from '../replay/timeline.ts';
import type { ShownWorld } from '../scene/types.ts';
import { FrameBuffer, type FrameSource, frameAfter, frameBefore } from './frame-buffer.ts';

/** Speeds of a life that is played, as parts of real time. */
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16] as const;
export type Speed = (typeof SPEEDS)[number];

/** Panels get the moment so often while it plays, s. */
const PUBLISH_S = 0.1;
/** So much is fetched ahead, s of the display: what is computed meanwhile must be there in time. */
const AHEAD_S = 2;

interface Parts {
  source: FrameSource;
  /** What can be played, in ticks; it may grow. */
  known: () => Extent;
  fleet: ReadonlySignal<readonly FleetEntry[]>;
}

/** Plays a life, or a part of it, from frames that are fetched as they are needed. */
export class FramePlayer {
  /** The moment that is shown, world tick. */
  readonly tick = signal(0);
  /** Its frame, as far as it has arrived. */
  readonly frame = signal<Snapshot | null>(null);
  readonly isPlaying = signal(false);
  readonly speed = signal<Speed>(1);
  /** Why frames cannot be had; empty where they can. */
  readonly failure = signal('');
  readonly shown: ShownWorld = emptyWorld();
  readonly #parts: Parts;
  readonly #buffer: FrameBuffer;
  /** Those that are shown; null: none yet. */
  #shownFrames: readonly Snapshot[] | null = null;
  #exactTick = 0;
  #publishedS = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#buffer = new FrameBuffer(
      parts.source,
      () => this.#publish(),
      (error) => {
        batch(() => {
          this.isPlaying.value = false;
          this.failure.value = reasonOf(error);
        });
      },
    );
  }

  /** The exact moment, world tick with its fraction. */
  get exactTick(): number {
    return this.#exactTick;
  }

  /** The first and the last frame that can be shown. */
  get range(): Extent {
    const [first, last] = this.#parts.known();
    return [Math.min(frameAfter(first), frameBefore(last)), frameBefore(last)];
  }

  seek(tick: number): void {
    this.#exactTick = within(tick, this.range);
    this.failure.value = '';
    this.#buffer.retry();
    this.#want();
    this.#publish();
  }

  /** Stops and moves by ticks. */
  step(ticks: number): void {
    this.isPlaying.value = false;
    this.seek(frameBefore(Math.round(this.#exactTick)) + ticks);
  }

  /** Plays or stops; from the end, from the beginning. */
  toggle(): void {
    const willPlay = !this.isPlaying.peek();
    this.seek(willPlay && this.isAtEnd ? this.range[0] : this.#exactTick);
    this.isPlaying.value = willPlay;
    this.#want();
  }

  get isAtEnd(): boolean {
    return this.#exactTick >= this.range[1];
  }

  /** Advances by seconds of real time, as far as there are frames. Stops at the end. */
  advance(seconds: number): void {
    if (!this.isPlaying.peek()) return;
    const wanted = this.#exactTick + seconds * this.speed.peek() * TICKS_PER_S;
    const reach = this.#buffer.reach(this.#exactTick);
    this.#exactTick = Math.min(wanted, reach, this.range[1]);
    this.#publishedS += seconds;
    this.#want();
    if (this.isAtEnd) this.isPlaying.value = false;
    if (this.isAtEnd || this.#publishedS >= PUBLISH_S) this.#publish();
  }

  /**
   * Interpolates the world at the moment. Until its frames arrive, what was shown before stays, or gives way to what
   * was wanted meanwhile. Returns false while nothing has arrived yet.
   */
  show(): boolean {
    const { frames } = this.#buffer;
    const around = framesAround(frames, this.#exactTick);
    if (around === null || !this.#isNews) return this.#shownFrames !== null;
    this.#shownFrames = frames;
    const fleet = this.#parts.fleet.peek();
    if (this.shown.cars.length !== fleet.length) this.shown.cars = fleet.map(carOf);
    interpolateWorld(this.shown, ...around, this.#exactTick);
    return true;
  }

  /** What comes after the moment is going to be otherwise. */
  dropAhead(): void {
    this.#buffer.dropAfter(this.#exactTick);
    this.#buffer.retry();
    this.#want();
  }

  /** Asks for the frames around the moment again: they may be otherwise. */
  reread(): void {
    this.#buffer.outdate();
    this.#buffer.retry();
    this.#want();
  }

  /** Stops, and forgets all frames. */
  clear(): void {
    this.#buffer.clear();
    this.#shownFrames = null;
    this.isPlaying.value = false;
    this.#publish();
  }

  #want(): void {
    // Whoever drags wants many moments, and nothing may be in the way of the next one.
    const aheadTicks = this.isPlaying.peek()
      ? AHEAD_S * TICKS_PER_S * Math.max(1, this.speed.peek())
      : 0;
    this.#buffer.want(this.#exactTick, aheadTicks, this.#parts.known());
  }

  #publish(): void {
    this.#publishedS = 0;
    batch(() => {
      this.tick.value = this.#exactTick;
      // Panels and map show the same moment.
      if (this.#isNews) this.frame.value = this.#buffer.at(this.#exactTick);
    });
  }

  /** Whether there is something nearer to the moment than what is shown. */
  get #isNews(): boolean {
    const { frames } = this.#buffer;
    return frames !== this.#shownFrames || this.#buffer.has(frameBefore(this.#exactTick));
  }
}
