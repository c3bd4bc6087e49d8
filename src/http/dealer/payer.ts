import type { TokenBuckets } from '../../token-buckets.ts';
import { PRICES_US } from '../server/prices.ts';
import type { RateLimits } from '../server/rate-limits.ts';
import type { Header } from '../server/reply.ts';

type WorkLimits = Pick<RateLimits, 'work' | 'accountWork'>;

/** Pays for the work of one call: its address does, and its account where there is one. */
export class Payer {
  /** The RateLimit headers of a call that was refused. */
  headers: readonly Header[] = [];
  readonly #limits: WorkLimits;
  readonly #addressKey: () => string;
  #accountId: string | undefined;
  #paidUs = 0;

  constructor(limits: WorkLimits, addressKey: () => string) {
    this.#limits = limits;
    this.#addressKey = addressKey;
  }

  /** Pays before work. Throws TwinError `rate_limited` if a budget has too little left. */
  pay(us: number): void {
    if (us === 0) return;
    const { work, accountWork } = this.#limits;
    const key = this.#addressKey();
    // If the address cannot pay, the account pays nothing.
    const affords = work?.affords(key, us) ?? true;
    if (affords && this.#accountId !== undefined) this.#take(accountWork, this.#accountId, us);
    this.#take(work, key, us);
    this.#paidUs += us;
  }

  /** Pays for work that is done: whoever cannot pay it waits before the next. */
  spend(us: number): void {
    const { work, accountWork } = this.#limits;
    if (this.#accountId !== undefined) accountWork?.spend(this.#accountId, us);
    work?.spend(this.#addressKey(), us);
    this.#paidUs += us;
  }

  #take(budget: TokenBuckets | undefined, key: string, us: number): void {
    if (budget === undefined) return;
    try {
      budget.takeUpToBurst(key, us);
    } catch (error) {
      this.headers = levelHeaders('work', budget, key);
      throw error;
    }
  }

  /** From now on this account pays as well, and what was paid until now. */
  join(accountId: string): void {
    this.#accountId = accountId;
    if (this.#paidUs > 0) this.#limits.accountWork?.spend(accountId, this.#paidUs);
  }
}

/** The headers that tell a client a limit and what is left of it. */
export function levelHeaders(name: string, limit: TokenBuckets, key: string): readonly Header[] {
  const { burst, perS } = limit.size;
  const { left, fullInS } = limit.level(key);
  return [
    ['RateLimit-Policy', `"${name}";q=${Math.floor(burst)};w=${Math.ceil(burst / perS)}`],
    ['RateLimit', `"${name}";r=${left};t=${fullInS}`],
  ];
}

/** The answer about an account, once its cars are paid for: how many there are shows when they are read. */
export async function paidFor<Answer extends object | Promise<object>>(
  payer: Payer,
  answering: Answer,
): Promise<Awaited<Answer>> {
  const answer = await answering;
  if ('cars' in answer && Array.isArray(answer.cars)) {
    payer.spend(PRICES_US.listedCar * answer.cars.length);
  }
  return answer;
}
