import type { Time } from '../../time.ts';

/** A healthy client sends three pongs a second; after a pause it may send ten at once. */
const MESSAGES_PER_S_MAX = 300;

/**
 * Counts the messages of clients of streams. Clients have no reason to send more than pongs. The
 * library processes hundreds of thousands of small messages in one turn of the event loop. The pieces
 * of a message that never ends are not seen here: docs/operating.md says what keeps those at bay.
 */
export class MessageRate {
  readonly #time: Time;
  /** Number of messages in the current second. */
  readonly #counts = new WeakMap<object, { second: number; count: number }>();

  constructor(time: Time) {
    this.#time = time;
  }

  /** Counts a message; returns whether its sender has sent too many. */
  isTooHigh(session: object): boolean {
    const second = Math.floor(this.#time.now() / 1000);
    const counted = this.#counts.get(session);
    if (counted?.second === second) return ++counted.count > MESSAGES_PER_S_MAX;
    this.#counts.set(session, { second, count: 1 });
    return false;
  }
}
