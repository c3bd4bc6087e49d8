import { conflict } from './errors.ts';

/** Bounds the number of items of each of several holders, such as the cars of each fleet. */
export class Quotas {
  readonly #max: number;
  readonly #refusal: string;
  /** Items that changes under way will add, by holder. */
  readonly #reserved = new Map<string, number>();

  /** @param refusal detail of the 409 */
  constructor(max: number, refusal: string) {
    this.#max = max;
    this.#refusal = refusal;
  }

  /** A reservation for one change, which makes it in its transaction and releases it when it ends. */
  reservation(): Reservation {
    return new Reservation(this);
  }

  /** Use `Reservation.reserve`. */
  add(holder: string, count: number): void {
    const reserved = this.#reserved.get(holder) ?? 0;
    if (count + reserved >= this.#max) throw conflict(this.#refusal);
    this.#reserved.set(holder, reserved + 1);
  }

  /** Use `Reservation.release`. */
  subtract(holder: string): void {
    const left = (this.#reserved.get(holder) ?? 0) - 1;
    if (left > 0) this.#reserved.set(holder, left);
    else this.#reserved.delete(holder);
  }
}

/** One item that is reserved from the check until the records count it. */
export class Reservation {
  readonly #quotas: Quotas;
  #holder: string | undefined;

  /** Use `Quotas.reservation`. */
  constructor(quotas: Quotas) {
    this.#quotas = quotas;
  }

  /**
   * Reserves an item; a transaction that is repeated reserves it again. Throws DealerError 409 if the
   * quota is used up.
   * @param count items of the holder that the records count
   */
  reserve(holder: string, count: number): void {
    this.release();
    this.#quotas.add(holder, count);
    this.#holder = holder;
  }

  release(): void {
    if (this.#holder !== undefined) this.#quotas.subtract(this.#holder);
    this.#holder = undefined;
  }
}
