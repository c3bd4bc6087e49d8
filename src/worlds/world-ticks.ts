import { TICK_MS } from '../../assembly/layout.ts';
import type { Clock } from '../clock.ts';

/** The ticks that a world has reached, as the main thread knows them. */
export class WorldTicks {
  /** The highest tick in any answer to a client. */
  answered = 0;
  /** The tick of the world once the shard has answered all queries. */
  reached = 0;
  /** Up to this tick its steps were paid when it was made. */
  paid = 0;
  /** The tick to which the shard has stepped the world. */
  stepped = 0;
  /** What another node may have shown: everything here lies at or above it. */
  floor: number;
  /** The world must not be stepped to this tick yet: the first unresolved hold. */
  holdTick = Number.POSITIVE_INFINITY;
  readonly #clock: Clock;
  readonly #createdAtMs: number;

  /** `floorMs`: of the grant. The clock of this node may be behind it, if it slept. */
  constructor(clock: Clock, createdAtMs: number, floorMs: number) {
    this.#clock = clock;
    this.#createdAtMs = createdAtMs;
    this.floor = Math.max(0, Math.floor((floorMs - createdAtMs) / TICK_MS));
  }

  /** The current tick by the clock, or the floor. Reading the clock also publishes it to the shards. */
  now(): number {
    return Math.max(this.floor, Math.floor((this.#clock.now() - this.#createdAtMs) / TICK_MS));
  }

  /** The tick that an answer shows: the current one or, in a hold, the last tick before it. */
  due(): number {
    return Math.min(this.now(), this.holdTick - 1);
  }

  /** Records that an answer shows this tick, and returns it. */
  answer(tick: number): number {
    this.answered = Math.max(this.answered, tick);
    return tick;
  }

  /** Records that the shard has stepped the world to this tick. */
  step(tick: number): void {
    this.reached = Math.max(this.reached, tick);
    this.stepped = Math.max(this.stepped, tick);
  }
}
