import { tooManyChanges } from './errors.ts';

/** Pieces of work that wait for others; further ones are refused. */
const WAITING_MAX = 512;

/**
 * Lets work on the same records go one after another, in the order of the calls. Work on other
 * records does not wait for it.
 */
export class RecordTurns {
  /** The end of the last turn, by record. */
  readonly #last = new Map<string, Promise<void>>();
  #waiting = 0;

  /**
   * Does the work once all earlier work on these records has ended. Throws DealerError 503 if too much
   * waits.
   */
  async take<T>(records: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const taken = new Set(records);
    const before = [...taken].flatMap((record) => this.#last.get(record) ?? []);
    if (before.length > 0 && this.#waiting >= WAITING_MAX) throw tooManyChanges();
    const turn = before.length > 0 ? this.#after(before, work) : work();
    const end = turn.then(ignore, ignore);
    for (const record of taken) this.#last.set(record, end);
    try {
      return await turn;
    } finally {
      for (const record of taken) {
        if (this.#last.get(record) === end) this.#last.delete(record);
      }
    }
  }

  async #after<T>(before: readonly Promise<void>[], work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    await Promise.all(before);
    this.#waiting--;
    return work();
  }
}

function ignore(): void {}
