import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbedded } from '../../../store/embedded-store.ts';
import { systemTime } from '../../../time.ts';
import { type FaultyStore, faultyStore } from '../../doubles/faulty-store.ts';
import { startTestNode, type TestNode } from '../../rigs/node.ts';
import { DealerApi } from './dealer-api.ts';
import { expectUnavailable, READS, WRITES } from './refusals.ts';

let node: TestNode;
let store: FaultyStore;
let api: DealerApi;
let admin: string;
beforeEach(async () => {
  const openStore = async (dir: string) => {
    store = faultyStore(await openEmbedded(dir, systemTime));
    return store;
  };
  node = await startTestNode({}, { openStore });
  api = new DealerApi(node.dealerUrl);
  admin = await api.logIn('admin', 'admin');
});
afterEach(() => node.discard());

const [CHANGE = '', FLAGS] = WRITES[0] ?? [];

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
  expect((await api.ask(CHANGE, { token: admin, json: FLAGS })).status).toBe(200);
});

test('a write of which nobody knows how it ended is not said to have changed nothing', async () => {
  for (const [call, json] of [
    [CHANGE, FLAGS],
    ['POST /api/admin/reset', undefined],
  ] as const) {
    store.setFault({ kind: 'unknown' });
    const answer = await api.ask(call, { token: admin, json });
    expectUnavailable(answer);
    expect(answer.body.detail).toBe('The store did not answer; the change may have been made.');
    store.setFault({ kind: 'none' });
    expect((await api.ask(call, { token: admin, json })).status).toBe(200);
  }
});

test('a reset is done once it is switched to, even where the old data cannot be removed', async () => {
  const seeded = await api.everything(admin);
  await api.get('DELETE /api/dealers/nordbil', { token: admin });
  store.setFault({ kind: 'hoards' });
  expect((await api.ask('POST /api/admin/reset', { token: admin })).status).toBe(200);
  expect(await api.everything(admin)).toEqual(seeded);
});

test('no answer comes before what it says is written', async () => {
  store.setFault({ kind: 'slow', ms: 300 });
  let isAnswered = false;
  const answer = api.ask(CHANGE, { token: admin, json: FLAGS }).then((given) => {
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
  for (const [call, json] of READS) {
    expectUnavailable(await api.ask(call, { token: admin, json }));
  }
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
