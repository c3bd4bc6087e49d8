import type { Clock } from '../clock.ts';
import { expectDealer, refOf } from './account-refs.ts';
import type { NotedChange } from './audit-trail.ts';
import type { Cars } from './cars.ts';
import type { Customers } from './customers.ts';
import { invalid, notFound, valueFault } from './errors.ts';
import { Mirror, type Snapshot } from './mirror.ts';
import { payingOnce } from './paying-once.ts';
import { type DealerRecord, keys } from './records.ts';
import type { Registry } from './registry.ts';
import type { Actor } from './rights.ts';
import type { Dealer, DealerRemoval } from './schemas.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Ordered } from './sorted-items.ts';

const HEIR_FIELD = ['query', 'reassign_to'];

export function dealerBody({ username, name, city, createdAtMs }: DealerRecord): Dealer {
  return { username, name, city, created_at: new Date(createdAtMs).toISOString() };
}

export interface ListedDealer extends Ordered {
  body: Dealer;
}

interface DealersDependencies {
  registry: Registry;
  sessions: Sessions;
  cars: Cars;
  customers: Customers;
  clock: Clock;
}

/** Lists and removes dealers. */
export class Dealers {
  readonly #dependencies: DealersDependencies;
  readonly #all: Mirror<DealerRecord, ListedDealer>;

  constructor(dependencies: DealersDependencies) {
    this.#dependencies = dependencies;
    this.#all = new Mirror(dependencies.registry, {
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
   * @param pay called with the number of its cars and customers before they are moved; may throw
   */
  remove(
    session: Session,
    username: string,
    heir: string | null,
    pay: (records: number) => void,
  ): Promise<DealerRemoval> {
    const { registry, sessions, cars, customers } = this.#dependencies;
    if (heir === username) throw invalid(valueFault(HEIR_FIELD, 'must be another dealer'));
    const payUpTo = payingOnce(pay);
    return registry.changeAlone(async (transaction) => {
      const actor = await sessions.revalidate(transaction, session);
      if (heir !== null) await expectDealer(transaction, heir, HEIR_FIELD);
      const { generation, revision } = transaction;
      const ref = await refOf(transaction, username);
      if (ref?.role !== 'dealer') throw notFound('Dealer');
      const [fleets, customerCounts] = [
        await cars.tally(revision),
        await customers.tally(revision),
      ];
      payUpTo(fleets.ofDealer.of(username) + customerCounts.countOf(username));
      transaction.remove(keys.account(generation, ref));
      transaction.remove(keys.name(generation, username));
      const move = { from: username, to: heir };
      const change = this.#changeBy(actor);
      return {
        deleted: username,
        reassigned_to: heir,
        cars: await cars.moveFleet(transaction, move, change),
        customers: await customers.moveAll(transaction, move, change),
      };
    });
  }

  #changeBy(actor: Actor): NotedChange {
    const atMs = this.#dependencies.clock.now();
    return { actor, action: 'delete_dealer', fields: ['dealer'], atMs };
  }
}
