import type { NumberedChange } from '../../src/twin/journal.ts';

/** A change does not follow the ones before it: the journal must be read anew. */
export class JournalGap extends Error {
  override readonly name = 'JournalGap';
}

/** The changes of a world that come after a base, in order of number and of tick. */
export class LivedJournal {
  #baseSeq: number;
  #changes: NumberedChange[] = [];

  constructor(baseSeq: number, changes: readonly NumberedChange[] = []) {
    this.#baseSeq = baseSeq;
    this.add(changes);
  }

  /** Number of the last change before the base. */
  get baseSeq(): number {
    return this.#baseSeq;
  }

  get changes(): readonly NumberedChange[] {
    return this.#changes;
  }

  /** All changes of the world. Throws Error if some lie before the base. */
  get whole(): readonly NumberedChange[] {
    if (this.#baseSeq > 0) throw new Error(`changes 1 to ${this.#baseSeq} are not known here`);
    return this.#changes;
  }

  get seq(): number {
    return this.baseSeq + this.#changes.length;
  }

  get lastTick(): number {
    return this.#changes.at(-1)?.tick ?? 0;
  }

  /**
   * Adds those that are not known, and returns them. Throws JournalGap, and adds none, if one of them does
   * not come next, or is not after a tick. At tick 0 changes apply as well.
   */
  add(changes: readonly NumberedChange[], afterTick = 0): readonly NumberedChange[] {
    const added = changes.filter(({ seq }) => seq > this.seq);
    let last = { seq: this.seq, tick: Math.max(this.lastTick, afterTick > 0 ? afterTick + 1 : 0) };
    for (const change of added) {
      const { seq, tick } = change;
      if (seq !== last.seq + 1) throw new JournalGap(`change ${seq} came after ${last.seq}`);
      if (tick < last.tick) throw new JournalGap(`change ${seq} is of tick ${tick}: too early`);
      last = change;
    }
    this.#changes.push(...added);
    return added;
  }

  /** The change after one of a number; undefined if it has not come yet. */
  after(seq: number): NumberedChange | undefined {
    return this.#changes[seq - this.#baseSeq];
  }

  /** Sets the base back: the other journal ends where this one begins. */
  prepend(earlier: LivedJournal): void {
    if (earlier.seq !== this.#baseSeq)
      throw new JournalGap(`${earlier.seq} is not the last before`);
    this.#changes = [...earlier.changes, ...this.#changes];
    this.#baseSeq = earlier.baseSeq;
  }

  /** As it was at a tick. */
  upTo(tick: number): LivedJournal {
    return new LivedJournal(
      this.baseSeq,
      this.#changes.filter((change) => change.tick <= tick),
    );
  }
}
