import type { NumberedChange } from './journal.ts';
import type { WorldStart } from './lockstep.ts';

/**
 * A rolling hash of 64 bits: of the seed and the start of a world, and of each change after it, in order.
 * It finds faults, such as a lost or a repeated change; it is no protection against forgery. The two words
 * are mixed as in the finalizer of MurmurHash3.
 */
export class JournalHash {
  #high: number;
  #low: number;

  private constructor(high: number, low: number) {
    this.#high = high;
    this.#low = low;
  }

  /** Before any change. */
  static ofStart(seed: number, { tick, seq, masks }: WorldStart): JournalHash {
    const hash = new JournalHash(0x9e3779b9, 0x7f4a7c15);
    hash.#mix([seed, tick, seq, ...masks]);
    return hash;
  }

  /** Undefined if a text is no hash. */
  static parse(text: string): JournalHash | undefined {
    if (!/^[0-9a-f]{16}$/.test(text)) return undefined;
    return new JournalHash(
      Number.parseInt(text.slice(0, 8), 16),
      Number.parseInt(text.slice(8), 16),
    );
  }

  copy(): JournalHash {
    return new JournalHash(this.#high, this.#low);
  }

  /** The next change. */
  add({ seq, tick, car, touched, values }: NumberedChange): void {
    this.#mix([seq, tick, car, touched, values]);
  }

  /** The next changes, as consecutive integers in the order of the fields above. */
  addPacked(changes: Int32Array): void {
    this.#mix(changes);
  }

  /** Both words are kept to 32 bits in variables: in fields a long journal takes three times as long. */
  #mix(words: ArrayLike<number>): void {
    let [high, low] = [this.#high, this.#low];
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? 0;
      const mixed = Math.imul(high ^ word, 0x85ebca6b);
      high = ((mixed ^ (mixed >>> 13)) + low) | 0;
      low = Math.imul(low ^ word ^ high, 0xc2b2ae35);
      low ^= low >>> 16;
    }
    this.#high = high;
    this.#low = low;
  }

  /** 16 hexadecimal digits. */
  toString(): string {
    return digits(this.#high) + digits(this.#low);
  }
}

function digits(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
