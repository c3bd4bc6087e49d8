import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { Store } from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';
import type { TwinService } from '../twin-service.ts';
import { Accounts } from './accounts.ts';
import { Cars } from './cars.ts';
import { Customers } from './customers.ts';
import { DealerList } from './dealer-list.ts';
import { Dealers } from './dealers.ts';
import { LoginAttempts } from './login-attempts.ts';
import { Passwords } from './passwords.ts';
import { Registry } from './registry.ts';
import { Secrets } from './secrets.ts';
import { Seeding } from './seeding.ts';
import { Sessions } from './sessions.ts';
import { type NodeCounts, State } from './state.ts';
import { Tokens } from './tokens.ts';
import { TwinCars } from './twin-cars.ts';

const SWEEP_MS = 60_000;

type DealerSettings = Pick<Config, 'demo' | 'tokenLifetimeS' | 'fieldKey' | 'rateLimits'>;

interface DealerPlatformDependencies {
  store: Store;
  clock: Clock;
  time: Time;
  random: Random;
  log: Log;
  worlds: Pick<TwinService, 'peek' | 'load'>;
  node: NodeCounts;
}

/** The dealer platform: accounts, fleets, owners, and the remote flags of cars. */
export class DealerPlatform {
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  readonly accounts: Accounts;
  readonly dealers: Dealers;
  readonly dealerList: DealerList;
  readonly customers: Customers;
  readonly cars: Cars;
  readonly seeding: Seeding;
  readonly state: State;
  readonly #stopSweeping: StopTimer;

  private constructor(
    { store, clock, time, random, log, worlds, node }: DealerPlatformDependencies,
    { demo, rateLimits }: DealerSettings,
    { tokens, passwords, secrets }: { tokens: Tokens; passwords: Passwords; secrets: Secrets },
  ) {
    const registry = new Registry(store);
    const attempts = new LoginAttempts(rateLimits, clock);
    this.tokens = tokens;
    this.passwords = passwords;
    const sessions = new Sessions(registry, tokens, clock);
    const customers = new Customers(registry, secrets);
    this.sessions = sessions;
    this.customers = customers;
    this.accounts = new Accounts({
      registry,
      sessions,
      tokens,
      passwords,
      attempts,
      secrets,
      customers,
      clock,
      random,
    });
    this.dealers = new Dealers(registry, sessions);
    this.dealerList = new DealerList(registry, this.dealers, clock, time);
    this.cars = new Cars(registry, sessions, new TwinCars(worlds), clock);
    this.seeding = new Seeding({ registry, passwords, secrets, clock, random, demo });
    this.state = new State(registry, clock, node);
    this.#stopSweeping = time.every(SWEEP_MS, () => {
      sessions.sweep().catch((err: unknown) => log.warn({ err }, 'revocations were not swept'));
    });
  }

  /** Opens the platform on a store, and fills that where it is empty. */
  static async open(
    dependencies: DealerPlatformDependencies,
    settings: DealerSettings,
  ): Promise<DealerPlatform> {
    const { store, clock, random } = dependencies;
    const tokens = await Tokens.open(store, clock, random, settings.tokenLifetimeS);
    const secrets = await Secrets.open(store, random, settings.fieldKey);
    const passwords = new Passwords(random);
    const platform = new DealerPlatform(dependencies, settings, { tokens, passwords, secrets });
    try {
      await platform.seeding.seed();
      return platform;
    } catch (error) {
      await platform.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stopSweeping();
    this.dealerList.close();
    await this.passwords.close();
  }
}
