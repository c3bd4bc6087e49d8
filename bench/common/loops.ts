import { systemTime } from '../../src/time.ts';
import { HttpPool } from './http-pool.ts';
import { Latencies } from './latencies.ts';
import type { Answer } from './response-parser.ts';

interface Plan {
  request(index: number): Buffer;
  /** `tookMs`: since the moment at which the request was due. */
  answered?(index: number, answer: Answer | undefined, tookMs: number): void;
}

/** What a loop needs of a pool. */
export type Sender = Pick<HttpPool, 'send'>;

/** Answers that come later than this after the last request count as missing. */
const LAST_ANSWERS_MS = 10_000;
const PACE_MS = 1;

/** Sends requests and counts answers, for both kinds of loop. */
class Tally {
  sent = 0;
  underWay = 0;
  #ok = 0;
  readonly #failed: Record<string, number> = {};
  readonly #latencies = new Latencies();
  readonly #sendDelays = new Latencies();
  readonly #pool: Sender;
  readonly #plan: Plan;
  readonly #startMs = systemTime.now();

  constructor(pool: Sender, plan: Plan) {
    this.#pool = pool;
    this.#plan = plan;
  }

  /** Sends the next request, which was due at `intendedMs`. */
  send(intendedMs: number, then: () => void = () => {}): void {
    const index = this.sent;
    this.sent += 1;
    this.underWay += 1;
    this.#sendDelays.record(systemTime.now() - intendedMs);
    this.#pool.send(this.#plan.request(index), (answer) => {
      const tookMs = systemTime.now() - intendedMs;
      this.underWay -= 1;
      this.#count(answer, tookMs);
      this.#plan.answered?.(index, answer, tookMs);
      then();
    });
  }

  async finish() {
    const seconds = (systemTime.now() - this.#startMs) / 1000;
    const deadlineMs = systemTime.now() + LAST_ANSWERS_MS;
    while (this.underWay > 0 && systemTime.now() < deadlineMs) await systemTime.sleep(5);
    if (this.underWay > 0) this.#failed.unanswered = this.underWay;
    return {
      seconds,
      sent: this.sent,
      /** Answered with a status below 400. */
      ok: this.#ok,
      okPerS: this.#ok / seconds,
      /** By status, and `lost`: the connection ended, `unanswered`: the run ended. */
      failed: this.#failed,
      /** Of successful requests, from the moment at which they were due. */
      latency: this.#latencies.summary(),
      /** How late this process sent them. */
      sendDelay: this.#sendDelays.summary(),
    };
  }

  #count(answer: Answer | undefined, tookMs: number): void {
    if (answer && answer.status < 400) {
      this.#ok += 1;
      this.#latencies.record(tookMs);
    } else {
      const reason = answer?.status ?? 'lost';
      this.#failed[reason] = (this.#failed[reason] ?? 0) + 1;
    }
  }
}

/** Result of a run of requests. */
export type LoopResult = Awaited<ReturnType<Tally['finish']>>;

/**
 * Open model: sends at a fixed rate, whatever the answers do. Latency counts from the moment at which
 * a request was due, so a stall of the server shows in every request that it delays. Ends after
 * `seconds`, or when `signal` is aborted.
 */
export async function openLoop(
  pool: Sender,
  { ratePerS, seconds, ...plan }: Plan & { ratePerS: number; seconds: number },
  signal?: AbortSignal,
): Promise<LoopResult> {
  const tally = new Tally(pool, plan);
  const startMs = systemTime.now();
  const total = Math.round(ratePerS * seconds);
  while (tally.sent < total && !signal?.aborted) {
    const due = Math.min(total, Math.floor(((systemTime.now() - startMs) / 1000) * ratePerS) + 1);
    while (tally.sent < due) tally.send(startMs + (tally.sent / ratePerS) * 1000);
    await systemTime.sleep(PACE_MS);
  }
  return tally.finish();
}

/**
 * Closed model: each of `width` senders waits for its answer before it sends again. Measures the
 * highest rate, not the latency under a given load. Ends after `count` requests or `seconds`.
 */
export async function closedLoop(
  pool: Sender,
  { width, count, seconds, ...plan }: Plan & { width: number; count: number; seconds: number },
): Promise<LoopResult> {
  const tally = new Tally(pool, plan);
  const endMs = systemTime.now() + seconds * 1000;
  const next = (): void => {
    const nowMs = systemTime.now();
    if (tally.sent < count && nowMs < endMs) tally.send(nowMs, next);
    else allSent.resolve();
  };
  const allSent = Promise.withResolvers<void>();
  // Answers may never come, so the time ends the run as well.
  const stopTimer = systemTime.after(seconds * 1000, allSent.resolve);
  for (let i = 0; i < width; i += 1) next();
  await allSent.promise;
  stopTimer();
  return tally.finish();
}

/**
 * A closed loop over `width` connections of its own, which tells how much a server can do. Throws
 * where a request failed.
 */
export async function saturate(
  url: URL,
  { width, seconds, requests }: { width: number; seconds: number; requests: readonly Buffer[] },
): Promise<LoopResult> {
  const pool = await HttpPool.open(url, width);
  const request = (index: number) => requests[index % requests.length] as Buffer;
  const count = Number.POSITIVE_INFINITY;
  const result = await closedLoop(pool, { width, count, seconds, request });
  pool.close();
  if (Object.keys(result.failed).length > 0) throw new Error(formatFailures(result.failed));
  return result;
}

/** `12 × 503, 1 × lost`, or `none`. */
export function formatFailures(failed: Readonly<Record<string, number>>): string {
  const parts = Object.entries(failed).map(([reason, count]) => `${count} × ${reason}`);
  return parts.length > 0 ? parts.join(', ') : 'none';
}
