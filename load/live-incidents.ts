import { Latencies } from '../bench/common/latencies.ts';

export const TICK_MS = 20;
/** An incident ends when no contact came for two seconds. */
export const CHAIN_TICKS = 100;
/** An incident should be explained this soon after its end. */
const WITHIN_MS = 2000;

/** A collision in the answer of `GET …/events`. */
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

/** Incidents of one world that end while it is watched, from its events. */
export class LiveIncidents {
  readonly #createdAtMs: number;
  readonly #fromMs: number;
  readonly #pending = new Map<string, Pending>();
  readonly #done = new Set<string>();

  /** In wall-clock time. Only incidents that end from `fromMs` on count. */
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

  /** Marks and returns incidents that ended `afterMs` ago and are not being asked for. */
  toAsk(nowMs: number, afterMs: number): string[] {
    const due = [...this.#pending.values()].filter(
      (each) => !each.isAsked && this.#endOf(each) + afterMs <= nowMs,
    );
    for (const each of due) this.#pending.set(each.id, { ...each, isAsked: true });
    return due.map(({ id }) => id);
  }

  /** Takes the answer; returns how long after its end the incident was found explained. */
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

  /** Ms since the end of each incident that is not explained. */
  waiting(nowMs: number): number[] {
    return [...this.#pending.values()]
      .map((each) => nowMs - this.#endOf(each))
      .filter((ms) => ms > 0);
  }
}

/** `waitingMs`: of incidents that are not explained yet; they count when that is too long. */
export function liveSummary(tookMs: readonly number[], waitingMs: readonly number[]) {
  const overdue = waitingMs.filter((ms) => ms > WITHIN_MS);
  const all = [...tookMs, ...overdue];
  const latencies = new Latencies();
  for (const ms of all) latencies.record(ms);
  return {
    explained: latencies.summary(),
    /** Explained, or still open, later than two seconds after their end. */
    late: all.filter((ms) => ms > WITHIN_MS).length,
    /** Not explained when the measurement ended; they count with the time they had waited. */
    open: overdue.length,
  };
}

/**
 * Counts incidents that were explained before a newer one of the same world.
 * @param explained whether each incident is, the oldest first
 */
export function outOfOrder(explained: readonly boolean[]): number {
  const newestOpen = explained.lastIndexOf(false);
  return explained.slice(0, Math.max(0, newestOpen)).filter((is) => is).length;
}
