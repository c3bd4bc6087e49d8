import type { Time } from '../../time.ts';
import { FairTurns } from './fair-turns.ts';
import { PRICES_US } from './prices.ts';
import type { RateLimits } from './rate-limits.ts';

/** A longer answer is large. */
export const LARGE_BYTES = 64 * 1024;
/** Bytes of large answers that are sent in a turn before others have to wait: half a millisecond. */
const BYTES_PER_TURN = 1024 * 1024;
const KIB = 1024;

/** The part of an exchange that is needed to send a large answer. */
interface LargeExchange {
  readonly isOpen: boolean;
  readonly method: string;
  addressKey(): string;
}

/**
 * Sends the large answers of a node that are kept in memory, such as maps and files. To copy one into
 * the buffers of the operating system takes as long as some ten other requests, and a thousand clients
 * may ask for one in the same turn of the event loop. So a turn has room for a few. Those beyond it
 * wait and get a turn each, and addresses take turns.
 */
export class LargeAnswers {
  readonly #turns: FairTurns;
  readonly #time: Pick<Time, 'immediate'>;
  readonly #work: RateLimits['work'];
  #bytesOfTurn = 0;
  #waitingCount = 0;

  constructor(time: Pick<Time, 'immediate'>, work: RateLimits['work']) {
    this.#turns = new FairTurns(time);
    this.#time = time;
    this.#work = work;
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
    this.#work?.takeUpToBurst(key, (PRICES_US.sentKib * bytes) / KIB);
    if (!this.#takeRoom(bytes)) {
      await this.#wait(key);
      if (!exchange.isOpen) return;
    }
    answer();
  }

  #takeRoom(bytes: number): boolean {
    if (this.#waitingCount > 0 || this.#bytesOfTurn >= BYTES_PER_TURN) return false;
    if (this.#bytesOfTurn === 0) {
      this.#time.immediate(() => {
        this.#bytesOfTurn = 0;
      });
    }
    this.#bytesOfTurn += bytes;
    return true;
  }

  async #wait(key: string): Promise<void> {
    this.#waitingCount++;
    await this.#turns.next(key);
    this.#waitingCount--;
  }
}
