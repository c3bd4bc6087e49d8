import type { ListedCar } from './listed-car.ts';
import type { Tally } from './mirror.ts';
import type { Flags } from './records.ts';
import { type Ordered, SortedItems } from './sorted-items.ts';

/** Numbers by dealer or owner; null: of none. */
class CountsBy {
  readonly #counts = new Map<string | null, number>();

  of(key: string | null): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string | null, by: number): void {
    const count = this.of(key) + by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  clear(): void {
    this.#counts.clear();
  }
}

/** Figures about all cars. */
export class CarTally implements Tally<ListedCar> {
  /** By account. */
  readonly ofOwner = new CountsBy();
  readonly ofDealer = new CountsBy();
  total = 0;
  owned = 0;
  /** Those whose VIN a world could have. */
  ofWorlds = 0;
  readonly flags: Record<keyof Flags, number> = { locked: 0, climate: 0, charging: 0 };

  count({ record, worldNumber }: ListedCar, by: 1 | -1): void {
    const { dealer, owner, locked, climate, charging } = record;
    this.total += by;
    this.ofDealer.add(dealer, by);
    this.ofOwner.add(owner?.account ?? null, by);
    if (owner !== null) this.owned += by;
    if (worldNumber !== undefined) this.ofWorlds += by;
    if (locked) this.flags.locked += by;
    if (climate) this.flags.climate += by;
    if (charging) this.flags.charging += by;
  }

  clear(): void {
    this.total = 0;
    this.owned = 0;
    this.ofWorlds = 0;
    Object.assign(this.flags, { locked: 0, climate: 0, charging: 0 });
    this.ofOwner.clear();
    this.ofDealer.clear();
  }
}

/** What memory holds of each customer. */
export interface ListedCustomer extends Ordered {
  id: string;
  dealer: string | null;
}

/** The customers of each dealer, and how many there are in all. */
export class CustomerTally implements Tally<ListedCustomer> {
  /** By dealer, which has at least one. */
  readonly #ofDealers = new Map<string, SortedItems<ListedCustomer>>();
  total = 0;

  /** Customers of a dealer. */
  countOf(dealer: string): number {
    return this.#ofDealers.get(dealer)?.length ?? 0;
  }

  /** Customers of a dealer, by username. */
  customersOf(dealer: string): readonly ListedCustomer[] {
    return this.#ofDealers.get(dealer)?.snapshot ?? [];
  }

  count(customer: ListedCustomer, by: 1 | -1): void {
    this.total += by;
    const { dealer } = customer;
    if (dealer === null) return;
    const customers = this.#ofDealers.get(dealer) ?? new SortedItems();
    if (by > 0) customers.put(customer);
    else customers.remove(customer.order);
    if (customers.length > 0) this.#ofDealers.set(dealer, customers);
    else this.#ofDealers.delete(dealer);
  }

  clear(): void {
    this.total = 0;
    this.#ofDealers.clear();
  }
}
