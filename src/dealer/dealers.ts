import type { Clock } from '../clock.ts';
import type { Slices } from '../slices.ts';
import type { Key } from '../store/contract.ts';
import { expectDealer, refOf } from './account-refs.ts';
import { type NotedChange, noted } from './audit-trail.ts';
import { invalid, notFound, valueFault } from './errors.ts';
import { Mirror, type Snapshot } from './mirror.ts';
import {
  type Audited,
  type AuditSubject,
  type CarRecord,
  type CustomerRecord,
  type DealerRecord,
  keys,
} from './records.ts';
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
  readonly #clock: Clock;
  readonly #all: Mirror<DealerRecord, ListedDealer>;

  constructor(registry: Registry, sessions: Sessions, clock: Clock) {
    this.#registry = registry;
    this.#sessions = sessions;
    this.#clock = clock;
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
      const actor = await this.#sessions.revalidate(transaction, session);
      if (heir !== null) await expectDealer(transaction, heir, HEIR_FIELD);
      const { generation } = transaction;
      const ref = await refOf(transaction, username);
      if (ref?.role !== 'dealer') throw notFound('Dealer');
      transaction.remove(keys.account(generation, ref));
      transaction.remove(keys.name(generation, username));
      // Cars and customers that join the dealer meanwhile would be missed.
      transaction.checkEverything();
      const fromTo = [username, heir] as const;
      const { slices } = this.#registry;
      const atMs = this.#clock.now();
      const change = { actor, action: 'delete_dealer', fields: ['dealer'], atMs } as const;
      const cars = await move<CarRecord>(
        transaction,
        keys.cars(generation),
        slices,
        fromTo,
        change,
        {
          keyOf: ({ vin }) => keys.car(generation, vin),
          subjectOf: ({ vin }) => ['car', vin],
        },
      );
      const users = keys.accounts(generation, 'user');
      const customers = await move<CustomerRecord>(transaction, users, slices, fromTo, change, {
        keyOf: (each) => keys.account(generation, each),
        subjectOf: ({ id }) => ['customer', id],
      });
      return { deleted: username, reassigned_to: heir, cars, customers };
    });
  }
}

/** Moves the records of a list to another dealer, or to none; returns how many. */
async function move<T extends Audited & { dealer: string | null }>(
  transaction: Transaction,
  list: Key,
  slices: Slices,
  [from, to]: readonly [string, string | null],
  change: NotedChange,
  { keyOf, subjectOf }: { keyOf: (record: T) => Key; subjectOf: (record: T) => AuditSubject },
): Promise<number> {
  let count = 0;
  for await (const page of transaction.pages<T>(list)) {
    await slices.next();
    for (const { value: record } of page) {
      if (record.dealer !== from) continue;
      const moved = { ...record, dealer: to };
      transaction.put(keyOf(record), noted(transaction, subjectOf(record), moved, change));
      count++;
    }
  }
  return count;
}
