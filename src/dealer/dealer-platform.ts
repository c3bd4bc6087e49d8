import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { OWNED_CARS_MAX } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import type { TwinService } from '../twin-service.ts';
import { Accounts } from './accounts.ts';
import { Cars } from './cars.ts';
import { CountsInMemory } from './counts-in-memory.ts';
import { CountsInStore } from './counts-in-store.ts';
import { Customers } from './customers.ts';
import { DealerList } from './dealer-list.ts';
import { Dealers } from './dealers.ts';
import { LoginAttempts } from './login-attempts.ts';
import type { PasswordHasher } from './passwords.ts';
import { Registry } from './registry.ts';
import { Secrets } from './secrets.ts';
import { Seeding } from './seeding.ts';
import { Sessions } from './sessions.ts';
import { type NodeCounts, stateReader } from './state.ts';
import type { TokenSigner } from './token-signer.ts';
import { Tokens } from './tokens.ts';
import { TwinCars } from './twin-cars.ts';

export { Passwords } from './passwords.ts';
export { joseSigner } from './token-signer.ts';

const SWEEP_MS = 60_000;

type DealerSettings = Pick<
  Config,
  | 'demo'
  | 'tokenLifetimeS'
  | 'fieldKey'
  | 'rateLimits'
  | 'fleetCarsMax'
  | 'dealerCustomersMax'
  | 'customersMax'
>;

interface DealerPlatformDependencies {
  store: Store;
  clock: Clock;
  time: Time;
  random: Random;
  log: Log;
  worlds: Pick<TwinService, 'presence'>;
  node: NodeCounts;
  makePasswords: () => PasswordHasher;
  signer: TokenSigner;
}

/** The dealer platform: accounts, fleets, owners, and the remote flags of cars. */
export type DealerPlatform = Awaited<ReturnType<typeof openDealerPlatform>>;

/** Opens the platform on a store, and fills an empty store. */
export async function openDealerPlatform(
  dependencies: DealerPlatformDependencies,
  settings: DealerSettings,
) {
  const { store, clock, time, random, log, worlds, node } = dependencies;
  const { demo, tokenLifetimeS, fieldKey, rateLimits } = settings;
  const registry = new Registry(store, random, time);
  const [tokens, secrets, counts] = await Promise.all([
    Tokens.open(dependencies, tokenLifetimeS),
    Secrets.open(store, random, fieldKey),
    // Where other nodes use the store, they all count together.
    store.heartbeats ? CountsInStore.open(store, clock, random) : new CountsInMemory(),
  ]);
  const passwords = dependencies.makePasswords();
  const attempts = new LoginAttempts(rateLimits, clock, counts);
  const sessions = new Sessions(registry, tokens, clock);
  const customers = new Customers(registry, secrets, {
    dealerMax: settings.dealerCustomersMax,
    max: settings.customersMax,
  });
  const shared = { registry, passwords, secrets, clock, random, demo };
  const accounts = new Accounts({ ...shared, sessions, tokens, attempts, customers });
  const twin = new TwinCars(worlds.presence);
  const bounds = { fleetMax: settings.fleetCarsMax, ownedMax: OWNED_CARS_MAX };
  const cars = new Cars({ registry, sessions, twin, clock, random, ...bounds });
  const dealers = new Dealers({ registry, sessions, cars, customers, clock });
  const seeding = new Seeding({ ...shared, sessions });
  const state = stateReader({ registry, cars, customers, dealers }, clock, node);
  const dealerList = new DealerList(registry, dealers, clock, time);
  const stopSweeping = time.every(SWEEP_MS, () => {
    sessions.sweep().catch((err: unknown) => log.warn({ err }, 'revocations were not swept'));
  });
  const close = async () => {
    stopSweeping();
    dealerList.close();
    await passwords.close();
  };
  try {
    await seeding.seed();
    await registry.takeOver();
    // Read now: no caller has to wait for it.
    const { revision } = await registry.edition();
    await Promise.all([dealers.list(revision), cars.tally(revision), customers.tally(revision)]);
  } catch (error) {
    await close();
    throw error;
  }
  const services = { accounts, cars, customers, dealers, dealerList, seeding, sessions, state };
  return { ...services, tokens, passwords, close };
}
