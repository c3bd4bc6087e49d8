import { placePast } from '../../src/shard/loaded-world.ts';
import type { StateImage, WorldPast } from '../../src/shard/protocol.ts';
import type { ContactRecord } from '../../src/twin/contact-records.ts';
import { hashDigits } from '../../src/twin/hash-digits.ts';
import type { LivedJournal } from './lived-journal.ts';
import type { LeasedSlab } from './slab-pool.ts';

/** A state from which a world can be lived; `image` is absent at its beginning. */
export type Origin = Omit<WorldPast, 'changes'>;

const NO_RECORDS: readonly ContactRecord[] = [];

/** A slab in which a world is lived by its journal, which may grow meanwhile. */
export class JournalPlayer {
  readonly leased: LeasedSlab;
  readonly #journal: LivedJournal;
  #tick = 0;
  #seq = 0;

  /** Call `place` or `restore` before anything else. */
  constructor(leased: LeasedSlab, journal: LivedJournal) {
    this.leased = leased;
    this.#journal = journal;
  }

  get tick(): number {
    return this.#tick;
  }

  /** Number of the last change that is in the slab. */
  get seq(): number {
    return this.#seq;
  }

  /** Puts the beginning of what is known in the slab; the journal continues it. */
  place(origin: Origin): void {
    const { kernel, slab } = this.leased;
    placePast(kernel, slab, 0, origin);
    this.#begin(this.#journal.baseSeq);
  }

  restore({ bytes, seq }: StateImage): void {
    const { kernel, slab } = this.leased;
    kernel.restore(slab, bytes);
    this.#begin(seq);
  }

  #begin(seq: number): void {
    const { kernel, slab } = this.leased;
    this.#seq = seq;
    this.#tick = kernel.tick(slab);
    // Those of tick 0 apply at once: no step computes it.
    if (this.#tick === 0) this.#applyUpTo(0);
  }

  /**
   * Steps towards a later tick, by one tick at least. Stops at a change and at a contact. Returns the
   * records of the contacts and crash pulses.
   */
  step(target: number): readonly ContactRecord[] {
    this.#applyUpTo(this.#tick + 1);
    const change = this.#journal.after(this.#seq);
    const end = change === undefined ? target : Math.min(target, change.tick - 1);
    const { kernel, slab } = this.leased;
    const known = kernel.contactCount(slab);
    this.#tick += kernel.step(slab, end - this.#tick);
    return kernel.contactCount(slab) === known ? NO_RECORDS : kernel.records(slab, known);
  }

  stepTo(target: number): void {
    while (this.#tick < target) this.step(target);
  }

  /** A change takes effect in the step that computes its tick. */
  #applyUpTo(tick: number): void {
    const { kernel, slab } = this.leased;
    for (;;) {
      const change = this.#journal.after(this.#seq);
      if (change === undefined || change.tick > tick) return;
      kernel.apply(slab, change.tick, change.car, change.touched, change.values);
      this.#seq++;
    }
  }

  /** Of the whole state, 16 hexadecimal digits. */
  hash(): string {
    const { kernel, slab } = this.leased;
    return hashDigits(kernel.hash(slab));
  }

  image(): StateImage {
    const { kernel, slab } = this.leased;
    return { tick: this.#tick, seq: this.seq, bytes: kernel.image(slab) };
  }
}
