import { TwinError } from '../../errors.ts';
import type { Time } from '../../time.ts';
import { FairTurns } from '../server/fair-turns.ts';

/** Processor time of the calls that begin in a turn before others have to wait. */
const US_PER_TURN = 4000;
/** Calls of an address that wait: a tenth of a second of the main thread. */
const WAITING_MAX = 1024;

/**
 * Distributes the calls of a node over turns of the event loop. One takes as long as some five reads
 * of the twin, and a turn may bring hundreds. So a turn has room for some. Those beyond it wait for
 * the next turns, and addresses take turns.
 */
export class CallTurns {
  readonly #turns: FairTurns;

  constructor(time: Pick<Time, 'immediate'>) {
    this.#turns = new FairTurns(time);
  }

  /**
   * Undefined if a call may begin at once; otherwise the promise resolves when it is its turn. Throws
   * TwinError `rate_limited` if too many of the address wait.
   * @param us processor time that the call takes of the turn
   */
  enter(addressKey: () => string, us: number): Promise<void> | undefined {
    const share = us / US_PER_TURN;
    if (this.#turns.take(share)) return undefined;
    const key = addressKey();
    if (this.#turns.waitingOf(key) >= WAITING_MAX) {
      throw new TwinError(
        'rate_limited',
        'Too many calls at the same time: wait for their answers.',
      );
    }
    return this.#turns.next(key, share);
  }
}
