import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemRandom } from '../random.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { TurnCount } from '../testing/doubles/turn-count.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { Cars } from './cars.ts';
import { Customers } from './customers.ts';
import { Dealers } from './dealers.ts';
import { type CarRecord, type CustomerRecord, type DealerRecord, keys } from './records.ts';
import { Registry } from './registry.ts';
import type { DealerRemoval } from './schemas.ts';
import { Secrets } from './secrets.ts';
import type { Session, Sessions } from './sessions.ts';
import { Transaction } from './transaction.ts';
import { TwinCars } from './twin-cars.ts';

const ADMIN = { account: { id: '1', username: 'admin', role: 'admin' } } as unknown as Session;
const NOW_MS = 1_000_000;
const COUNT = 300;
/** Records whose change takes some hundred µs, each with what is noted of it. */
const WRITES_MAX = 2 * 64;

let temp: TempStore<EmbeddedStore>;
let registry: Registry;
let cars: Cars;
let customers: Customers;
let dealers: Dealers;
beforeEach(async () => {
  temp = await tempStore(openIn);
  registry = new Registry(temp.store, systemRandom, systemTime);
  const sessions = {
    revalidate: async (_: unknown, { account }: Session) => account,
  } as unknown as Sessions;
  const twin = new TwinCars({ isKnown: () => false, find: () => 'gone' });
  const clock = new ManualClock(NOW_MS);
  const bounds = { fleetMax: COUNT, ownedMax: COUNT };
  cars = new Cars({ registry, sessions, twin, clock, random: systemRandom, ...bounds });
  const secrets = await Secrets.open(temp.store, systemRandom, undefined);
  customers = new Customers(registry, secrets, { dealerMax: COUNT, max: 2 * COUNT });
  dealers = new Dealers({ registry, sessions, cars, customers, clock });
  await registry.change(async (transaction) => {
    for (const id of ['nordbil', 'sydmotor']) {
      const dealer = { id, username: id, role: 'dealer' } as DealerRecord;
      transaction.put(keys.account(0, dealer), dealer);
      transaction.put(keys.name(0, id), { role: 'dealer', id });
    }
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await temp.destroy();
});

const carOf = (i: number, dealer: string) =>
  ({ vin: `V${i}`, dealer, owner: null, updatedAtMs: 0 }) as CarRecord;

const customerOf = (i: number, dealer: string) =>
  ({ id: `c${i}`, username: `c${i}`, role: 'user', dealer, updatedAtMs: 0 }) as CustomerRecord;

/** So many cars and customers of each. */
const fill = (dealer: string, from: number, count: number) =>
  registry.change(async (transaction) => {
    for (let i = from; i < from + count; i++) {
      const customer = customerOf(i, dealer);
      transaction.put(keys.car(0, `V${i}`), carOf(i, dealer));
      transaction.put(keys.account(0, customer), customer);
    }
  });

async function remove(pay: (records: number) => void = () => {}): Promise<DealerRemoval> {
  return dealers.remove(ADMIN, 'nordbil', 'sydmotor', pay);
}

/** Cars and customers of a dealer. */
async function countsOf(dealer: string): Promise<[cars: number, customers: number]> {
  const { revision } = await registry.edition();
  const ofCars = await cars.tally(revision);
  return [ofCars.ofDealer.of(dealer), (await customers.tally(revision)).countOf(dealer)];
}

test('[D16, R37] a dealer with many cars and customers is removed in one commit, and in slices', async () => {
  await fill('nordbil', 0, COUNT);
  await fill('sydmotor', COUNT, 5);
  await countsOf('nordbil');
  const [lists, commits] = [vi.spyOn(temp.store, 'list'), vi.spyOn(temp.store, 'commit')];
  const writes = new TurnCount();
  const { put } = Transaction.prototype;
  vi.spyOn(Transaction.prototype, 'put').mockImplementation(function (this: Transaction, ...args) {
    writes.add();
    put.apply(this, args);
  });
  const moved = { cars: COUNT, customers: COUNT };
  expect(await remove()).toEqual({ deleted: 'nordbil', reassigned_to: 'sydmotor', ...moved });
  expect(writes.total).toBe(4 * COUNT);
  expect(writes.most).toBeLessThanOrEqual(WRITES_MAX);
  // The records of others are not read.
  expect(lists).not.toHaveBeenCalled();
  expect(commits).toHaveBeenCalledTimes(1);
  expect(await countsOf('nordbil')).toEqual([0, 0]);
  expect(await countsOf('sydmotor')).toEqual([COUNT + 5, COUNT + 5]);
  const car = await temp.store.get<CarRecord>(keys.car(0, 'V7'));
  expect(car?.value).toMatchObject({ dealer: 'sydmotor', changeCount: 1, updatedAtMs: NOW_MS });
});

test('[L20] the removal of a dealer pays for what it changes, and changes nothing if it cannot', async () => {
  await fill('nordbil', 0, 3);
  await fill('sydmotor', 10, 5);
  const pay = vi.fn((_: number): void => {
    throw new Error('too dear');
  });
  await expect(remove(pay)).rejects.toThrow('too dear');
  expect(pay.mock.calls).toEqual([[6]]);
  expect(await countsOf('nordbil')).toEqual([3, 3]);
  expect(await remove()).toMatchObject({ cars: 3, customers: 3 });
  await expect(remove(pay)).rejects.toMatchObject({ status: 404 });
  expect(pay).toHaveBeenCalledTimes(1);
});

test('[L20] the removal of a dealer pays once, however often it is attempted', async () => {
  await fill('nordbil', 0, 3);
  const pay = vi.fn();
  const refused = vi.spyOn(temp.store, 'commit').mockResolvedValueOnce(false);
  expect(await remove(pay)).toMatchObject({ cars: 3, customers: 3 });
  expect(refused.mock.calls.length).toBeGreaterThan(1);
  expect(pay.mock.calls).toEqual([[6]]);
});

test('[D16] a dealer is removed however often its cars change meanwhile', async () => {
  await fill('nordbil', 0, COUNT);
  const removed = remove();
  let isGone = false;
  void removed.then(
    () => (isGone = true),
    () => (isGone = true),
  );
  let changed = 0;
  for (; !isGone; changed++) await cars.setState(ADMIN, 'V7', { locked: changed % 2 === 0 });
  expect(await removed).toMatchObject({ cars: COUNT, customers: COUNT });
  expect(changed).toBeGreaterThan(0);
  expect(await countsOf('nordbil')).toEqual([0, 0]);
  expect(await countsOf('sydmotor')).toEqual([COUNT, COUNT]);
});
