import { TICK_MS } from '../../assembly/layout.ts';
import type { Clock } from '../clock.ts';

/** How far a world has come, in ticks, as the main thread knows it. */
export class WorldTicks {
  /** Highest tick that an answer has shown. */
  answered = 0;
  /** Where the shard will have stepped the world once all queries are answered. */
  reached = 0;
  /** Where the shard has stepped it. */
  stepped = 0;
  readonly #clock: Clock;
  readonly #createdAtMs: number;

  constructor(clock: Clock, createdAtMs: number) {
    this.#clock = clock;
    this.#createdAtMs = createdAtMs;
  }

  /** The tick by the clock. To read it publishes it to the shards. */
  now(): number {
    return Math.floor((this.#clock.now() - this.#createdAtMs) / TICK_MS);
  }

  /** How many ticks a query would have to step the world. */
  get behind(): number {
    return this.now() - this.reached;
  }

  /** Notes that an answer shows this tick, and returns it. */
  answer(tick: number): number {
    this.answered = Math.max(this.answered, tick);
    return tick;
  }

  /** The shard has stepped the world there. */
  step(tick: number): void {
    this.reached = Math.max(this.reached, tick);
    this.stepped = Math.max(this.stepped, tick);
  }
}
