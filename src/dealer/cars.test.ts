import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '../random.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { fleetOf } from '../twin/fleet.ts';
import { vinOf } from '../twin/vin.ts';
import type { Absence, PresentWorld } from '../twin-service.ts';
import { type Car, Cars } from './cars.ts';
import { setHolder } from './emails.ts';
import type { Listing } from './listing.ts';
import { keys } from './records.ts';
import { Registry } from './registry.ts';
import type * as schemas from './schemas.ts';
import type { Session, Sessions } from './sessions.ts';
import { TwinCars } from './twin-cars.ts';

let temp: TempStore<EmbeddedStore>;
let registry: Registry;
let cars: Cars;
let encoded: string[];
/** The world of every VIN, if it is at hand. */
let atHand: PresentWorld | undefined;
/** Of all worlds that are not at hand. */
let absence: Absence;
let asked: number;
let whileLoading: () => Promise<void>;
beforeEach(async () => {
  temp = await tempStore(openIn);
  registry = new Registry(temp.store, systemRandom, systemTime);
  const sessions = { revalidate: async (_: unknown, { account }: Session) => account };
  const twin = new TwinCars({
    isKnown: () => {
      asked++;
      return atHand !== undefined;
    },
    find: () => {
      asked++;
      return atHand ?? whileLoading().then(() => absence);
    },
  });
  cars = new Cars({
    registry,
    sessions: sessions as unknown as Sessions,
    twin,
    clock: new ManualClock(1_000_000),
    random: systemRandom,
    fleetMax: 10,
    ownedMax: 2,
  });
  encoded = [];
  atHand = undefined;
  absence = 'gone';
  asked = 0;
  whileLoading = async () => {};
  await registry.change(async (transaction) => {
    for (const dealer of ['nordbil', 'sydmotor']) {
      transaction.put(keys.name(0, dealer), { role: 'dealer', id: dealer });
    }
    for (const id of ['anna', 'erik']) {
      await setHolder(transaction, `${id}@x.test`, { id, username: id });
    }
  });
});
afterEach(() => temp.destroy());

async function sessionOf(username: string, role = 'dealer'): Promise<Session> {
  const { revision } = await registry.edition();
  const account = { id: username, username, role };
  return { account, revision } as unknown as Session;
}

async function list(username: string, role?: string): Promise<Car[]> {
  const encode = (car: Car) => {
    encoded.push(car.vin);
    return JSON.stringify(car);
  };
  const { batches } = await cars.list(await sessionOf(username, role), {}, encode);
  const texts: string[] = [];
  for await (const batch of batches) texts.push(...batch);
  return texts.map((text) => JSON.parse(text));
}

const add = async (vin: string, dealer = 'nordbil') =>
  cars.addToFleet(await sessionOf(dealer), vin, null);
const own = async (vin: string, name: string) =>
  cars.setOwner(await sessionOf('nordbil'), vin, `${name}@x.test`, '2026');

test('a car is encoded once for all who see it open, and once for all others', async () => {
  for (const vin of ['A', 'B', 'C']) await add(vin);
  await add('D', 'sydmotor');
  expect((await list('nordbil')).map(({ locked }) => locked)).toEqual([false, false, false, null]);
  expect((await list('sydmotor')).map(({ locked }) => locked)).toEqual([null, null, null, false]);
  expect(encoded.splice(0).toSorted()).toEqual(['A', 'A', 'B', 'B', 'C', 'C', 'D', 'D']);
  await list('admin', 'admin');
  await list('nobody', 'user');
  expect(encoded).toEqual([]);
  await cars.setState(await sessionOf('nordbil'), 'B', { locked: true });
  expect((await list('nordbil')).map(({ locked }) => locked)).toEqual([false, true, false, null]);
  expect(encoded).toEqual(['B']);
});

test('[D33] the tag of a list stands for no change that the list does not show', async () => {
  const vin = vinOf(1, 1);
  const record = { vin, dealer: null, owner: null, updatedAtMs: 0 };
  await registry.change(async (transaction) => {
    transaction.put(keys.car(0, vin), record);
  });
  // A change is made while the list waits for the world of a car.
  whileLoading = async () => {
    whileLoading = async () => {};
    await add('B');
  };
  const listed = async () => cars.list(await sessionOf('nordbil'), {}, () => '');
  const before = await listed();
  const after = await listed();
  expect([before.count, after.count]).toEqual([1, 2]);
  expect(before.tag).not.toBe(after.tag);
});

/** Records of cars whose VINs are those of worlds. */
const putTwinCars = (count: number) =>
  registry.change(async (transaction) => {
    for (let world = 1; world <= count; world++) {
      const vin = vinOf(world, 0);
      const record = { vin, dealer: null, owner: null, updatedAtMs: 0 };
      transaction.put(keys.car(0, vin), record);
    }
  });

test('[D33] the first list after the end of a world has another tag', async () => {
  await putTwinCars(1);
  atHand = { id: 'w', fleet: fleetOf(1, 1) };
  const tag = async () => (await cars.list(await sessionOf('nordbil'), {}, () => '')).tag;
  await tag();
  const living = await tag();
  expect(await tag()).toBe(living);
  atHand = undefined;
  expect(await tag()).not.toBe(living);
});

test('a world that was only due is shown once it turns out to live', async () => {
  await putTwinCars(1);
  absence = 'due';
  const shown = async () => (await list('nordbil')).map(({ world }) => world);
  expect(await shown()).toEqual([null]);
  atHand = { id: 'w', fleet: fleetOf(1, 1) };
  expect(await shown()).toEqual(['w']);
  // A world that is gone is not asked for again.
  [atHand, absence] = [undefined, 'gone'];
  expect(await shown()).toEqual([null]);
  asked = 0;
  expect(await shown()).toEqual([null]);
  expect(asked).toBe(0);
});

test('[R37] the worlds of a long list are looked up once for all who wait for it', async () => {
  const count = 300;
  await putTwinCars(count);
  atHand = { id: 'w', fleet: fleetOf(1, 1) };
  await list('nordbil');
  asked = 0;
  await Promise.all(Array.from({ length: 10 }, () => list('nordbil')));
  // The search that runs when the last one asks, and the one after it.
  expect(asked).toBeLessThanOrEqual(2 * count);
});

test('[D36] an owner has a number of cars, and giving one away makes room', async () => {
  for (const vin of ['A', 'B', 'C']) await add(vin);
  await own('A', 'anna');
  const both = await Promise.allSettled([own('B', 'anna'), own('C', 'anna')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const left = both[0].status === 'rejected' ? 'B' : 'C';
  await expect(own(left, 'anna')).rejects.toMatchObject({ status: 409 });
  // Once more the same owner needs no reservation.
  await own('A', 'anna');
  await own('A', 'erik');
  expect((await own(left, 'anna')).owner).toMatchObject({ username: 'anna' });
});

test('[D37] a car is removed by whoever may change it, once nobody owns it, and is gone everywhere', async () => {
  await add('A');
  await add('B');
  await own('A', 'anna');
  const remove = async (vin: string, by: string, role?: string) =>
    cars
      .remove(await sessionOf(by, role), vin, () => {})
      .catch(({ status }: { status: number }) => status);
  expect(await remove('A', 'sydmotor')).toBe(403);
  expect(await remove('A', 'anna', 'user')).toBe(403);
  expect(await remove('A', 'nordbil')).toBe(409);
  expect(await remove('C', 'nordbil')).toBe(404);
  await cars.clearOwner(await sessionOf('nordbil'), 'A');
  expect(await remove('A', 'nordbil')).toBe('A');
  expect((await list('nordbil')).map(({ vin }) => vin)).toEqual(['B']);
  expect(await remove('A', 'admin', 'admin')).toBe(404);
  const { revision } = await registry.edition();
  expect((await cars.tally(revision)).ofDealer.of('nordbil')).toBe(1);
  // The VIN may be added again, also by another dealer.
  expect((await add('A', 'sydmotor')).dealer).toBe('sydmotor');
  expect(await remove('B', 'admin', 'admin')).toBe('B');
});

/** Who did what to a car. */
async function entriesOf({ batches }: Listing): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of batches) texts.push(...batch);
  return texts.map((text) => {
    const { actor, action, fields } = JSON.parse(text) as schemas.AuditEntry;
    return `${actor} ${action} ${fields}`;
  });
}

const trailOf = async (vin: string, by: string, role?: string) =>
  entriesOf(await cars.audit(await sessionOf(by, role), vin));

test('[D38] a car that was removed and is added again has a trail of its own', async () => {
  const tag = async () => (await cars.audit(await sessionOf('nordbil'), 'A')).tag;
  await add('A');
  await cars.setState(await sessionOf('admin', 'admin'), 'A', { locked: true });
  const [former, formerTag] = [await cars.audit(await sessionOf('nordbil'), 'A'), await tag()];
  const paid: number[] = [];
  await cars.remove(await sessionOf('nordbil'), 'A', (records) => paid.push(records));
  expect(paid).toEqual([2]);
  await add('A');
  await cars.setState(await sessionOf('nordbil'), 'A', { climate: true });
  expect(await trailOf('A', 'nordbil')).toEqual([
    'nordbil set_state climate',
    'nordbil add_to_fleet dealer',
  ]);
  // As many changes, at the same time.
  expect(await tag()).not.toBe(formerTag);
  // Whoever has asked for the other one does not get it instead.
  await expect(entriesOf(former)).rejects.toMatchObject({ status: 503 });
});

test('[D38] owner and dealer see a trail from the change by which the car became theirs', async () => {
  const setState = async (by: string, role: string, locked: boolean) =>
    cars.setState(await sessionOf(by, role), 'A', { locked });
  await add('A');
  await own('A', 'anna');
  await setState('anna', 'user', true);
  await cars.clearOwner(await sessionOf('nordbil'), 'A');
  await own('A', 'erik');
  await setState('erik', 'user', false);
  // He stays the owner.
  await cars.setOwner(await sessionOf('nordbil'), 'A', 'erik@x.test', '2027');
  expect(await trailOf('A', 'erik', 'user')).toEqual([
    'nordbil set_owner owner',
    'erik set_state locked',
    'nordbil set_owner owner',
  ]);
  const whole = await trailOf('A', 'nordbil');
  expect(whole).toHaveLength(7);
  await registry.changeAlone((transaction) =>
    cars.moveFleet(
      transaction,
      { from: 'nordbil', to: 'sydmotor' },
      {
        actor: { username: 'chief', role: 'admin' },
        action: 'delete_dealer',
        fields: ['dealer'],
        atMs: 1,
      },
    ),
  );
  expect(await trailOf('A', 'sydmotor')).toEqual(['admin delete_dealer dealer']);
  expect(await trailOf('A', 'chief', 'admin')).toEqual(['chief delete_dealer dealer', ...whole]);
  await expect(trailOf('A', 'nordbil')).rejects.toMatchObject({
    status: 403,
    detail: 'Only admins, the dealer of the fleet and the owner may see who changed the car',
  });
});
