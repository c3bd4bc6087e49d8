import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

export interface TokenWatchParts {
  /** Virtual time. */
  nowMs: () => number;
  trace: Trace;
  failed: (error: unknown) => void;
  /** A token is over. */
  ended: () => void;
}

/** What a client asks of the dealer platform. */
export interface DealerCall {
  /** It calls with this token; undefined: with none. */
  token?: string | undefined;
  /** Once it is answered, these are over. */
  ends?: readonly string[];
}

/** Sees which tokens of the dealer platform are over, and that no node accepts these any more. */
export class TokenWatch {
  readonly #parts: TokenWatchParts;
  /** By the name of the request. */
  readonly #asked = new Map<string, DealerCall & { sinceMs: number }>();
  /** By token: when the answer was given that it is over. */
  readonly #over = new Map<string, number>();
  #lostMs = Number.NEGATIVE_INFINITY;

  constructor(parts: TokenWatchParts) {
    this.#parts = parts;
  }

  asks(request: string, call: DealerCall): void {
    this.#asked.set(request, { ...call, sinceMs: this.#parts.nowMs() });
  }

  /** A process does what it was asked for, for whoever has the token of the request. */
  accepted(by: string, request: string): void {
    const { token = '', sinceMs = 0 } = this.#asked.get(request) ?? {};
    const overMs = this.#over.get(token);
    if (overMs === undefined || overMs >= sinceMs) return;
    const agoMs = Math.round(sinceMs - overMs);
    const what = `${by} accepts the token of ${request}, asked ${agoMs} ms after it was over`;
    this.#parts.failed(new Violation('I12', what));
  }

  /** A process has done what it was asked for. */
  done(by: string, request: string): void {
    const { ends = [], sinceMs = 0 } = this.#asked.get(request) ?? {};
    this.#parts.trace.note('done', by, request, ends.length);
    // What was done may be lost, with the last writes of the store.
    if (sinceMs <= this.#lostMs) return;
    for (const token of ends) {
      this.#over.set(token, this.#parts.nowMs());
      this.#parts.ended();
    }
  }

  /** The store has lost its last writes: tokens that were over may be valid again. */
  lostTail(): void {
    this.#over.clear();
    this.#lostMs = this.#parts.nowMs();
  }
}
