import { beforeEach, expect, test, vi } from 'vitest';
import { keys } from '../../../dealer/records.ts';
import type { FaultyStore } from '../../doubles/faulty-store.ts';
import type { FaultyNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { DealerApi } from './dealer-api.ts';
import { expectUnavailable, READS, WRITES } from './refusals.ts';

const nodes = useNodes();
let node: FaultyNode;
let store: FaultyStore;
let api: DealerApi;
let admin: string;
beforeEach(async () => {
  node = await nodes.withFaultyStore();
  store = node.store;
  api = new DealerApi(node.dealerUrl);
  admin = await api.logIn('admin', 'admin');
});

const [CHANGE = '', FLAGS] = WRITES[0] ?? [];

test('[R11] while the store takes no writes they are refused whole, and reads go on', async () => {
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

test('[R12] a write of which nobody knows how it ended is not said to have changed nothing', async () => {
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

test('[R2] an answer waits until what it says is written', async () => {
  store.setFault({ kind: 'held' });
  let isAnswered = false;
  const answer = api.ask(CHANGE, { token: admin, json: FLAGS }).then((given) => {
    isAnswered = true;
    return given;
  });
  // Asked later, over another connection.
  await api.get('GET /api/state');
  expect(isAnswered).toBe(false);
  store.setFault({ kind: 'none' });
  expect((await answer).status).toBe(200);
});

test('while the store is gone only the dealer list is answered, for five seconds', async () => {
  const dealers = await api.get('GET /api/dealers');
  store.setFault({ kind: 'gone' });
  expect(await api.get('GET /api/dealers')).toEqual(dealers);
  for (const [call, json] of READS) {
    expectUnavailable(await api.ask(call, { token: admin, json }));
  }
  await node.time.jump(5500);
  expectUnavailable(await api.ask('GET /api/dealers'));
  store.setFault({ kind: 'none' });
  expect(await api.get('GET /api/dealers')).toEqual(dealers);
  expect((await api.ask('GET /api/auth/me', { token: admin })).status).toBe(200);
});

test('cars and customers are in memory once the node serves', async () => {
  const lists = vi.spyOn(store, 'list');
  const token = await api.logIn('nordbil', 'dealer');
  await api.get('POST /api/cars/add-to-fleet', { token, json: { vin: 'NEW' } });
  expect(await api.get('GET /api/cars', { token })).toHaveLength(41);
  expect(await api.get('GET /api/state')).toMatchObject({ customers: 24, cars: { total: 41 } });
  const ofPlatform = lists.mock.calls.filter(([[first]]) => first === keys.root[0]);
  expect(ofPlatform).toEqual([]);
});

test('the dealer list of an outage is fresh even if it was never read before', async () => {
  await api.get('DELETE /api/dealers/nordbil', { token: admin });
  const reads = vi.spyOn(store, 'get');
  await node.time.jump(1500);
  await until('a refreshed list', () => reads.mock.settledResults.length > 0);
  store.setFault({ kind: 'gone' });
  const dealers = await api.get<{ username: string }[]>('GET /api/dealers');
  expect(dealers.map(({ username }) => username)).toEqual(['fjallbilar', 'sydmotor', 'vastauto']);
});
