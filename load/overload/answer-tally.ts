import { Latencies, type LatencySummary } from '../../bench/common/latencies.ts';
import type { Answer } from '../../bench/common/response-parser.ts';
import { KINDS, type Kind, type Mix } from './mix.ts';

const REFUSALS = [429, 503];
const RETRY_AFTER = /\r\nretry-after: [1-9]\d*(?:\r\n|$)/i;

/** What a load was answered. */
export interface Answers {
  /** Of accepted requests, by what they asked. */
  accepted: Record<Kind, LatencySummary>;
  refused: LatencySummary;
  /** Refusals that do not say when to come again. */
  withoutRetryAfter: number;
  /** Requests that were neither accepted nor refused: no answer, or another status. */
  failed: number;
}

/** Sorts answers. Times count from the moment at which a request was due. */
export class AnswerTally {
  readonly #mix: Mix;
  readonly #accepted = {
    state: new Latencies(),
    vehicle: new Latencies(),
    change: new Latencies(),
  };
  readonly #refused = new Latencies();
  #withoutRetryAfter = 0;
  #failed = 0;

  constructor(mix: Mix) {
    this.#mix = mix;
  }

  add(index: number, answer: Answer | undefined, tookMs: number): void {
    if (answer && answer.status < 400) {
      this.#accepted[this.#mix.kindOf(index)].record(tookMs);
    } else if (answer && REFUSALS.includes(answer.status)) {
      this.#refused.record(tookMs);
      if (!RETRY_AFTER.test(answer.head)) this.#withoutRetryAfter += 1;
    } else {
      this.#failed += 1;
    }
  }

  summary(): Answers {
    const summaries = KINDS.map((kind) => [kind, this.#accepted[kind].summary()] as const);
    return {
      accepted: Object.fromEntries(summaries) as Record<Kind, LatencySummary>,
      refused: this.#refused.summary(),
      withoutRetryAfter: this.#withoutRetryAfter,
      failed: this.#failed,
    };
  }
}
