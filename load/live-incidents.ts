import { Latencies, type LatencySummary } from '../bench/common/latencies.ts';

export const TICK_MS = 20;
/** A chain of contacts is over when none has come for so long: two seconds. */
export const CHAIN_TICKS = 100;
/** So long after its end at the latest an incident should be explained, ms. */
const WITHIN_MS = 2000;

/** What `GET …/events` tells of a collision. */
export interface CollisionEvent {
  tick: number;
  kind: string;
  incident: string | null;
}

interface Pending {
  id: string;
  lastTick: number;
  isAsked: boolean;
}

export interface LiveSummary {
  explained: LatencySummary;
  /** Explained, or still open, later than two seconds after their end. */
  late: number;
  /** Not explained when the measurement ended; they count with the time that they have waited. */
  open: number;
}

/**
 * The incidents of one world that end while somebody watches, as its events tell of them. An
 * incident is over two seconds after its last contact.
 */
export class LiveIncidents {
  readonly #createdAtMs: number;
  readonly #fromMs: number;
  readonly #pending = new Map<string, Pending>();
  readonly #done = new Set<string>();

  /** Times are of the wall clock; only what ends from `fromMs` on counts. */
  constructor(createdAtMs: number, fromMs: number) {
    this.#createdAtMs = createdAtMs;
    this.#fromMs = fromMs;
  }

  note(events: readonly CollisionEvent[]): void {
    for (const { tick, kind, incident } of events) {
      if (kind !== 'collision' || incident === null || this.#done.has(incident)) continue;
      if (this.#timeOf(tick + CHAIN_TICKS) < this.#fromMs && !this.#pending.has(incident)) continue;
      const known = this.#pending.get(incident);
      const lastTick = Math.max(tick, known?.lastTick ?? 0);
      this.#pending.set(incident, { id: incident, isAsked: known?.isAsked ?? false, lastTick });
    }
  }

  #timeOf(tick: number): number {
    return this.#createdAtMs + tick * TICK_MS;
  }

  #endOf({ lastTick }: Pending): number {
    return this.#timeOf(lastTick + CHAIN_TICKS);
  }

  /** Those that have been over for so long and are not being asked for; they then are. */
  toAsk(nowMs: number, afterMs: number): string[] {
    const due = [...this.#pending.values()].filter(
      (each) => !each.isAsked && this.#endOf(each) + afterMs <= nowMs,
    );
    for (const each of due) this.#pending.set(each.id, { ...each, isAsked: true });
    return due.map(({ id }) => id);
  }

  /** What came of asking; returns how long after its end it was found explained. */
  answered(id: string, isExplained: boolean, nowMs: number): number | undefined {
    const known = this.#pending.get(id);
    if (known === undefined) return undefined;
    if (!isExplained) {
      this.#pending.set(id, { ...known, isAsked: false });
      return undefined;
    }
    this.#pending.delete(id);
    this.#done.add(id);
    return nowMs - this.#endOf(known);
  }

  /** For how long those have been over that are not explained. */
  waiting(nowMs: number): number[] {
    return [...this.#pending.values()]
      .map((each) => nowMs - this.#endOf(each))
      .filter((ms) => ms > 0);
  }
}

/** How long incidents took to be explained, those still open with the time they have waited. */
export function liveSummary(tookMs: readonly number[], waitingMs: readonly number[]): LiveSummary {
  const latencies = new Latencies();
  for (const ms of tookMs) latencies.record(ms);
  const overdue = waitingMs.filter((ms) => ms > WITHIN_MS);
  for (const ms of overdue) latencies.record(ms);
  const late = tookMs.filter((ms) => ms > WITHIN_MS).length + overdue.length;
  return { explained: latencies.summary(), late, open: overdue.length };
}

/**
 * How many incidents are explained before a newer one of the same world: there should be none.
 * `explained`: whether each is, the oldest first.
 */
export function outOfOrder(explained: readonly boolean[]): number {
  const newestOpen = explained.lastIndexOf(false);
  return explained.slice(0, Math.max(0, newestOpen)).filter((is) => is).length;
}
