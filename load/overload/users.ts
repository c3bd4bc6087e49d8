import { HttpPool } from '../../bench/common/http-pool.ts';
import { closedLoop, type LoopResult, openLoop, type Sender } from '../../bench/common/loops.ts';
import { progress } from '../../bench/common/progress.ts';
import type { Server } from '../../bench/common/server.ts';
import { type Answers, AnswerTally } from './answer-tally.ts';
import type { Mix } from './mix.ts';

/**
 * From so many addresses they come: an address has a share of each turn of the event loop. The mix
 * repeats after ten requests: so each address asks all kinds.
 */
const ADDRESSES = 13;
/** So many ask at the same time to find the highest rate: no more than a node lets wait. */
const SATURATION = { width: 128, count: Number.POSITIVE_INFINITY, seconds: 10 };
const RECOVERY_S_MAX = 20;
/** A second is as before if its p99 is at most so many times as high. */
const AS_BEFORE_RATIO = 2;

/** What a load was answered, and how it was sent. */
export type Asked = Omit<LoopResult, 'failed'> & Answers & { failures: LoopResult['failed'] };

/** Users of a node, who ask the requests of a mix one after the other. */
export class Users {
  readonly #mix: Mix;
  readonly #pools: readonly HttpPool[];
  #asked = 0;

  static async connect({ url }: Server, mix: Mix, connections: number): Promise<Users> {
    const each = Math.ceil(connections / ADDRESSES);
    const opening = Array.from({ length: ADDRESSES }, (_, i) =>
      HttpPool.open(url, each, `127.1.0.${i + 1}`),
    );
    return new Users(mix, await Promise.all(opening));
  }

  private constructor(mix: Mix, pools: readonly HttpPool[]) {
    this.#mix = mix;
    this.#pools = pools;
  }

  /** The most that they are answered if each waits for an answer before it asks again. */
  saturate(): Promise<LoopResult> {
    const request = (index: number) => this.#mix.request(index);
    return closedLoop(this.#sender(), { ...SATURATION, request });
  }

  /** Ask at a rate, however long the answers take. */
  async ask(ratePerS: number, seconds: number): Promise<Asked> {
    const tally = new AnswerTally(this.#mix);
    const from = this.#asked;
    this.#asked += Math.round(ratePerS * seconds);
    let answered = 0;
    const stopProgress = progress(() => `${answered} answered, ${ratePerS}/s asked`);
    const { failed: failures, ...result } = await openLoop(this.#sender(), {
      ratePerS,
      seconds,
      request: (index) => this.#mix.request(from + index),
      answered: (index, answer, tookMs) => {
        answered += 1;
        tally.add(from + index, answer, tookMs);
      },
    });
    stopProgress();
    return { ...result, ...tally.summary(), failures };
  }

  /** Seconds until a second passes as it did without load. */
  async recover(ratePerS: number, p99Ms: number): Promise<number> {
    for (let seconds = 0; seconds < RECOVERY_S_MAX; seconds += 1) {
      const { latency, refused, failed } = await this.ask(ratePerS, 1);
      if (failed + refused.count === 0 && latency.p99Ms <= AS_BEFORE_RATIO * p99Ms) return seconds;
    }
    return RECOVERY_S_MAX;
  }

  leave(): void {
    for (const pool of this.#pools) pool.close();
  }

  #sender(): Sender {
    let next = 0;
    return {
      send: (request, answered) => {
        const pool = this.#pools[next++ % this.#pools.length] as HttpPool;
        pool.send(request, answered);
      },
    };
  }
}
