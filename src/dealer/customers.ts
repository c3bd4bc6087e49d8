import type { Key } from '../store/contract.ts';
import { refOf } from './account-refs.ts';
import { notFound } from './errors.ts';
import type { Reader } from './reader.ts';
import { type CustomerRecord, keys, PLAIN_FIELDS, SECRET_FIELDS } from './records.ts';
import type { Registry } from './registry.ts';
import { type Actor, can } from './rights.ts';
import type { Customer } from './schemas.ts';
import type { Secrets } from './secrets.ts';
import type { Session } from './sessions.ts';
import { VersionedCache } from './versioned-cache.ts';

const VIN_PART = 4;
const ACCOUNT_PART = 3;

/** Reads the customers that the caller may see. */
export class Customers {
  readonly #registry: Registry;
  readonly #secrets: Secrets;
  readonly #lists = new VersionedCache<readonly Customer[]>();

  constructor(registry: Registry, secrets: Secrets) {
    this.#registry = registry;
    this.#secrets = secrets;
  }

  /** The customers that the caller may read, by username. */
  list({ account, revision }: Session, withPassword: boolean): Promise<readonly Customer[]> {
    const key = `${account.id} ${withPassword}`;
    return this.#lists.read(key, revision, () => this.#list(account, withPassword));
  }

  #list(actor: Actor, withPassword: boolean): Promise<Customer[]> {
    return this.#registry.read(async (reader) => {
      const owned = await reader.keysBelow(keys.allOwned(reader.generation));
      const ofAccount = Map.groupBy(owned, (key) => key[ACCOUNT_PART]);
      const carsOfOne = ({ id }: CustomerRecord) => (ofAccount.get(id) ?? []).map(vinOf);
      const all = await reader.all<CustomerRecord>(keys.accounts(reader.generation, 'user'));
      return all
        .filter((customer) => can(actor, 'customer.read', resourceOf(customer)))
        .sort((a, b) => (a.username < b.username ? -1 : 1))
        .map((customer) => this.show(actor, customer, carsOfOne(customer), withPassword));
    });
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

function resourceOf({ dealer, id }: CustomerRecord) {
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
