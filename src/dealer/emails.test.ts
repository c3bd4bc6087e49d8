import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '../random.ts';
import type { EmbeddedStore } from '../store/embedded-store.ts';
import { openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { bind, emailOf, setHolder } from './emails.ts';
import { keys } from './records.ts';
import { Registry } from './registry.ts';

let temp: TempStore<EmbeddedStore>;
let registry: Registry;

beforeEach(async () => {
  temp = await tempStore(openIn);
  registry = new Registry(temp.store, systemRandom, systemTime);
});
afterEach(() => temp.destroy());

const holderOf = (email: string) =>
  registry.read(async (reader) => (await emailOf(reader, email)).holder?.username);

test.each([
  ['anna@example.com', 'ANNA@Example.COM'],
  ['anna@example.com', 'ａｎｎａ@ｅｘａｍｐｌｅ.com'],
  ['anna@müller.test', 'anna@xn--mller-kva.test'],
  ['anna@MÜLLER.test', 'anna@mu\u0308ller.test'],
  ['ﬁona@example.com', 'fiona@example.com'],
])('[D29] %s and %s are one', async (email, same) => {
  await registry.change((transaction) => setHolder(transaction, email, { id: '1', username: 'a' }));
  expect(await holderOf(same)).toBe('a');
});

test('[D29] what would end a domain keeps two emails apart', async () => {
  const email = 'x@example.com／y.test';
  await registry.change((transaction) => setHolder(transaction, email, { id: '1', username: 'a' }));
  expect(await holderOf('x@example.com')).toBeUndefined();
});

test('an email of an older store is found, and moves to its new key when it is written', async () => {
  const email = 'anna@müller.test';
  const former = keys.formerEmail(0, email);
  expect(former).not.toEqual(keys.email(0, email));
  const record = { holder: { id: '1', username: 'anna' }, cars: [] };
  await temp.store.commit([], [{ key: former, value: record }]);
  expect(await holderOf(email)).toBe('anna');
  await registry.change((transaction) => bind(transaction, 'V', email, '1'));
  expect(await temp.store.get(former)).toBeUndefined();
  expect((await temp.store.get(keys.email(0, email)))?.value).toEqual({
    ...record,
    cars: [['V', '1']],
  });
});
