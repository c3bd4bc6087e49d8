import type { RateLimits } from '../server/rate-limits.ts';

export type WorkLimits = Pick<RateLimits, 'work' | 'accountWork'>;

/** Pays for the work of one call: its address does, and its account where there is one. */
export class Payer {
  readonly #limits: WorkLimits;
  readonly #addressKey: string;
  #accountId: string | undefined;
  #paidUs = 0;

  constructor(limits: WorkLimits, addressKey: string) {
    this.#limits = limits;
    this.#addressKey = addressKey;
  }

  /** Pays before work. Throws TwinError `rate_limited` if a budget has too little left. */
  pay(us: number): void {
    if (us === 0) return;
    if (this.#accountId !== undefined) this.#limits.accountWork?.takeUpToBurst(this.#accountId, us);
    this.#limits.work?.takeUpToBurst(this.#addressKey, us);
    this.#paidUs += us;
  }

  /** Pays after work whose size was not known before, even if a budget has too little left. */
  owe(us: number): void {
    if (this.#accountId !== undefined) this.#limits.accountWork?.spend(this.#accountId, us);
    this.#limits.work?.spend(this.#addressKey, us);
    this.#paidUs += us;
  }

  /** From now on this account pays as well, and what was paid until now. */
  join(accountId: string): void {
    this.#accountId = accountId;
    if (this.#paidUs > 0) this.#limits.accountWork?.spend(accountId, this.#paidUs);
  }
}
