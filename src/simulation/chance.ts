import type { Random } from '../random.ts';

/** All chance of a run comes from its seed (sfc32 by Chris Doty-Humphrey, PractRand). */
export class Chance implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** `stream`: chance of one purpose does not shift that of another. */
  constructor(seed: number, stream: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    this.#c = stream | 0;
    for (let i = 0; i < 12; i++) this.#next();
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A number from 0, below 1. */
  share(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.share() * end);
  }

  between(from: number, to: number): number {
    return from + this.share() * (to - from);
  }

  happens(probability: number): boolean {
    return this.share() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from');
    return list[this.below(list.length)] as T;
  }

  bytes(count: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length: count }, () => this.#next() & 255);
  }
}
