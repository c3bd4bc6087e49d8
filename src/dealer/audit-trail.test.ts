import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '../random.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { changedFields, forgetTrail, noted, type TrailView, trailOf } from './audit-trail.ts';
import type { Listing } from './listing.ts';
import { type Audited, type AuditSubject, keys } from './records.ts';
import { Registry } from './registry.ts';
import type { AuditEntry } from './schemas.ts';

const CAR: AuditSubject = ['car', 'A', 'id'];

let temp: TempStore<EmbeddedStore>;
let registry: Registry;
let car: Audited & { updatedAtMs: number };
beforeEach(async () => {
  temp = await tempStore(openIn);
  registry = new Registry(temp.store, systemRandom, systemTime);
  car = { updatedAtMs: 0 };
});
afterEach(() => temp.destroy());

/** Notes a change, one at each ms. */
function note(fields: readonly string[], actor = 'nordbil'): Promise<void> {
  return registry.change(async (transaction) => {
    const atMs = car.changeCount ?? 0;
    const by = {
      username: actor,
      role: actor === 'chief' ? ('admin' as const) : ('dealer' as const),
    };
    const change = { actor: by, action: 'set_state', fields, atMs } as const;
    car = noted(transaction, CAR, car, change);
    transaction.put(keys.car(0, 'A'), car);
  });
}

const ADMIN = { id: '1', username: 'chief', role: 'admin' } as const;

const listing = (view: Partial<TrailView> = {}): Promise<Listing> =>
  registry.read(async (reader) =>
    trailOf(reader, { subject: CAR, record: car, viewer: ADMIN, first: 0, ...view }),
  );

async function entriesOf({ batches }: Listing): Promise<AuditEntry[]> {
  const texts: string[] = [];
  for await (const batch of batches) texts.push(...batch);
  return texts.map((text) => JSON.parse(text));
}

const trail = async (view?: Partial<TrailView>) => entriesOf(await listing(view));

const numberOf = ({ fields }: AuditEntry) => Number(fields[0]?.slice(6));

test('[D38] a trail has the last thousand changes, newest first, and none of no field', async () => {
  expect(await trail()).toEqual([]);
  await note([]);
  expect(await trail()).toEqual([]);
  for (let i = 0; i < 1002; i++) await note([`field ${i}`], i % 2 === 0 ? 'nordbil' : 'admin');
  const all = await trail();
  expect(all).toHaveLength(1000);
  expect((await listing()).count).toBe(1000);
  expect(all[0]).toEqual({
    at: new Date(1001).toISOString(),
    actor: 'admin',
    action: 'set_state',
    fields: ['field 1001'],
  });
  expect(all.map(numberOf)).toEqual(Array.from({ length: 1000 }, (_, i) => 1001 - i));
  expect((await trail({ first: 950 })).map(numberOf)).toEqual(
    Array.from({ length: 52 }, (_, i) => 1001 - i),
  );
  // What takes the place of an entry meanwhile is not of the list.
  const former = await listing();
  await note(['field 1002']);
  expect((await entriesOf(former)).map(numberOf)).toEqual(
    Array.from({ length: 999 }, (_, i) => 1001 - i),
  );
});

test('[D38] a viewer sees what came since the record is theirs, and no log-in name of an admin', async () => {
  await note(['locked'], 'anna');
  await note(['owner'], 'chief');
  await note(['locked'], 'maria');
  const viewer = { id: '2', username: 'maria', role: 'user' } as const;
  const seen = async (view: Partial<TrailView>) =>
    (await trail(view)).map(({ actor, fields }) => `${actor} ${fields}`);
  expect(await seen({ first: 1 })).toEqual(['maria locked', 'chief owner']);
  expect((await listing({ first: 1 })).count).toBe(2);
  expect(await seen({ first: 3 })).toEqual([]);
  await note(['dealer'], 'chief');
  const [first] = await trail({ viewer });
  expect(first?.actor).toBe('admin');
});

test('[D38] nothing of a trail remains once it is forgotten, nor is that of another car touched', async () => {
  const entries = async (vin: string) =>
    (await registry.read((reader) => reader.keysBelow(keys.trail(0, ['car', vin])))).length;
  for (let i = 0; i < 3; i++) await note(['locked']);
  await registry.change(async (transaction) => {
    const actor = { username: 'admin', role: 'admin' } as const;
    const change = { actor, action: 'set_owner', fields: ['owner'], atMs: 1 } as const;
    noted(transaction, ['car', 'AB', 'id'], {}, change);
  });
  expect([await entries('A'), await entries('AB')]).toEqual([3, 1]);
  const asked = await listing();
  await registry.change((transaction) => forgetTrail(transaction, registry.slices, CAR, car));
  expect([await entries('A'), await entries('AB')]).toEqual([0, 1]);
  // A list that nobody has read is refused, not empty.
  await expect(entriesOf(asked)).rejects.toMatchObject({ status: 503 });
});

test('[D33] the tag of a trail differs for each viewer, change and car', async () => {
  await note(['locked']);
  const tagOf = async (view?: Partial<TrailView>) => (await listing(view)).tag;
  const others: Partial<TrailView>[] = [
    { viewer: { ...ADMIN, id: '2' } },
    { subject: ['car', 'A', 'another'] },
    { record: { ...car, changeCount: 2 } },
    // A store that has lost its last writes gives a number of changes again.
    { record: { ...car, updatedAtMs: 1 } },
  ];
  const tags = await Promise.all([{}, {}, ...others].map(tagOf));
  expect(tags[0]).toBe(tags[1]);
  expect(new Set(tags).size).toBe(1 + others.length);
});

test('fields that differ are found, and one that is absent is as good as null', () => {
  const names = ['a', 'b', 'c', 'd'] as const;
  const before = { a: 1, b: { x: 1 }, c: null };
  expect(changedFields(before, { a: 1, b: { x: 1 } }, names)).toEqual([]);
  expect(changedFields(before, { a: 2, b: { x: 2 }, d: 0 }, names)).toEqual(['a', 'b', 'd']);
});
