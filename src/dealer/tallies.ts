import type { ListedCar } from './listed-car.ts';
import type { Tally } from './mirror.ts';
import type { CustomerRecord, Flags } from './records.ts';

/** Numbers by dealer; null: of no dealer. */
class CountByDealer {
  readonly #counts = new Map<string | null, number>();

  of(dealer: string | null): number {
    return this.#counts.get(dealer) ?? 0;
  }

  add(dealer: string | null, by: number): void {
    const count = this.of(dealer) + by;
    if (count === 0) this.#counts.delete(dealer);
    else this.#counts.set(dealer, count);
  }

  clear(): void {
    this.#counts.clear();
  }
}

/** What the state of the platform says about all cars. */
export class CarTally implements Tally<ListedCar> {
  readonly ofDealer = new CountByDealer();
  total = 0;
  owned = 0;
  readonly flags: Record<keyof Flags, number> = { locked: 0, climate: 0, charging: 0 };

  count({ record }: ListedCar, by: 1 | -1): void {
    const { dealer, owner, locked, climate, charging } = record;
    this.total += by;
    this.ofDealer.add(dealer, by);
    if (owner !== null) this.owned += by;
    if (locked) this.flags.locked += by;
    if (climate) this.flags.climate += by;
    if (charging) this.flags.charging += by;
  }

  clear(): void {
    this.total = 0;
    this.owned = 0;
    Object.assign(this.flags, { locked: 0, climate: 0, charging: 0 });
    this.ofDealer.clear();
  }
}

/** The customers of each dealer. */
export class CustomerTally implements Tally<Pick<CustomerRecord, 'dealer'>> {
  readonly ofDealer = new CountByDealer();
  total = 0;

  count({ dealer }: Pick<CustomerRecord, 'dealer'>, by: 1 | -1): void {
    this.total += by;
    this.ofDealer.add(dealer, by);
  }

  clear(): void {
    this.total = 0;
    this.ofDealer.clear();
  }
}
