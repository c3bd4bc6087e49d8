import type { Key } from '../store/contract.ts';
import { refOf } from './account-refs.ts';
import { trailOf } from './audit-trail.ts';
import { busy, forbidden, notFound } from './errors.ts';
import { batchesOf, type Listing, type Page, pageOf } from './listing.ts';
import { type Kind, Mirror } from './mirror.ts';
import { Quotas } from './quotas.ts';
import type { Reader } from './reader.ts';
import { type CustomerRecord, keys, PLAIN_FIELDS, SECRET_FIELDS } from './records.ts';
import type { Registry } from './registry.ts';
import { type Actor, can } from './rights.ts';
import type { Customer } from './schemas.ts';
import type { Secrets } from './secrets.ts';
import type { Session } from './sessions.ts';
import { CustomerTally, type ListedCustomer } from './tallies.ts';
import type { Transaction } from './transaction.ts';

const VIN_PART = 4;
/** Customers that are read and encoded in one go: each may have a thousand cars. */
const BATCH = 8;
const RETRY_AFTER_S = 1;

export interface CustomerLimits {
  /** Customers of one dealer. */
  dealerMax: number;
  /** Customers in all. */
  max: number;
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

  /** The customers that the caller may read, by username. */
  async list(session: Session, page: Page, withPassword: boolean): Promise<Listing> {
    const { account, revision } = session;
    const { items, stamp } = await this.#all.read(revision);
    const count = this.#pageOf(account, items, page).length;
    const tag = `${stamp}.${revision}.${account.id}.${Number(withPassword)}`;
    return { tag, count, batches: this.#batches(account, page, withPassword) };
  }

  async *#batches(
    actor: Actor,
    page: Page,
    withPassword: boolean,
  ): AsyncGenerator<readonly string[]> {
    const textsOf = async (reader: Reader, batch: readonly ListedCustomer[]) => {
      const texts = batch.map((each) => this.#textOf(reader, each, actor, withPassword));
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
    withPassword: boolean,
  ): Promise<string | undefined> {
    const key = keys.account(reader.generation, { role: 'user', id });
    const [customer, cars] = await Promise.all([
      reader.get<CustomerRecord>(key),
      carsOf(reader, id),
    ]);
    // Customers are never deleted, but a reset removes the records before it.
    if (!customer) throw busy('The list has changed while it was read.', RETRY_AFTER_S);
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
  audit(actor: Actor, username: string, pay: (entries: number) => void): Promise<Listing> {
    return this.#registry.read(async (reader) => {
      const ref = await refOf(reader, username);
      // To other customers a name that nobody has is as one that somebody has.
      if (actor.role === 'user' && ref?.id !== actor.id) throw forbidden();
      const key = ref?.role === 'user' && keys.account(reader.generation, ref);
      const customer = key ? await reader.get<CustomerRecord>(key) : undefined;
      if (customer === undefined) throw notFound('Customer');
      if (!can(actor, 'customer.read-audit', resourceOf(customer))) throw forbidden();
      const view = { viewer: actor, sinceField: undefined, pay };
      return trailOf(reader, ['customer', customer.id], customer, view);
    });
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
