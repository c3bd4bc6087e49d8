import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { systemRandom } from '../random.ts';
import type { Heartbeats, Key, Store } from '../store/contract.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { sharedStore } from '../testing/doubles/shared-store.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import type { Car } from './cars.ts';
import {
  type DealerPlatform,
  joseSigner,
  openDealerPlatform,
  Passwords,
} from './dealer-platform.ts';
import { DEMO_PASSWORDS } from './demo.ts';
import type { Listing } from './listing.ts';
import { keys } from './records.ts';

const LIMITS = { failedLogins: 5, failedLoginWaitS: 60 };
const FLEET_MAX = 150;
const ADDRESS = 'x';
const TOKEN_S = 28_800;

let temp: TempStore<EmbeddedStore>;
let clock: ManualClock;
let opened: DealerPlatform[];
beforeEach(async () => {
  temp = await tempStore(openIn);
  clock = new ManualClock(Date.UTC(2026, 0, 1));
  opened = [];
});
afterEach(async () => {
  for (const platform of opened) await platform.close();
  await temp.destroy();
});

async function open(
  name: string,
  demo = true,
  store: Store = sharedStore(temp.store, name, systemTime),
): Promise<DealerPlatform> {
  const platform = await openDealerPlatform(
    {
      store,
      clock,
      time: systemTime,
      random: systemRandom,
      log: createLog('silent'),
      worlds: { presence: { isKnown: () => false, find: () => 'gone' } },
      node: { worlds: async () => 0, nodes: () => 2 },
      makePasswords: () => new Passwords(systemRandom),
      signer: joseSigner,
    },
    {
      demo: demo ? { demo } : { demo, adminPassword: 'a password of its own' },
      tokenLifetimeS: TOKEN_S,
      fieldKey: undefined,
      rateLimits: LIMITS as never,
      fleetCarsMax: FLEET_MAX,
      dealerCustomersMax: 1000,
      customersMax: 1000,
    },
  );
  opened.push(platform);
  return platform;
}

async function logIn(platform: DealerPlatform, username: string, password: string) {
  const { token } = await platform.accounts.logIn({ username, password, address: ADDRESS });
  return `Bearer ${token}`;
}

const { admin: ADMIN, dealer: DEALER, user: CUSTOMER } = DEMO_PASSWORDS;

async function textsOf({ batches }: Listing): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of batches) texts.push(...batch);
  return texts;
}

async function carsAt({ cars, sessions }: DealerPlatform, token: string): Promise<string[]> {
  const encode = (car: Car) => JSON.stringify(car);
  return textsOf(await cars.list(await sessions.find(token), {}, encode));
}

const dealersAt = async ({ dealerList }: DealerPlatform) => textsOf(await dealerList.read({}));

const UNAUTHORISED = { status: 401 };

describe('what one node answers, the other one knows at the next call:', () => {
  let here: DealerPlatform;
  let there: DealerPlatform;
  let token: string;
  beforeEach(async () => {
    [here, there] = [await open('here'), await open('there')];
    token = await logIn(here, 'admin', ADMIN);
    expect((await there.sessions.find(token)).account.username).toBe('admin');
  });

  test('[D5] a logout', async () => {
    const other = await logIn(there, 'admin', ADMIN);
    await here.sessions.end(token);
    await expect(there.sessions.find(token)).rejects.toMatchObject(UNAUTHORISED);
    expect((await there.sessions.find(other)).account.username).toBe('admin');
  });

  test('a logout, kept for longer than a clock that is behind accepts the token', async () => {
    await here.sessions.end(token);
    clock.advance(TOKEN_S * 1000 + 1);
    await here.sessions.sweep();
    clock.advance(-1000);
    await expect(there.sessions.find(token)).rejects.toMatchObject(UNAUTHORISED);
    const revocations = () => temp.store.list(['dealers', 'revoked'], { limit: 10 });
    expect(await revocations()).toHaveLength(1);
    clock.advance(TOKEN_S * 1000 + 1000);
    await here.sessions.sweep();
    expect(await revocations()).toHaveLength(0);
  });

  test('a new password', async () => {
    const other = await logIn(there, 'admin', ADMIN);
    const change = { current_password: ADMIN, new_password: 'something else' };
    await here.accounts.changeAdmin(await here.sessions.find(token), ADDRESS, change);
    await expect(there.sessions.find(other)).rejects.toMatchObject(UNAUTHORISED);
    expect((await there.sessions.find(token)).account.username).toBe('admin');
    await expect(logIn(there, 'admin', ADMIN)).rejects.toMatchObject(UNAUTHORISED);
    await logIn(there, 'admin', 'something else');
  });

  test('a new password, also once the store has lost the last one', async () => {
    const { account, claims } = await here.sessions.find(token);
    const key = keys.account(1, claims.account);
    const renew = async (by: string, from: string, to: string) => {
      const change = { current_password: from, new_password: to };
      await here.accounts.changeAdmin(await here.sessions.find(by), ADDRESS, change);
    };
    const write = { key, value: account };
    await renew(token, ADMIN, 'something else');
    const other = await logIn(there, 'admin', 'something else');
    // As if it had the account from before.
    await temp.store.commit([], [write, { key: keys.revision, value: 1 }]);
    await expect(there.sessions.find(other)).rejects.toMatchObject(UNAUTHORISED);
    clock.advance(1);
    await renew(token, ADMIN, 'something new');
    await expect(there.sessions.find(other)).rejects.toMatchObject(UNAUTHORISED);
    expect((await there.sessions.find(token)).account.username).toBe('admin');
  });

  test('a logout at a node whose clock is behind', async () => {
    clock.advance(60_000);
    const later = await logIn(there, 'admin', ADMIN);
    clock.advance(-60_000);
    await here.sessions.end(later);
    clock.advance(60_000);
    await expect(there.sessions.find(later)).rejects.toMatchObject(UNAUTHORISED);
  });

  test('a logout of a revision that the store gives again after a loss', async () => {
    const inner = sharedStore(temp.store, 'third', systemTime);
    const heartbeats = { ...(inner.heartbeats as Heartbeats), lossCount: 0 };
    const isRevision = (key: Key) => JSON.stringify(key) === JSON.stringify(keys.revision);
    const third = await open('third', true, {
      ...{ ...inner, heartbeats },
      async get<T>(key: Key) {
        const entry = await inner.get<T>(key);
        return entry && isRevision(key) ? { ...entry, version: 7 } : entry;
      },
    });
    await third.sessions.find(token);
    await here.sessions.end(token);
    expect((await third.sessions.find(token)).revision).toBe(7);
    heartbeats.lossCount++;
    await expect(third.sessions.find(token)).rejects.toMatchObject(UNAUTHORISED);
  });

  test('a deleted account, and its role', async () => {
    const dealer = await logIn(there, 'nordbil', DEALER);
    const session = await there.sessions.find(dealer);
    expect(await dealersAt(there)).toHaveLength(4);
    await here.dealers.remove(await here.sessions.find(token), 'nordbil', null, () => {});
    await expect(there.sessions.find(dealer)).rejects.toMatchObject(UNAUTHORISED);
    await expect(there.cars.addToFleet(session, 'NEW', null)).rejects.toMatchObject(UNAUTHORISED);
    expect(await dealersAt(there)).toHaveLength(3);
    await expect(logIn(there, 'nordbil', DEALER)).rejects.toMatchObject(UNAUTHORISED);
  });

  test('a reset, which ends all tokens but its own', async () => {
    const other = await logIn(there, 'admin', ADMIN);
    const seeded = await carsAt(there, token);
    await there.cars.setState(await there.sessions.find(other), 'DEMCAR00000000001', {
      locked: true,
    });
    expect(await carsAt(here, token)).not.toEqual(seeded);
    await here.seeding.reset(await here.sessions.find(token));
    await expect(there.sessions.find(other)).rejects.toMatchObject(UNAUTHORISED);
    expect(await carsAt(there, token)).toEqual(seeded);
    expect(await carsAt(here, token)).toEqual(seeded);
  });

  test('[D19] a token that has ended, also for a reset for which it was valid a moment ago', async () => {
    const other = await logIn(there, 'admin', ADMIN);
    const session = await here.sessions.find(token);
    const renewed = { current_password: ADMIN, new_password: 'a new secret' };
    await there.accounts.changeAdmin(await there.sessions.find(other), ADDRESS, renewed);
    await expect(here.seeding.reset(session)).rejects.toMatchObject(UNAUTHORISED);
    await expect(here.sessions.find(token)).rejects.toMatchObject(UNAUTHORISED);
    expect((await here.sessions.find(other)).account.username).toBe('admin');
  });

  test('failed log-ins', async () => {
    const wrong = () => logIn(there, 'anna', 'wrong');
    for (let i = 0; i < 5; i++) await expect(wrong()).rejects.toMatchObject(UNAUTHORISED);
    await expect(logIn(here, 'anna', CUSTOMER)).rejects.toMatchObject({ status: 429 });
    clock.advance(1000);
    await logIn(here, 'anna', CUSTOMER);
  });
});

describe('two nodes that change records', () => {
  let nodes: DealerPlatform[];
  let token: string;
  beforeEach(async () => {
    nodes = [await open('here'), await open('there')];
    token = await logIn(nodes[0] as DealerPlatform, 'admin', ADMIN);
  });

  const add = async ({ cars, sessions }: DealerPlatform, vin: string) =>
    cars.addToFleet(await sessions.find(token), vin, 'nordbil');

  /** The same list at both; the VINs that begin with `A`. */
  async function addedVins(): Promise<string[]> {
    const [here, there] = await Promise.all(nodes.map((node) => carsAt(node, token)));
    expect(here).toEqual(there);
    const vins = here?.map((text) => JSON.parse(text).vin as string) ?? [];
    return vins.filter((vin) => vin.startsWith('A'));
  }

  test('in turn lose no change, and both have the list as it is', async () => {
    const added: string[] = [];
    for (let i = 0; i < 10; i++) {
      for (const [n, node] of nodes.entries()) {
        added.push((await add(node, `A${i}.${n}`)).vin);
        expect(await addedVins()).toEqual(added.toSorted());
      }
    }
  });

  test('at the same time lose no change, and refuse none for lack of turns', async () => {
    const COUNT = 200;
    const vin = 'DEMCAR00000000001';
    const changes = nodes.flatMap(({ cars, sessions }, n) =>
      Array.from({ length: COUNT }, async (_, i) => {
        const session = await sessions.find(token);
        if (i % 2 === 0) return cars.addToFleet(session, `A${i}.${n}`, 'sydmotor');
        return cars.setState(session, vin, { locked: i % 4 === 1 });
      }),
    );
    const outcomes = await Promise.allSettled(changes);
    const made = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value.vin] : [],
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 409 });
    }
    // The fleet takes fewer than both want to add.
    const added = made.filter((each) => each !== vin);
    expect(await addedVins()).toEqual(added.toSorted());
    expect(made.length - added.length).toBe(COUNT);
    const { fleets } = await (nodes[1] as DealerPlatform).state();
    expect(fleets.find(({ dealer }) => dealer === 'sydmotor')?.cars).toBe(FLEET_MAX);
  });

  test('do not keep each other from changes that read a long list', async () => {
    // Each takes far longer than taking the records over.
    const work = nodes.map(async ({ dealers, accounts, sessions }, n) => {
      for (let i = 0; i < 10; i++) {
        const session = await sessions.find(token);
        const dealer = { username: `house${n}.${i}`, password: 'secret', name: 'H', city: 'C' };
        await accounts.createDealer(session, dealer);
        await dealers.remove(session, dealer.username, null, () => {});
      }
    });
    await Promise.all(work);
    for (const node of nodes) expect(await dealersAt(node)).toHaveLength(4);
  });

  test('reset at the same time: one does, the other says so, or does it afterwards', async () => {
    const resets = nodes.map(async ({ seeding, sessions }) =>
      seeding.reset(await sessions.find(token)),
    );
    const outcomes = await Promise.allSettled(resets);
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({ status: 409, detail: 'A reset is running' });
      }
    }
  });

  test('a reset is not refused because the other one changes a car', async () => {
    const [here, there] = nodes as [DealerPlatform, DealerPlatform];
    for (let i = 0; i < 5; i++) {
      const resetting = here.seeding.reset(await here.sessions.find(token));
      const changes = Array.from({ length: 20 }, (_, j) => add(there, `A${i}.${j}`));
      expect(await resetting).toMatchObject({ cars: 40 });
      // The token is kept.
      expect(await Promise.all(changes)).toHaveLength(20);
    }
  });
});

describe('two nodes that start at once', () => {
  test.each([true, false])('on an empty store fill it once, with demo mode: %s', async (demo) => {
    const nodes = await Promise.all(['here', 'there'].map((name) => open(name, demo)));
    const password = demo ? ADMIN : 'a password of its own';
    const tokens = await Promise.all(nodes.map((node) => logIn(node, 'admin', password)));
    for (const token of tokens) {
      for (const node of nodes) {
        expect((await node.sessions.find(token)).account.username).toBe('admin');
        expect(await carsAt(node, token)).toHaveLength(demo ? 40 : 0);
      }
    }
    const generations = await temp.store.list(['dealers', 2], { limit: 1 });
    expect(generations).toEqual([]);
  });
});
