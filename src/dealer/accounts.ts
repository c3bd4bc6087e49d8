import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Random } from '../random.ts';
import { expectDealer, refOf } from './account-refs.ts';
import { changedFields, noted } from './audit-trail.ts';
import { type Customers, carsOf } from './customers.ts';
import { isRefused } from './demo.ts';
import { emailOf, isFree, setHolder } from './emails.ts';
import { badLogin, conflict, forbidden, invalid, valueFault } from './errors.ts';
import { newId } from './ids.ts';
import type { LoginAttempts } from './login-attempts.ts';
import type { PasswordHasher } from './passwords.ts';
import {
  type AccountRecord,
  type AccountRef,
  type AdminRecord,
  type AuditEntry,
  type CustomerRecord,
  type DealerRecord,
  keys,
  PLAIN_FIELDS,
  type PlainProfile,
  type Role,
  SECRET_FIELDS,
  type SecretField,
} from './records.ts';
import type { Registry } from './registry.ts';
import type { Customer } from './schemas.ts';
import type { Secrets } from './secrets.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';
import type { Transaction } from './transaction.ts';

export interface Login {
  username: string;
  password: string;
  /** The client's key in limits. */
  address: string;
  /** Undefined: any role; null: no role, the log-in fails. */
  role?: Role | null | undefined;
}

export interface SignUp {
  name: string;
  username: string;
  password: string;
  email: string;
  phone: string | null;
  address: string | null;
  dealer: string;
}

type Profile = PlainProfile & Record<SecretField, string | null> & { dealer: string | null };

/** Undefined fields stay as they are. */
export type ProfileChange = { [Name in keyof Profile]?: Profile[Name] | undefined };

/** Null and undefined fields stay as they are. */
export interface AdminChange {
  current_password: string;
  username?: string | null | undefined;
  new_password?: string | null | undefined;
}

/** The result of a log-in. */
export interface Granted {
  token: string;
  account: AccountRecord;
}

export interface AccountsDependencies {
  registry: Registry;
  sessions: Sessions;
  tokens: Tokens;
  passwords: PasswordHasher;
  attempts: LoginAttempts;
  secrets: Secrets;
  customers: Customers;
  clock: Clock;
  random: Random;
  demo: Config['demo'];
}

/** Of a customer, whose changes are noted. */
const AUDITED_FIELDS = [...PLAIN_FIELDS, ...SECRET_FIELDS, 'dealer'] as const;
const DEALER_FIELD = ['body', 'dealer'];
const EMAIL_TAKEN = 'The email belongs to another account';
const NAME_TAKEN = 'The username is taken';
const NOBODY: AccountRef = { role: 'user', id: '' };

/** The common fields of a new account. An id is never reused. */
export function newAccount(random: Random, username: string, password: string, nowMs: number) {
  return {
    id: newId(random),
    username,
    password,
    credential: 1,
    keptToken: null,
    isDemo: false,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** Log-in, sign-up, and changes of the own account. */
export class Accounts {
  readonly #dependencies: AccountsDependencies;
  #lastKnown = NOBODY;

  constructor(dependencies: AccountsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Neither the answer nor its duration reveals whether the name is unknown or has another role.
   * Throws DealerError 401, 429, 503.
   */
  async logIn({ username, password, address, role }: Login): Promise<Granted> {
    const { attempts, passwords, tokens, demo } = this.#dependencies;
    const account = await attempts.try({ username, address }, async () => {
      const known = await this.#named(username);
      const isPassword = await passwords.verify(known?.password, password);
      const isAsked = known !== undefined && (role === undefined || role === known.role);
      // An older account may still have a published one.
      return isPassword && isAsked && !isRefused(demo, known.role, password) && known;
    });
    if (account === false) throw badLogin();
    return { token: await tokens.issue(account), account };
  }

  #named(username: string): Promise<AccountRecord | undefined> {
    return this.#dependencies.registry.read(async (reader) => {
      const ref = await refOf(reader, username);
      // An unknown name takes the same time: the account of the last known name is read for it.
      this.#lastKnown = ref ?? this.#lastKnown;
      const key = keys.account(reader.generation, this.#lastKnown);
      const read = await reader.get<AccountRecord>(key);
      return ref === undefined ? undefined : read;
    });
  }

  /** Throws DealerError 409, 422, 503. */
  async signUp(given: SignUp): Promise<Granted & { profile: Customer }> {
    const { registry, passwords, tokens, customers, clock, random } = this.#dependencies;
    this.#expectSecret('user', given.password, 'password');
    const reservations = customers.reservations();
    const expectFree = async (transaction: Transaction) => {
      await this.#expectFree(transaction, given);
      await reservations.reserveInAll(transaction);
      await reservations.reserveAtDealer(transaction, given.dealer);
    };
    const change = async () => {
      // Check before the hash, which is expensive.
      await registry.change(expectFree);
      const password = await passwords.hash(given.password);
      return registry.change(async (transaction) => {
        await expectFree(transaction);
        const { name, email, phone, address, dealer } = given;
        const none = Object.fromEntries(PLAIN_FIELDS.map((field) => [field, null])) as PlainProfile;
        const record: CustomerRecord = {
          ...newAccount(random, given.username, password, clock.now()),
          role: 'user',
          dealer,
          profile: { ...none, name, email, phone, address },
          secrets: { personnummer: null, iban: null, charging_card_rfid: null },
        };
        const { id, username } = record;
        await setHolder(transaction, email, { id, username });
        return this.#putCustomer(transaction, [undefined, record], 'sign_up');
      });
    };
    const account = await change().finally(() => reservations.release());
    const profile = customers.show(account, account, []);
    return { token: await tokens.issue(account), account, profile };
  }

  /** Throws DealerError 422. */
  #expectSecret(role: Role, password: string, field: string): void {
    if (isRefused(this.#dependencies.demo, role, password)) {
      throw invalid(valueFault(['body', field], 'this password is public'));
    }
  }

  async #expectFree(transaction: Transaction, { username, email, dealer }: SignUp): Promise<void> {
    await expectDealer(transaction, dealer, DEALER_FIELD);
    await expectFreeName(transaction, username);
    await expectFreeEmail(transaction, email, null);
  }

  /** Throws DealerError 409, 503. */
  async createDealer(
    session: Session,
    given: { username: string; password: string; name: string; city: string },
  ): Promise<DealerRecord> {
    const { registry, passwords, sessions, clock, random } = this.#dependencies;
    const { username, name, city } = given;
    this.#expectSecret('dealer', given.password, 'password');
    await registry.change((transaction) => expectFreeName(transaction, username));
    const password = await passwords.hash(given.password);
    return registry.change(async (transaction) => {
      await sessions.revalidate(transaction, session);
      await expectFreeName(transaction, username);
      const account = newAccount(random, username, password, clock.now());
      const dealer: DealerRecord = { ...account, role: 'dealer', name, city };
      return this.#put(transaction, dealer);
    });
  }

  #put<Account extends AccountRecord>(transaction: Transaction, changed: Account): Account {
    const account = { ...changed, updatedAtMs: this.#dependencies.clock.now() };
    const { role, id, username } = account;
    transaction.put(keys.account(transaction.generation, account), account);
    transaction.put(keys.name(transaction.generation, username), { role, id });
    return account;
  }

  /** Throws DealerError 409, 422. */
  async changeProfile(session: Session, change: ProfileChange): Promise<Customer> {
    const { registry, sessions, customers } = this.#dependencies;
    const reservations = customers.reservations();
    const profileChange = registry.change(async (transaction) => {
      const account = await sessions.revalidate(transaction, session);
      if (account.role !== 'user') throw forbidden();
      const dealer = change.dealer === undefined ? account.dealer : change.dealer;
      if (dealer !== null && dealer !== account.dealer) {
        await expectDealer(transaction, dealer, DEALER_FIELD);
        await reservations.reserveAtDealer(transaction, dealer);
      }
      const profile = { ...account.profile, ...chosen(change, PLAIN_FIELDS) };
      await moveEmail(transaction, account, profile.email);
      const secrets = { ...account.secrets, ...this.#sealed(account, change) };
      const given: CustomerRecord = { ...account, dealer, profile, secrets };
      const changed = this.#putCustomer(transaction, [account, given], 'change_profile');
      return customers.show(changed, changed, await carsOf(transaction, account.id));
    });
    return profileChange.finally(() => reservations.release());
  }

  /** What is given and differs, encrypted. */
  #sealed({ id, secrets: known }: CustomerRecord, change: ProfileChange) {
    const { secrets } = this.#dependencies;
    const given = Object.entries(chosen(change, SECRET_FIELDS)) as [SecretField, string | null][];
    const isNew = ([field, text]: readonly [SecretField, string | null]) => {
      const sealed = known[field];
      return (sealed === null ? null : secrets.decrypt(id, field, sealed)) !== text;
    };
    const sealed = given
      .filter(isNew)
      .map(([field, text]) => [field, text === null ? null : secrets.encrypt(id, field, text)]);
    return Object.fromEntries(sealed) as Partial<CustomerRecord['secrets']>;
  }

  /** Stores what a customer changed of the own record. */
  #putCustomer(
    transaction: Transaction,
    [before, after]: readonly [CustomerRecord | undefined, CustomerRecord],
    action: AuditEntry['action'],
  ): CustomerRecord {
    const atMs = this.#dependencies.clock.now();
    const fields = changedFields(flat(before), flat(after), AUDITED_FIELDS);
    const change = { actor: after, action, fields, atMs };
    return this.#put(transaction, noted(transaction, ['customer', after.id], after, change));
  }

  /** A new password ends all other tokens of the account. Throws DealerError 403, 409. */
  async changeAdmin(session: Session, address: string, change: AdminChange): Promise<AdminRecord> {
    const { registry, sessions, passwords, attempts } = this.#dependencies;
    if (change.new_password) this.#expectSecret('admin', change.new_password, 'new_password');
    const { account } = session;
    const caller = { username: account.username, address };
    const isRight = await attempts.try(caller, () =>
      passwords.verify(account.password, change.current_password),
    );
    if (!isRight) throw forbidden('The current password is wrong');
    const newPassword = change.new_password ?? null;
    const password = newPassword === null ? undefined : await passwords.hash(newPassword);
    return registry.change(async (transaction) => {
      const current = await sessions.revalidate(transaction, session);
      if (current.role !== 'admin') throw forbidden();
      // Another request has changed the password meanwhile, so the given one is no longer current.
      if (current.password !== account.password) throw forbidden('The current password is wrong');
      const username = change.username ?? current.username;
      if (username !== current.username) {
        await expectFreeName(transaction, username);
        transaction.remove(keys.name(transaction.generation, current.username));
      }
      const { clock } = this.#dependencies;
      const kept = {
        credential: nextCredential(current, clock.now()),
        keptToken: session.claims.token,
      };
      const renewed = password === undefined ? {} : { password, ...kept, isDemo: false };
      return this.#put<AdminRecord>(transaction, { ...current, ...renewed, username });
    });
  }
}

const flat = (customer: CustomerRecord | undefined) =>
  customer === undefined
    ? {}
    : { ...customer.profile, ...customer.secrets, dealer: customer.dealer };

/**
 * A credential version that ends all tokens of an account. By the clock, so that a store which lost its
 * last writes does not give a version again: tokens of then would be valid again.
 */
export function nextCredential({ credential }: AccountRecord, nowMs: number): number {
  return Math.max(credential, Math.floor(nowMs)) + 1;
}

/** Throws DealerError 409. */
async function expectFreeName(transaction: Transaction, username: string): Promise<void> {
  if ((await refOf(transaction, username)) !== undefined) throw conflict(NAME_TAKEN);
}

/** Moves an account to another email. Throws DealerError 409. */
async function moveEmail(
  transaction: Transaction,
  { id, username, profile }: CustomerRecord,
  email: string | null,
): Promise<void> {
  if (email === profile.email) return;
  if (email !== null) await expectFreeEmail(transaction, email, id);
  // In this order: old and new email share a record if they differ only in case.
  if (profile.email !== null && (await holds(transaction, id, profile.email))) {
    await setHolder(transaction, profile.email, null);
  }
  if (email !== null) await setHolder(transaction, email, { id, username });
}

/** Another account may hold it: in an older store two could have look-alike emails. */
async function holds(transaction: Transaction, id: string, email: string): Promise<boolean> {
  return (await emailOf(transaction, email)).holder?.id === id;
}

/** Throws DealerError 409. */
async function expectFreeEmail(
  transaction: Transaction,
  email: string,
  taker: string | null,
): Promise<void> {
  if (!isFree(await emailOf(transaction, email), taker)) throw conflict(EMAIL_TAKEN);
}

/** The fields with these names that are not undefined. */
function chosen<Name extends keyof Profile>(
  given: ProfileChange,
  names: readonly Name[],
): Partial<Pick<Profile, Name>> {
  const present = names.filter((name) => given[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, given[name]])) as Pick<Profile, Name>;
}

/** An admin as the API shows it. */
export function adminBody({ username, role, createdAtMs, updatedAtMs }: AdminRecord) {
  return {
    username,
    role,
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}
