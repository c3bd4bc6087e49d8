import type { Key } from '../store/contract.ts';
import { refOf } from './account-refs.ts';
import { type NotedChange, noted, trailOf } from './audit-trail.ts';
import { forbidden, listChanged, notFound } from './errors.ts';
import { batchesOf, type Listing, type Page, pageOf } from './listing.ts';
import { type Kind, Mirror } from './mirror.ts';
import { Quotas } from './quotas.ts';
import type { Reader } from './reader.ts';
import { type CustomerRecord, keys, type Move, PLAIN_FIELDS, SECRET_FIELDS } from './records.ts';
import type { Registry } from './registry.ts';
import { type Actor, can, firstChangeFor } from './rights.ts';
import type { Customer } from './schemas.ts';
import type { Secrets } from './secrets.ts';
import type { Session } from './sessions.ts';
import { CustomerTally, type ListedCustomer } from './tallies.ts';
import type { Transaction } from './transaction.ts';

const VIN_PART = 4;
/** Customers that are read and encoded in one go: each may have a thousand cars. */
const BATCH = 8;
/** Customers that go to another dealer in one go: some hundred µs of work. */
const MOVED_AT_ONCE = 64;
/** Detail of a 403. */
export const FOREIGN_TRAIL = 'Only admins and the customer may see who changed the customer';

export interface CustomerLimits {
  /** Customers of one dealer. */
  dealerMax: number;
  /** Customers in all. */
  max: number;
}

interface ListedHow {
  withPassword: boolean;
  /** Called with how many cars were read with a customer. */
  read: (cars: number) => void;
}

/** The customers of all dealers. */
export class Customers {
  readonly #registry: Registry;
  readonly #secrets: Secrets;
  readonly #tally = new CustomerTally();
  readonly #all: Mirror<CustomerRecord, ListedCustomer>;
  readonly #ofDealer: Quotas;
  readonly #inAll: Quotas;

  constructor(registry: Registry, secrets: Secrets, { dealerMax, max }: CustomerLimits) {
    this.#registry = registry;
    this.#secrets = secrets;
    this.#ofDealer = new Quotas(dealerMax, 'The dealer takes no more customers');
    this.#inAll = new Quotas(max, 'The platform takes no more customers');
    const kind: Kind<CustomerRecord, ListedCustomer> = {
      prefix: (generation) => keys.accounts(generation, 'user'),
      itemOf: ({ username, id, dealer }) => ({ order: username, id, dealer }),
    };
    this.#all = new Mirror<CustomerRecord, ListedCustomer>(registry, kind, this.#tally);
  }

  /** Figures about all customers. */
  async tally(revision: number): Promise<CustomerTally> {
    await this.#all.read(revision);
    return this.#tally;
  }

  /** Reservations for one customer: at a dealer, and in all. Release them when the change ends. */
  reservations() {
    const [atDealer, inAll] = [this.#ofDealer.reservation(), this.#inAll.reservation()];
    return {
      /** Throws DealerError 409. */
      reserveAtDealer: async ({ revision }: Transaction, dealer: string) =>
        atDealer.reserve(dealer, (await this.tally(revision)).countOf(dealer)),
      /** Throws DealerError 409. */
      reserveInAll: async ({ revision }: Transaction) =>
        inAll.reserve('', (await this.tally(revision)).total),
      release() {
        atDealer.release();
        inAll.release();
      },
    };
  }

  /**
   * The customers that the caller may read, by username.
   * @param read called with how many cars were read with some of them
   */
  async list(
    session: Session,
    page: Page,
    withPassword: boolean,
    read: (cars: number) => void,
  ): Promise<Listing> {
    const { account, revision } = session;
    const { items, stamp } = await this.#all.read(revision);
    const count = this.#pageOf(account, items, page).length;
    const tag = `${stamp}.${revision}.${account.id}.${Number(withPassword)}`;
    return { tag, count, batches: this.#batches(account, page, { withPassword, read }) };
  }

  async *#batches(actor: Actor, page: Page, how: ListedHow): AsyncGenerator<readonly string[]> {
    const textsOf = async (reader: Reader, batch: readonly ListedCustomer[]) => {
      const texts = batch.map((each) => this.#textOf(reader, each, actor, how));
      return (await Promise.all(texts)).filter((text) => text !== undefined);
    };
    // A list of one batch is read again if a reset happens meanwhile.
    const { reader, rest, first } = await this.#registry.read(async (reader) => {
      const { items } = await this.#all.read(reader.revision);
      const customers = this.#pageOf(actor, items, page);
      const first = await textsOf(reader, customers.slice(0, BATCH));
      return { reader, rest: customers.slice(BATCH), first };
    });
    yield first;
    yield* batchesOf(rest, BATCH, (batch) => textsOf(reader, batch));
  }

  /** A page of the customers of a dealer, or of all. `#textOf` checks the right to each. */
  #pageOf({ role, username }: Actor, all: readonly ListedCustomer[], page: Page) {
    return pageOf(role === 'dealer' ? this.#tally.customersOf(username) : all, page);
  }

  /** Undefined if the actor may no longer read the customer. */
  async #textOf(
    reader: Reader,
    { id }: ListedCustomer,
    actor: Actor,
    { withPassword, read }: ListedHow,
  ): Promise<string | undefined> {
    const key = keys.account(reader.generation, { role: 'user', id });
    const [customer, cars] = await Promise.all([
      reader.get<CustomerRecord>(key),
      carsOf(reader, id),
    ]);
    read(cars.length);
    // Customers are never deleted, but a reset removes the records before it.
    if (!customer) throw listChanged();
    if (!can(actor, 'customer.read', resourceOf(customer))) return undefined;
    return JSON.stringify(this.show(actor, customer, cars, withPassword));
  }

  /** Throws DealerError 404, also if the actor may not read the customer. */
  one(actor: Actor, username: string, withPassword: boolean): Promise<Customer> {
    return this.#registry.read(async (reader) => {
      const ref = await refOf(reader, username);
      if (ref?.role !== 'user') throw notFound('Customer');
      const customer = await reader.get<CustomerRecord>(keys.account(reader.generation, ref));
      if (customer === undefined || !can(actor, 'customer.read', resourceOf(customer))) {
        throw notFound('Customer');
      }
      return this.show(actor, customer, await carsOf(reader, customer.id), withPassword);
    });
  }

  /** Who changed a customer, newest first. Throws DealerError 403, 404. */
  audit(viewer: Actor, username: string): Promise<Listing> {
    return this.#registry.read(async (reader) => {
      const ref = await refOf(reader, username);
      const key = ref?.role === 'user' && keys.account(reader.generation, ref);
      const record = key ? await reader.get<CustomerRecord>(key) : undefined;
      // To whom it is not their own, a name that nobody has is as one that somebody has.
      const resource = record === undefined ? {} : resourceOf(record);
      if (!can(viewer, 'customer.read-audit', resource)) throw forbidden(FOREIGN_TRAIL);
      if (record === undefined) throw notFound('Customer');
      const first = firstChangeFor(viewer, resource);
      return trailOf(reader, { subject: ['customer', record.id], record, viewer, first });
    });
  }

  /**
   * Moves all customers of a dealer to another, or to none, in a transaction of `changeAlone`. Returns how
   * many.
   */
  async moveAll(
    transaction: Transaction,
    { from, to }: Move,
    change: NotedChange,
  ): Promise<number> {
    const { generation, revision } = transaction;
    await this.#all.read(revision);
    const customers = this.#tally.customersOf(from);
    for (const batch of batchesOf(customers, MOVED_AT_ONCE, (some) => some)) {
      await this.#registry.slices.next();
      const accounts = batch.map(({ id }) => keys.account(generation, { role: 'user', id }));
      const records = accounts.map((key) => transaction.peek<CustomerRecord>(key));
      for (const record of await Promise.all(records)) {
        if (record === undefined) throw listChanged();
        const moved = { ...record, dealer: to, updatedAtMs: change.atMs };
        const { id } = record;
        const after = noted(transaction, ['customer', id], moved, change);
        transaction.put(keys.account(generation, record), after);
      }
    }
    return customers.length;
  }

  /** A customer's own view. */
  own(customer: CustomerRecord): Promise<Customer> {
    return this.#registry.read(async (reader) =>
      this.show(customer, customer, await carsOf(reader, customer.id)),
    );
  }

  /** @param cars VINs */
  show(actor: Actor, customer: CustomerRecord, cars: string[], withPassword = false): Customer {
    const { id, username, role, dealer, profile, secrets, createdAtMs } = customer;
    const isOpen = can(actor, 'customer.read-secrets', resourceOf(customer));
    const opened = SECRET_FIELDS.map((field) => {
      const sealed = secrets[field];
      const text = isOpen && sealed !== null ? this.#secrets.decrypt(id, field, sealed) : null;
      return [field, text];
    });
    const shown = PLAIN_FIELDS.map((field) => [field, profile[field]]);
    const password = withPassword ? { password: null, password_set: true } : {};
    const created_at = new Date(createdAtMs).toISOString();
    const fields = Object.fromEntries([...shown, ...opened]);
    return { username, role, ...fields, dealer, cars, created_at, ...password };
  }
}

function resourceOf({ dealer, id }: Pick<CustomerRecord, 'dealer' | 'id'>) {
  return { dealer, account: id };
}

/** VINs of the cars that an account has rights to, in order. */
export async function carsOf(reader: Reader, account: string): Promise<string[]> {
  const owned = await reader.keysBelow(keys.ownedBy(reader.generation, account));
  return owned.map(vinOf);
}

function vinOf(key: Key): string {
  return String(key[VIN_PART]);
}
