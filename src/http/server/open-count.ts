import { TwinError } from '../../errors.ts';

/** Counts open streams by address. The number of sockets of the process limits its size. */
export class OpenCount {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws TwinError `rate_limited` if the key has its maximum open. */
  enter(key: string): void {
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#max) throw new TwinError('rate_limited', 'Close other streams first.');
    this.#open.set(key, open + 1);
  }

  leave(key: string): void {
    const open = (this.#open.get(key) ?? 0) - 1;
    if (open > 0) this.#open.set(key, open);
    else this.#open.delete(key);
  }
}
