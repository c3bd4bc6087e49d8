import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbedded } from '../store/embedded.ts';
import { type FaultyStore, faultyStore } from '../store/faulty.ts';
import { startTestNode, type TestNode } from '../testing/node.ts';
import { type Answer, DealerApi } from './client.ts';

let node: TestNode;
let store: FaultyStore;
let api: DealerApi;
let admin: string;
beforeEach(async () => {
  const openStore = async (dir: string) => {
    store = faultyStore(await openEmbedded(dir));
    return store;
  };
  node = await startTestNode({}, { openStore });
  api = new DealerApi(node.dealerUrl);
  admin = await api.logIn('admin', 'admin');
});
afterEach(() => node.discard());

const CAR = '/api/cars/DEMCAR00000000001';
const SIGN_UP = {
  name: 'N',
  username: 'newcomer',
  password: 'abcd',
  email: 'n@x.test',
  dealer: 'nordbil',
};

/** Every kind of write. */
const WRITES: [call: string, json?: object][] = [
  [`PATCH ${CAR}/state`, { locked: true, climate: false, charging: true }],
  [`PATCH ${CAR}/owner`, { email: 'erik@example.com', since: 'now' }],
  [`DELETE ${CAR}/owner`],
  ['POST /api/cars/add-to-fleet', { vin: 'NEW', dealer: 'nordbil' }],
  ['POST /api/auth/signup', SIGN_UP],
  ['POST /api/dealers', { username: 'new_dealer', password: 'abc', name: 'N', city: 'C' }],
  ['DELETE /api/dealers/nordbil'],
  ['PATCH /api/me/admin', { current_password: 'admin-demo', username: 'chief' }],
  ['POST /api/admin/reset'],
  ['POST /api/auth/logout'],
];

function expectUnavailable({ status, body, headers }: Answer): void {
  expect([status, Object.keys(body)]).toEqual([503, ['detail']]);
  expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
}

test('while the store takes no writes they are refused whole, and reads go on', async () => {
  const before = await api.everything(admin);
  for (const kind of ['fail', 'full'] as const) {
    store.setFault({ kind });
    for (const [call, json] of WRITES) {
      expectUnavailable(await api.ask(call, { token: admin, json }));
    }
    expect(await api.everything(admin)).toEqual(before);
    await api.logIn('anna', 'user');
  }
  store.setFault({ kind: 'none' });
  expect(await api.everything(admin)).toEqual(before);
  const [call = '', json] = WRITES[0] ?? [];
  expect((await api.ask(call, { token: admin, json })).status).toBe(200);
});

test('no answer comes before what it says is written', async () => {
  store.setFault({ kind: 'slow', ms: 300 });
  let isAnswered = false;
  const call = `PATCH ${CAR}/state`;
  const answer = api.ask(call, { token: admin, json: { locked: true } }).then((given) => {
    isAnswered = true;
    return given;
  });
  // So little of it is over that an answer now would be one that did not wait.
  await sleep(100);
  expect(isAnswered).toBe(false);
  expect((await answer).status).toBe(200);
});

test('while the store is gone the dealers are told for some seconds, and nothing else', async () => {
  const dealers = await api.get('GET /api/dealers');
  store.setFault({ kind: 'gone' });
  expect(await api.get('GET /api/dealers')).toEqual(dealers);
  expectUnavailable(await api.ask('GET /api/state'));
  expectUnavailable(await api.ask('GET /api/cars', { token: admin }));
  expectUnavailable(await api.ask('GET /api/auth/me', { token: admin }));
  const login = { role: 'admin', username: 'admin', password: 'admin-demo' };
  expectUnavailable(await api.ask('POST /api/auth/login', { json: login }));
  await sleep(5500);
  expectUnavailable(await api.ask('GET /api/dealers'));
  store.setFault({ kind: 'none' });
  expect(await api.get('GET /api/dealers')).toEqual(dealers);
  expect((await api.ask('GET /api/auth/me', { token: admin })).status).toBe(200);
});

test('dealers that nobody has asked for are told all the same while the store is gone', async () => {
  await api.get('DELETE /api/dealers/nordbil', { token: admin });
  await sleep(1500);
  store.setFault({ kind: 'gone' });
  const dealers = await api.get<{ username: string }[]>('GET /api/dealers');
  expect(dealers.map(({ username }) => username)).toEqual(['fjallbilar', 'sydmotor', 'vastauto']);
});
