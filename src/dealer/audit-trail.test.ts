import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '../random.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { changedFields, forgetTrail, noted, trailOf } from './audit-trail.ts';
import { type Audited, type AuditSubject, keys } from './records.ts';
import { Registry } from './registry.ts';

const CAR: AuditSubject = ['car', 'A'];

let temp: TempStore<EmbeddedStore>;
let registry: Registry;
let car: Audited;
beforeEach(async () => {
  temp = await tempStore(openIn);
  registry = new Registry(temp.store, systemRandom, systemTime);
  car = {};
});
afterEach(() => temp.destroy());

/** Notes a change, one at each ms. */
function note(fields: readonly string[], actor = 'nordbil'): Promise<void> {
  return registry.change(async (transaction) => {
    const atMs = car.changeCount ?? 0;
    const change = { actor: { username: actor }, action: 'set_state', fields, atMs } as const;
    car = noted(transaction, CAR, car, change);
    transaction.put(keys.car(0, 'A'), car);
  });
}

const trail = (pay: (entries: number) => void = () => {}) =>
  registry.read((reader) => trailOf(reader, CAR, car, pay));

test('[D38] a trail has the last thousand changes, newest first, and none of no field', async () => {
  expect(await trail()).toEqual([]);
  await note([]);
  expect(await trail()).toEqual([]);
  for (let i = 0; i < 1002; i++) await note([`field ${i}`], i % 2 === 0 ? 'nordbil' : 'admin');
  const paid: number[] = [];
  const all = await trail((entries) => paid.push(entries));
  expect(paid).toEqual([1000]);
  expect(all).toHaveLength(1000);
  expect(all[0]).toEqual({
    at: new Date(1001).toISOString(),
    actor: 'admin',
    action: 'set_state',
    fields: ['field 1001'],
  });
  const numbers = all.map(({ fields }) => Number(fields[0]?.slice(6)));
  expect(numbers).toEqual(Array.from({ length: 1000 }, (_, i) => 1001 - i));
});

test('[D38] nothing of a trail remains once it is forgotten, nor is that of another car touched', async () => {
  const entries = async (vin: string) =>
    (await registry.read((reader) => reader.keysBelow(keys.trail(0, ['car', vin])))).length;
  for (let i = 0; i < 3; i++) await note(['locked']);
  await registry.change(async (transaction) => {
    const actor = { username: 'admin' };
    const change = { actor, action: 'set_owner', fields: ['owner'], atMs: 1 } as const;
    noted(transaction, ['car', 'AB'], {}, change);
  });
  expect([await entries('A'), await entries('AB')]).toEqual([3, 1]);
  await registry.change(async (transaction) => forgetTrail(transaction, CAR, car));
  expect([await entries('A'), await entries('AB')]).toEqual([0, 1]);
});

test('fields that differ are found, and one that is absent is as good as null', () => {
  const names = ['a', 'b', 'c', 'd'] as const;
  const before = { a: 1, b: { x: 1 }, c: null };
  expect(changedFields(before, { a: 1, b: { x: 1 } }, names)).toEqual([]);
  expect(changedFields(before, { a: 2, b: { x: 2 }, d: 0 }, names)).toEqual(['a', 'b', 'd']);
});
