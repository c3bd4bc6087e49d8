import type { Time } from '../../time.ts';
import { FairTurns } from './fair-turns.ts';
import { PRICES_US } from './prices.ts';
import type { RateLimits } from './rate-limits.ts';

/** A longer answer is large. */
const LARGE_BYTES = 64 * 1024;
/** Bytes of large answers that are sent in a turn before others have to wait: 4 ms. */
const BYTES_PER_TURN = 16 * 1024 * 1024;
const KIB = 1024;
/** One of so many is paid, for all of them: to pay takes a twentieth of the time of a map. */
const PAID_ONE_OF = 8;

/** The part of an exchange that is needed to send a large answer. */
interface LargeExchange {
  readonly isOpen: boolean;
  readonly method: string;
  addressKey(): string;
}

/**
 * Sends the large answers of a node that are kept in memory, such as maps and files. To copy one into
 * the buffers of the operating system takes as long as some ten other requests, and a thousand clients
 * may ask for one in the same turn of the event loop. So a turn has room for some. Those beyond it
 * wait for the next turns, and addresses take turns.
 */
export class LargeAnswers {
  readonly #turns: FairTurns;
  readonly #work: RateLimits['work'];
  #count = 0;

  constructor(time: Pick<Time, 'immediate'>, work: RateLimits['work']) {
    this.#turns = new FairTurns(time);
    this.#work = work;
  }

  /** Whether an answer may be sent at once. Where not, `send` has to be called for it. */
  isFree(bytes: number): boolean {
    if (bytes <= LARGE_BYTES) return true;
    this.#count++;
    return !this.#isPaid && this.#turns.take(bytes / BYTES_PER_TURN);
  }

  get #isPaid(): boolean {
    return this.#count % PAID_ONE_OF === 0;
  }

  /**
   * Calls `answer` at once where there is room, else when it is its turn, unless the client is gone
   * then. Rejects with TwinError `rate_limited` if the address cannot pay.
   */
  async send(exchange: LargeExchange, bytes: number, answer: () => void): Promise<void> {
    if (!exchange.isOpen) return;
    // Its body is not sent.
    if (exchange.method === 'HEAD') return answer();
    const key = exchange.addressKey();
    if (this.#isPaid) {
      this.#work?.takeUpToBurst(key, (PAID_ONE_OF * PRICES_US.sentKib * bytes) / KIB);
    }
    const share = bytes / BYTES_PER_TURN;
    if (!this.#turns.take(share)) {
      await this.#turns.next(key, share);
      if (!exchange.isOpen) return;
    }
    answer();
  }
}
