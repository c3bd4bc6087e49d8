import type { Kernel, Slab } from '../../src/kernel/kernel.ts';
import type { RawEvent } from '../../src/twin/events.ts';

/** Events that are kept at least. */
const EVENTS_MAX = 10_000;

/**
 * The events of a world's life. The kernel keeps the last 64: who reads them every 100 ticks at least, after
 * each change, which raises up to twelve, and after each return to an earlier state, misses none.
 */
export class EventLog {
  #events: RawEvent[];
  #count = -1;

  constructor(events: readonly RawEvent[] = []) {
    this.#events = [...events];
  }

  /** In order of number. */
  get events(): readonly RawEvent[] {
    return this.#events;
  }

  /** Takes in what is new in a slab. */
  read(kernel: Kernel, slab: Slab): void {
    if (kernel.eventCount(slab) !== this.#count) this.readAgain(kernel, slab);
  }

  /** Takes in all that a slab has: an event that happens again changes in place. */
  readAgain(kernel: Kernel, slab: Slab): void {
    this.#count = kernel.eventCount(slab);
    const shown = kernel.events(slab);
    const firstShown = shown[0]?.seq ?? 0;
    this.#events.length = this.#events.findLastIndex(({ seq }) => seq < firstShown) + 1;
    this.#events.push(...shown);
    if (this.#events.length > 2 * EVENTS_MAX) this.#events = this.#events.slice(-EVENTS_MAX);
  }

  /** Adds those of an earlier past. */
  prepend(earlier: EventLog): void {
    const first = this.#events[0]?.seq ?? Number.POSITIVE_INFINITY;
    const before = earlier.#events.filter(({ seq }) => seq < first);
    this.#events = [...before, ...this.#events].slice(-EVENTS_MAX);
  }

  /** The last ones up to a tick. */
  lastUpTo(tick: number, limit: number): RawEvent[] {
    const end = this.#events.findLastIndex((event) => event.tick <= tick) + 1;
    return this.#events.slice(Math.max(0, end - limit), end);
  }

  /** Those after one tick and up to another. */
  between(afterTick: number, untilTick: number): RawEvent[] {
    const from = this.#events.findLastIndex(({ tick }) => tick <= afterTick) + 1;
    return this.#events.slice(from).filter(({ tick }) => tick <= untilTick);
  }
}
