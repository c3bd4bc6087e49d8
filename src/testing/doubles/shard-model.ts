import { FRAME_TICKS } from '../../../assembly/layout.ts';
import { FRAME_MS, HEARTBEAT_MS } from '../../limits.ts';
import { type KnownCosts, Meter } from '../../shard/meter.ts';
import { Pulse } from '../../shard/pulse.ts';
import { LATE_MS } from '../../shard/scheduler.ts';

const STEP_MS = 10;
/** Part of a frame that is not stepping its world. */
const SENDING_PART = 0.05;
/** How often a client comes again that was refused, as `Retry-After` tells it. */
const RETRY_MS = 5000;

interface ModelOptions {
  /** What a frame takes of the thread, ms; a test may change it. */
  frameMs: number;
  /** Share of the time in which the thread has a processor. */
  processorShare?: number;
  limitPerMille: number;
  known?: KnownCosts | undefined;
}

/** A shard's thread on a time of its own, and clients that want a world of theirs watched. */
export class ShardModel {
  frameMs: number;
  processorShare: number;
  /** Those that are watched. */
  worlds = 0;
  /** Clients that were refused, by when they come again. */
  refused = 0;
  /** Of all frames so far. */
  frames = 0;
  lateFrames = 0;
  nowMs = 0;
  readonly #limitPerMille: number;
  readonly #meter: Meter;
  readonly #pulse = new Pulse();
  readonly #waiting = new Map<number, number>();
  /** Frames that are due and not made. */
  #queue = 0;
  #workedMs = 0;

  constructor({ frameMs, processorShare = 1, limitPerMille, known }: ModelOptions) {
    this.frameMs = frameMs;
    this.processorShare = processorShare;
    this.#limitPerMille = limitPerMille;
    this.#meter = new Meter(0, known);
    this.#pulse.showCosts(this.#meter.costs);
  }

  get costs(): KnownCosts {
    return { frameNs: this.#pulse.frameNs, tickNs: this.#pulse.tickNs };
  }

  get isOpen(): boolean {
    return this.#pulse.admits(this.worlds, this.#limitPerMille);
  }

  /** So many clients come at once; whoever is refused comes again. */
  arrive(count: number): void {
    for (let i = 0; i < count; i++) {
      if (this.isOpen) this.worlds++;
      else {
        this.refused++;
        const at = this.nowMs + RETRY_MS;
        this.#waiting.set(at, (this.#waiting.get(at) ?? 0) + 1);
      }
    }
  }

  leave(count: number): void {
    this.worlds -= count;
  }

  /** Lets time pass. `perSecond`: clients that come meanwhile. */
  pass(ms: number, perSecond = 0): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs += STEP_MS;
      const again = this.#waiting.get(this.nowMs) ?? 0;
      this.#waiting.delete(this.nowMs);
      this.arrive(again);
      if (perSecond > 0 && this.nowMs % Math.round(1000 / perSecond) < STEP_MS) this.arrive(1);
      this.#work();
    }
  }

  /** A late world gets its newest frame only, so that at most one frame of each waits. */
  #work(): void {
    const takesMs = this.frameMs / this.processorShare;
    this.#queue = Math.min(this.worlds, this.#queue + (this.worlds * STEP_MS) / FRAME_MS);
    const delayMs = Math.max(0, this.#queue * takesMs - STEP_MS);
    const made = Math.min(this.#queue, STEP_MS / takesMs);
    this.#queue -= made;
    this.frames += made;
    this.#meter.visited(made * FRAME_TICKS, made * takesMs * (1 - SENDING_PART));
    this.#meter.encoded(made, made * takesMs * SENDING_PART);
    if (delayMs > LATE_MS) {
      this.lateFrames += made;
      this.#meter.late(made);
    }
    this.#workedMs += made * this.frameMs;
    this.#meter.turned(made * takesMs, this.#workedMs);
    if (this.nowMs % HEARTBEAT_MS !== 0) return;
    this.#meter.roll(this.nowMs);
    this.#pulse.showCosts(this.#meter.costs);
  }
}
