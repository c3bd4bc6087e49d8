/**
 * Lets work on the same records go one after another, in the order of the calls. Work on other
 * records does not wait for it.
 */
export class RecordTurns {
  /** The end of the last turn, by record. */
  readonly #last = new Map<string, Promise<void>>();
  /** Pieces of work that wait or are under way. */
  count = 0;

  /** Does the work once all earlier work on these records has ended. */
  async take<T>(records: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const taken = new Set(records);
    const turn = Promise.all([...taken].map((record) => this.#last.get(record))).then(work);
    const end = turn.then(ignore, ignore);
    for (const record of taken) this.#last.set(record, end);
    this.count++;
    try {
      return await turn;
    } finally {
      this.count--;
      for (const record of taken) {
        if (this.#last.get(record) === end) this.#last.delete(record);
      }
    }
  }
}

function ignore(): void {}
