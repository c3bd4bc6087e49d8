import { Latencies, type LatencySummary } from '../../bench/common/latencies.ts';

interface Span {
  startMs: number;
  endMs: number;
}

/** How long requests took that met a handover, and the others. */
export class Answers {
  readonly #asked: Span[] = [];
  /** One after the other. */
  readonly #handovers: Span[] = [];

  /** A request was answered at `atMs`, `ms` after it was due. */
  add(atMs: number, ms: number): void {
    this.#asked.push({ startMs: atMs - ms, endMs: atMs });
  }

  addHandover(startMs: number, endMs: number): void {
    this.#handovers.push({ startMs, endMs });
  }

  /** When all is answered: what waits the longest for a handover is answered long after it. */
  summary(): { meeting: LatencySummary; others: LatencySummary } {
    const [meeting, others] = [new Latencies(), new Latencies()];
    for (const asked of this.#asked) {
      const last = this.#handovers.findLast(({ startMs }) => startMs <= asked.endMs);
      const hasMet = last !== undefined && last.endMs >= asked.startMs;
      (hasMet ? meeting : others).record(asked.endMs - asked.startMs);
    }
    return { meeting: meeting.summary(), others: others.summary() };
  }
}
