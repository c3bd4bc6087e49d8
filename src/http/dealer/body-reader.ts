import { DealerError } from '../../dealer/errors.ts';
import { type BodyThread, isLargeBody } from '../server/body-thread.ts';
import { type Given, type Parsed, readBody } from './body.ts';

/** Reads the bodies of the dealer platform: large ones in the thread. */
export class BodyReader {
  readonly #thread: BodyThread;

  constructor(thread: BodyThread) {
    this.#thread = thread;
  }

  /**
   * As `readBody`, but what nests in a large body is empty. Of such a body it also throws what the
   * thread throws.
   * @param given its body is detached if it is large
   */
  async read(given: Given, addressKey: () => string): Promise<unknown> {
    if (!isLargeBody(given.body)) return readBody(given);
    const parsed = await this.#thread.run<Parsed>(addressKey(), 'dealerBody', given);
    if ('value' in parsed) return parsed.value;
    throw new DealerError(parsed.refusal.status, parsed.refusal.detail);
  }
}
