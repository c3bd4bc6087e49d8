import { HttpPool } from '../../bench/common/http-pool.ts';
import { type LoopResult, openLoop, type Sender } from '../../bench/common/loops.ts';
import { progress } from '../../bench/common/progress.ts';
import type { Answer } from '../../bench/common/response-parser.ts';
import type { Server } from '../../bench/common/server.ts';
import { systemTime } from '../../src/time.ts';
import { type Answers, AnswerTally } from './answer-tally.ts';
import type { Mix } from './mix.ts';

/**
 * From so many addresses they come: an address has a share of each turn of the event loop. The mix
 * repeats after ten requests: so each address asks all kinds.
 */
const ADDRESSES = 13;
/** The search for the highest rate: it is raised by this factor until no more are accepted. */
const FIRST_RATE_PER_S = 4000;
const RAISE = 1.4;
const GAIN_MIN = 1.05;
const STEP_SECONDS = 4;
const PAUSE_MS = 1000;
const RECOVERY_S_MAX = 20;
/** A second is as before if its p99 is at most so many times as high. */
const AS_BEFORE_RATIO = 2;

/** What a load was answered, and how it was sent. `okPerS`: of answers that came while it was sent. */
export type Asked = Omit<LoopResult, 'failed'> &
  Answers & {
    failures: LoopResult['failed'];
    /** Requests that found every connection waiting for an answer. */
    unsent: number;
  };

/** Users of a node, who ask the requests of a mix one after the other. */
export class Users {
  readonly #mix: Mix;
  readonly #pools: readonly HttpPool[];
  readonly #connectionsEach: number;
  #asked = 0;

  static async connect({ url }: Server, mix: Mix, connections: number): Promise<Users> {
    const each = Math.ceil(connections / ADDRESSES);
    const opening = Array.from({ length: ADDRESSES }, (_, i) =>
      HttpPool.open(url, each, `127.1.0.${i + 1}`),
    );
    return new Users(mix, await Promise.all(opening), each);
  }

  private constructor(mix: Mix, pools: readonly HttpPool[], connectionsEach: number) {
    this.#mix = mix;
    this.#connectionsEach = connectionsEach;
    this.#pools = pools;
  }

  /** The highest rate at which they are accepted. */
  async highestRate(): Promise<number> {
    let highest = 0;
    for (let ratePerS = FIRST_RATE_PER_S; ; ratePerS = Math.round(ratePerS * RAISE)) {
      const { okPerS } = await this.ask(ratePerS, STEP_SECONDS);
      console.log(`${Math.round(okPerS)} of ${ratePerS} a second are accepted`);
      if (okPerS < highest * GAIN_MIN) return Math.max(highest, okPerS);
      highest = okPerS;
      await systemTime.sleep(PAUSE_MS);
    }
  }

  /** Ask at a rate, however long the answers take. */
  async ask(ratePerS: number, seconds: number): Promise<Asked> {
    const tally = new AnswerTally(this.#mix);
    const from = this.#asked;
    this.#asked += Math.round(ratePerS * seconds);
    let answered = 0;
    let acceptedInTime = 0;
    const endMs = systemTime.now() + 1000 * seconds;
    const stopProgress = progress(() => `${answered} answered, ${ratePerS}/s asked`);
    const sender = this.#sender();
    const { failed: reasons, ...result } = await openLoop(sender, {
      ratePerS,
      seconds,
      request: (index) => this.#mix.request(from + index),
      answered: (index, answer, tookMs) => {
        answered += 1;
        if (answer && answer.status < 400 && systemTime.now() <= endMs) acceptedInTime += 1;
        tally.add(from + index, answer, tookMs);
      },
    });
    stopProgress();
    const okPerS = acceptedInTime / seconds;
    const { unsent } = sender;
    const { lost = 0, ...others } = reasons;
    const failures = lost > unsent ? { ...others, lost: lost - unsent } : others;
    const answers = tally.summary();
    return { ...result, ...answers, failed: answers.failed - unsent, okPerS, failures, unsent };
  }

  /** Seconds until a second passes as it did without load. */
  async recover(ratePerS: number, p99Ms: number): Promise<number> {
    for (let seconds = 0; seconds < RECOVERY_S_MAX; seconds += 1) {
      const { latency, refused, failed, unsent } = await this.ask(ratePerS, 1);
      if (failed + unsent + refused.count === 0 && latency.p99Ms <= AS_BEFORE_RATIO * p99Ms)
        return seconds;
    }
    return RECOVERY_S_MAX;
  }

  leave(): void {
    for (const pool of this.#pools) pool.close();
  }

  /** Sends on a free connection, of one address after the other. */
  #sender(): Sender & { unsent: number } {
    const free = this.#pools.map((pool) => ({ pool, connections: this.#connectionsEach }));
    let next = 0;
    const sender = {
      unsent: 0,
      send: (request: Buffer, answered: (answer: Answer | undefined) => void) => {
        next += 1;
        const ofTurn = free[next % free.length];
        const place =
          ofTurn && ofTurn.connections > 0 ? ofTurn : free.find((each) => each.connections > 0);
        if (place === undefined) {
          sender.unsent += 1;
          answered(undefined);
          return;
        }
        place.connections -= 1;
        place.pool.send(request, (answer) => {
          place.connections += 1;
          answered(answer);
        });
      },
    };
    return sender;
  }
}
