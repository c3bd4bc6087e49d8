import type { Key } from '../store/contract.ts';
import { expectDealer, refOf } from './account-refs.ts';
import { invalid, notFound, valueFault } from './errors.ts';
import { Mirror, type Snapshot } from './mirror.ts';
import { type CarRecord, type CustomerRecord, type DealerRecord, keys } from './records.ts';
import type { Registry } from './registry.ts';
import type { Dealer, DealerRemoval } from './schemas.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Ordered } from './sorted-items.ts';
import type { Transaction } from './transaction.ts';

const HEIR_FIELD = ['query', 'reassign_to'];

export function dealerBody({ username, name, city, createdAtMs }: DealerRecord): Dealer {
  return { username, name, city, created_at: new Date(createdAtMs).toISOString() };
}

export interface ListedDealer extends Ordered {
  body: Dealer;
}

/** Lists and removes dealers. */
export class Dealers {
  readonly #registry: Registry;
  readonly #sessions: Sessions;
  readonly #all: Mirror<DealerRecord, ListedDealer>;

  constructor(registry: Registry, sessions: Sessions) {
    this.#registry = registry;
    this.#sessions = sessions;
    this.#all = new Mirror(registry, {
      prefix: (generation: number) => keys.accounts(generation, 'dealer'),
      itemOf: (record: DealerRecord) => ({ order: record.username, body: dealerBody(record) }),
    });
  }

  /** By username. */
  list(revision: number): Snapshot<ListedDealer> | Promise<Snapshot<ListedDealer>> {
    return this.#all.read(revision);
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
      const ref = await refOf(transaction, username);
      if (ref?.role !== 'dealer') throw notFound('Dealer');
      transaction.remove(keys.account(generation, ref));
      transaction.remove(keys.name(generation, username));
      // Cars and customers that join the dealer meanwhile would be missed.
      transaction.checkEverything();
      const fromTo = [username, heir] as const;
      const carKey = ({ vin }: CarRecord) => keys.car(generation, vin);
      const cars = await move(transaction, keys.cars(generation), carKey, fromTo);
      const customerKey = (each: CustomerRecord) => keys.account(generation, each);
      const users = keys.accounts(generation, 'user');
      const customers = await move(transaction, users, customerKey, fromTo);
      return { deleted: username, reassigned_to: heir, cars, customers };
    });
  }
}

/** Moves the records of a list to another dealer, or to none; returns how many. */
async function move<T extends { dealer: string | null }>(
  transaction: Transaction,
  list: Key,
  keyOf: (record: T) => Key,
  [from, to]: readonly [string, string | null],
): Promise<number> {
  let count = 0;
  for await (const page of transaction.pages<T>(list)) {
    for (const { value: record } of page) {
      if (record.dealer !== from) continue;
      transaction.put(keyOf(record), { ...record, dealer: to });
      count++;
    }
  }
  return count;
}
