import type { Write } from '../store/contract.ts';
import { type AccountsDependencies, newAccount, nextCredential } from './accounts.ts';
import {
  DEMO_ADMIN,
  DEMO_CARS,
  DEMO_CUSTOMERS,
  DEMO_DEALERS,
  DEMO_PASSWORDS,
  type DemoCar,
  type DemoCustomer,
  FIRST_DAY_MS,
} from './demo.ts';
import { conflict } from './errors.ts';
import type { Edition } from './reader.ts';
import {
  type AccountRecord,
  type AdminRecord,
  type CarRecord,
  type CustomerRecord,
  type DealerRecord,
  type EmailRecord,
  keys,
  ROLES,
  type Role,
  SECRET_FIELDS,
} from './records.ts';
import type { Session } from './sessions.ts';

type SeedingDependencies = Pick<
  AccountsDependencies,
  'registry' | 'sessions' | 'passwords' | 'secrets' | 'clock' | 'random' | 'demo'
>;

/** Fills an empty store, and resets it to the demo data. */
export class Seeding {
  readonly #dependencies: SeedingDependencies;
  #isResetting = false;

  constructor(dependencies: SeedingDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Fills an empty store. In a filled one, disables the published log-ins that the settings exclude:
   * all with demo mode off, that of the admin if it has a password of its own.
   */
  async seed(): Promise<void> {
    const { registry, demo } = this.#dependencies;
    const edition = await registry.edition();
    const isFilled = edition.generation > 0 || !(await this.#fill(edition));
    if (isFilled && demo.adminPassword !== undefined) {
      await this.#closeKnownLogins(demo.adminPassword, demo.demo ? ['admin'] : ROLES);
    }
    await registry.sweep();
  }

  /** Returns false if another node has filled the store meanwhile. */
  async #fill(empty: Edition): Promise<boolean> {
    const { registry, demo } = this.#dependencies;
    const seeds = demo.demo ? await this.#demoSeeds() : await this.#firstAdmin(demo.adminPassword);
    return registry.switchFrom(empty, async (generation) => writesOf(seeds, generation));
  }

  async #firstAdmin(adminPassword: string): Promise<Seeds> {
    const { passwords, clock, random } = this.#dependencies;
    const password = await passwords.hash(adminPassword);
    const admin = newAccount(random, DEMO_ADMIN, password, clock.now());
    return { accounts: [{ ...admin, role: 'admin' }], cars: [] };
  }

  async #closeKnownLogins(adminPassword: string, closed: readonly Role[]): Promise<void> {
    const { registry, passwords, clock } = this.#dependencies;
    const password = await passwords.hash(adminPassword);
    await registry.change(async (transaction) => {
      transaction.checkEverything();
      const roles = closed.map((role) =>
        transaction.all<AccountRecord>(keys.accounts(transaction.generation, role)),
      );
      for (const known of (await Promise.all(roles)).flat().filter(({ isDemo }) => isDemo)) {
        transaction.put(keys.account(transaction.generation, known), {
          ...known,
          password: known.role === 'admin' ? password : null,
          credential: nextCredential(known, clock.now()),
          keptToken: null,
          isDemo: false,
        });
      }
    });
  }

  /**
   * Restores the demo data in one commit, and ends every token but the caller's. Throws DealerError
   * 409 if there is no demo data or another reset is running, 401 if the caller's token has ended meanwhile.
   */
  async reset(session: Session): Promise<{ dealers: number; customers: number; cars: number }> {
    const { registry, sessions, clock, demo } = this.#dependencies;
    if (!demo.demo) throw conflict('There is no demo data to restore');
    if (this.#isResetting) throw conflict('A reset is running');
    this.#isResetting = true;
    try {
      const edition = await registry.edition();
      const seeds = await this.#demoSeeds();
      const isDone = await registry.switchFrom(edition, async (to, transaction) => {
        const account = await sessions.revalidate(transaction, session);
        return writesOf(keeping(seeds, { ...session, account }, clock.now()), to);
      });
      if (!isDone) throw conflict('A reset is running');
      // The reset is done; the next sweep removes what this one could not.
      await registry.sweep().catch(() => {});
    } finally {
      this.#isResetting = false;
    }
    return {
      dealers: DEMO_DEALERS.length,
      customers: DEMO_CUSTOMERS.length,
      cars: DEMO_CARS.length,
    };
  }

  async #demoSeeds(): Promise<Seeds> {
    const { passwords, random, demo } = this.#dependencies;
    const { adminPassword } = demo;
    const given = { ...DEMO_PASSWORDS, ...(adminPassword && { admin: adminPassword }) };
    const [admin = '', dealer = '', user = ''] = await Promise.all(
      Object.values(given).map((password) => passwords.hash(password)),
    );
    const isPublished = adminPassword === undefined;
    const root: AdminRecord = {
      ...newAccount(random, DEMO_ADMIN, admin, FIRST_DAY_MS),
      ...{ role: 'admin', isDemo: isPublished },
    };
    const dealers = DEMO_DEALERS.map(({ username, name, city, createdAtMs }): DealerRecord => {
      const common = newAccount(random, username, dealer, createdAtMs);
      return { ...common, role: 'dealer', isDemo: true, name, city };
    });
    const customers = DEMO_CUSTOMERS.map((each) => this.#customer(each, user));
    const byName = new Map(customers.map((each) => [each.username, each]));
    const cars = DEMO_CARS.map((each) => carRecord(each, byName));
    return { accounts: [root, ...dealers, ...customers], cars };
  }

  #customer({ username, dealer, profile, secrets, createdAtMs }: DemoCustomer, password: string) {
    const { random, secrets: cipher } = this.#dependencies;
    const common = newAccount(random, username, password, createdAtMs);
    const sealed = SECRET_FIELDS.map((field) => [
      field,
      cipher.encrypt(common.id, field, secrets[field]),
    ]);
    const record: CustomerRecord = {
      ...common,
      role: 'user',
      isDemo: true,
      dealer,
      profile,
      secrets: Object.fromEntries(sealed),
    };
    return record;
  }
}

interface Seeds {
  accounts: AccountRecord[];
  cars: CarRecord[];
}

/** The admin of the demo data takes over id and token of the admin who resets. */
function keeping(seeds: Seeds, { account, claims }: Session, nowMs: number): Seeds {
  const kept = { id: account.id, credential: nextCredential(account, nowMs) };
  const accounts = seeds.accounts.map((each) =>
    each.role === 'admin' ? { ...each, ...kept, keptToken: claims.token } : each,
  );
  return { ...seeds, accounts };
}

function carRecord(
  { owner, ...car }: DemoCar,
  customers: ReadonlyMap<string, CustomerRecord>,
): CarRecord {
  const holder = owner && customers.get(owner.username);
  if (!owner || !holder) return { ...car, owner: null };
  const { id, username, profile } = holder;
  const { since } = owner;
  return { ...car, owner: { email: profile.email ?? '', since, account: id, username } };
}

/** The records and their indexes. */
function writesOf({ accounts, cars }: Seeds, generation: number): Write[] {
  const emails = new Map<string, EmailRecord & { cars: [string, string][] }>();
  const writes: Write[] = [];
  for (const account of accounts) {
    const { role, id, username } = account;
    writes.push({ key: keys.account(generation, account), value: account });
    writes.push({ key: keys.name(generation, username), value: { role, id } });
    if (account.role !== 'user' || account.profile.email === null) continue;
    emails.set(account.profile.email, { holder: { id, username }, cars: [] });
  }
  for (const car of cars) {
    const { vin, owner } = car;
    writes.push({ key: keys.car(generation, vin), value: car });
    if (owner?.account == null) continue;
    writes.push({ key: keys.owned(generation, owner.account, vin), value: 0 });
    emails.get(owner.email)?.cars.push([vin, owner.account]);
  }
  for (const [email, value] of emails) writes.push({ key: keys.email(generation, email), value });
  return writes;
}
