import { TwinError } from '../../errors.ts';

/** Counts what is open by address: streams, answers in pieces, living worlds. It is as large as what it counts. */
export class OpenCount {
  readonly #max: number;
  readonly #hint: string;
  readonly #nodeCount: (() => number) | undefined;
  readonly #open = new Map<string, number>();

  /**
   * @param hint what to do when there are too many
   * @param nodeCount among how many nodes the maximum is divided; undefined: this one only
   */
  constructor(max: number, hint = 'Close other streams first.', nodeCount?: () => number) {
    this.#max = max;
    this.#hint = hint;
    this.#nodeCount = nodeCount;
  }

  /** Throws TwinError `rate_limited` if the key has its maximum open. */
  enter(key: string): void {
    const open = this.#open.get(key) ?? 0;
    const max = Math.ceil(this.#max / Math.max(1, this.#nodeCount?.() ?? 1));
    if (open >= max) throw new TwinError('rate_limited', this.#hint);
    this.#open.set(key, open + 1);
  }

  leave(key: string): void {
    const open = (this.#open.get(key) ?? 0) - 1;
    if (open > 0) this.#open.set(key, open);
    else this.#open.delete(key);
  }
}
