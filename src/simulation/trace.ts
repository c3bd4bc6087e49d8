/**
 * What happens in a run, as a hash and, if wanted, in words. Two runs of one seed have the same hash, in
 * whatever process.
 */
export class Trace {
  #high = 0x12345678;
  #low = 0x9abcdef0;
  readonly #nowMs: () => number;
  readonly #write: ((line: string) => void) | undefined;

  constructor(nowMs: () => number, write?: (line: string) => void) {
    this.#nowMs = nowMs;
    this.#write = write;
  }

  get isWritten(): boolean {
    return this.#write !== undefined;
  }

  note(what: string, ...details: readonly (string | number)[]): void {
    this.#add(Math.round(this.#nowMs() * 1000));
    this.#addText(what);
    for (const each of details) {
      if (typeof each === 'number') this.#add(each);
      else this.#addText(each);
    }
    this.say(what, ...details);
  }

  /** Words that do not count. */
  say(what: string, ...details: readonly (string | number)[]): void {
    this.#write?.(`${this.#nowMs().toFixed(3).padStart(10)} ${what} ${details.join(' ')}`);
  }

  #add(value: number): void {
    this.#low = Math.imul(this.#low ^ (value | 0), 0x85ebca6b);
    this.#low ^= this.#low >>> 13;
    this.#high = Math.imul(this.#high ^ this.#low ^ Math.floor(value / 2 ** 32), 0xc2b2ae35);
    this.#high ^= this.#high >>> 16;
  }

  #addText(text: string): void {
    for (let i = 0; i < text.length; i++) this.#add(text.charCodeAt(i));
  }

  /** Sixteen hexadecimal digits. */
  get hash(): string {
    const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0');
    return hex(this.#high) + hex(this.#low);
  }
}
