import { invalid, notFound, valueFault } from './errors.ts';
import { expectDealer } from './expect-dealer.ts';
import {
  type AccountRef,
  type CarRecord,
  type CustomerRecord,
  type DealerRecord,
  keys,
} from './records.ts';
import type { Registry } from './registry.ts';
import type { Dealer, DealerRemoval } from './schemas.ts';
import type { Session, Sessions } from './sessions.ts';
import { isoTime } from './times.ts';
import type { Transaction } from './transaction.ts';

const HEIR_FIELD = ['query', 'reassign_to'];

export function dealerBody({ username, name, city, createdAtMs }: DealerRecord): Dealer {
  return { username, name, city, created_at: isoTime(createdAtMs) };
}

/** Lists and removes dealers. */
export class Dealers {
  readonly #registry: Registry;
  readonly #sessions: Sessions;

  constructor(registry: Registry, sessions: Sessions) {
    this.#registry = registry;
    this.#sessions = sessions;
  }

  /** By username. */
  list(): Promise<Dealer[]> {
    return this.#registry.read(async (reader) => {
      const all = await reader.all<DealerRecord>(keys.accounts(reader.generation, 'dealer'));
      return all.sort((a, b) => (a.username < b.username ? -1 : 1)).map(dealerBody);
    });
  }

  /**
   * Removes a dealer; its cars and customers go to another dealer, or to none. Throws DealerError
   * 404, 422.
   */
  remove(session: Session, username: string, heir: string | null): Promise<DealerRemoval> {
    if (heir === username) throw invalid(valueFault(HEIR_FIELD, 'must be another dealer'));
    return this.#registry.change(async (transaction) => {
      await this.#sessions.revalidate(transaction, session);
      if (heir !== null) await expectDealer(transaction, heir, HEIR_FIELD);
      const { generation } = transaction;
      const ref = await transaction.get<AccountRef>(keys.name(generation, username));
      if (ref?.role !== 'dealer') throw notFound('Dealer');
      transaction.remove(keys.account(generation, ref));
      transaction.remove(keys.name(generation, username));
      // Cars and customers that join the dealer meanwhile would be missed.
      transaction.checkEverything();
      const cars = await moveCars(transaction, username, heir);
      const customers = await moveCustomers(transaction, username, heir);
      return { deleted: username, reassigned_to: heir, cars, customers };
    });
  }
}

async function moveCars(
  transaction: Transaction,
  from: string,
  to: string | null,
): Promise<number> {
  const { generation } = transaction;
  const all = await transaction.all<CarRecord>(keys.cars(generation));
  const cars = all.filter(({ dealer }) => dealer === from);
  for (const car of cars) transaction.put(keys.car(generation, car.vin), { ...car, dealer: to });
  return cars.length;
}

async function moveCustomers(
  transaction: Transaction,
  from: string,
  to: string | null,
): Promise<number> {
  const { generation } = transaction;
  const all = await transaction.all<CustomerRecord>(keys.accounts(generation, 'user'));
  const customers = all.filter(({ dealer }) => dealer === from);
  for (const customer of customers) {
    transaction.put(keys.account(generation, customer), { ...customer, dealer: to });
  }
  return customers.length;
}
