import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemRandom } from '../random.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { Customers } from './customers.ts';
import type { Page } from './listing.ts';
import { type CustomerRecord, keys } from './records.ts';
import { Registry } from './registry.ts';
import { can } from './rights.ts';
import { Secrets } from './secrets.ts';
import type { Session } from './sessions.ts';

vi.mock('./rights.ts', { spy: true });

let temp: TempStore<EmbeddedStore>;
let registry: Registry;
let customers: Customers;
beforeEach(async () => {
  temp = await tempStore(openIn);
  registry = new Registry(temp.store, systemRandom, systemTime);
  const secrets = await Secrets.open(temp.store, systemRandom, undefined);
  customers = new Customers(registry, secrets, { dealerMax: 1000, max: 1000 });
});
afterEach(() => temp.destroy());

const nameOf = (i: number) => `c${String(i).padStart(3, '0')}`;

/** Customers with the numbers from `from` to `to`. */
const put = (from: number, to: number, dealer: string | null) =>
  registry.change(async (transaction) => {
    for (let i = from; i <= to; i++) {
      const username = nameOf(i);
      const record = { id: username, username, role: 'user', dealer, createdAtMs: 0 };
      const secrets = { personnummer: null, iban: null, charging_card_rfid: null };
      const customer = { ...record, profile: {}, secrets } as unknown as CustomerRecord;
      transaction.put(keys.account(0, customer), customer);
    }
  });

async function list(username: string, page: Page = {}, read = (_: number) => {}) {
  const { revision } = await registry.edition();
  const role = username === 'admin' ? 'admin' : 'dealer';
  const session = { account: { id: username, username, role }, revision } as unknown as Session;
  return customers.list(session, page, false, read);
}

async function namesOf(batches: Awaited<ReturnType<typeof list>>['batches']): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of batches) names.push(...batch.map((text) => JSON.parse(text).username));
  return names;
}

test('[L20] a list tells how many cars were read for it', async () => {
  await put(1, 3, 'nordbil');
  await registry.change(async (transaction) => {
    for (const vin of ['V1', 'V2']) transaction.put(keys.owned(0, nameOf(2), vin), 0);
  });
  const read: number[] = [];
  const { batches } = await list('nordbil', {}, (cars) => read.push(cars));
  expect(await namesOf(batches)).toHaveLength(3);
  expect(read.toSorted()).toEqual([0, 0, 2]);
});

test('a dealer lists its own customers, an admin all, in their order', async () => {
  await put(4, 5, 'nordbil');
  await put(1, 2, 'sydmotor');
  await put(3, 3, null);
  await list('nordbil');
  await put(2, 2, 'nordbil');
  await put(5, 5, null);
  const own = await list('nordbil');
  expect([own.count, await namesOf(own.batches)]).toEqual([2, ['c002', 'c004']]);
  const all = await list('admin', { after: 'c001' });
  expect([all.count, await namesOf(all.batches)]).toEqual([4, ['c002', 'c003', 'c004', 'c005']]);
  const tally = await customers.tally((await registry.edition()).revision);
  expect(['nordbil', 'sydmotor', 'x'].map((dealer) => tally.countOf(dealer))).toEqual([2, 1, 0]);
});

test('[R37] a page of customers costs no more where there are many', async () => {
  await put(1, 300, 'nordbil');
  for (const name of ['nordbil', 'admin']) {
    vi.mocked(can).mockClear();
    const { batches } = await list(name, { after: nameOf(200), limit: 1 });
    expect(await namesOf(batches)).toEqual([nameOf(201)]);
    expect(vi.mocked(can).mock.calls.length).toBeLessThan(5);
  }
});

test('a customer that leaves its dealer while it lists is left out', async () => {
  await put(1, 20, 'nordbil');
  const { batches } = await list('nordbil');
  const names: string[] = [];
  for await (const batch of batches) {
    names.push(...batch.map((text) => JSON.parse(text).username));
    if (names.length === 8) await put(9, 9, 'sydmotor');
  }
  expect(names).toHaveLength(19);
  expect(names).not.toContain(nameOf(9));
});
