import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/contract.ts';
import type { TwinService } from '../twin/service.ts';
import { Accounts } from './accounts.ts';
import { Cars } from './cars.ts';
import { Customers } from './customers.ts';
import { DealerList } from './dealer-list.ts';
import { Dealers } from './dealers.ts';
import { type AttemptLimits, LoginAttempts } from './login-attempts.ts';
import { Passwords } from './passwords.ts';
import { Registry } from './registry.ts';
import { Secrets } from './secrets.ts';
import { type DemoMode, Seeding } from './seeding.ts';
import { Sessions } from './sessions.ts';
import { State, type Surroundings } from './state.ts';
import { Tokens } from './tokens.ts';
import { TwinCars } from './twin-cars.ts';

const SWEEP_MS = 60_000;

export interface DealerSettings {
  mode: DemoMode;
  tokenLifetimeS: number;
  attempts: AttemptLimits | 'off';
  /** 32 bytes that profiles are encrypted with; undefined: of the store. */
  fieldKey: Uint8Array | undefined;
}

interface PlatformParts {
  store: Store;
  clock: Clock;
  log: Log;
  worlds: Pick<TwinService, 'peek' | 'load'>;
  around: Surroundings;
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
  readonly #sweeper: NodeJS.Timeout;

  private constructor(
    { store, clock, log, worlds, around }: PlatformParts,
    settings: DealerSettings,
    { tokens, passwords, secrets }: { tokens: Tokens; passwords: Passwords; secrets: Secrets },
  ) {
    const registry = new Registry(store);
    const attempts = new LoginAttempts(settings.attempts, clock);
    this.tokens = tokens;
    this.passwords = passwords;
    this.sessions = new Sessions(registry, tokens, clock);
    const { sessions } = this;
    this.customers = new Customers(registry, secrets);
    const { customers } = this;
    const parts = { registry, sessions, tokens, passwords, attempts, secrets, customers, clock };
    this.accounts = new Accounts(parts);
    this.dealers = new Dealers(registry, sessions);
    this.dealerList = new DealerList(registry, this.dealers, clock);
    this.cars = new Cars(registry, sessions, new TwinCars(worlds), clock);
    this.seeding = new Seeding({ registry, passwords, secrets, clock, mode: settings.mode });
    this.state = new State(registry, clock, around);
    this.#sweeper = setInterval(() => {
      sessions.sweep().catch((err: unknown) => log.warn({ err }, 'revocations were not swept'));
    }, SWEEP_MS).unref();
  }

  /** Opens the platform on a store, and fills that where it is empty. */
  static async open(parts: PlatformParts, settings: DealerSettings): Promise<DealerPlatform> {
    const { store, clock } = parts;
    const tokens = await Tokens.open(store, clock, settings.tokenLifetimeS);
    const secrets = await Secrets.open(store, settings.fieldKey);
    const passwords = new Passwords();
    const platform = new DealerPlatform(parts, settings, { tokens, passwords, secrets });
    try {
      await platform.seeding.seed();
      return platform;
    } catch (error) {
      await platform.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.dealerList.close();
    await this.passwords.close();
  }
}
