import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemTime } from '../../../time.ts';
import { startTestNode, type TestNode, untilReady } from '../../rigs/node.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { Api } from '../twin/api.ts';
import { DealerApi } from './dealer-api.ts';
import { expectUnavailable, READS, WRITES } from './refusals.ts';
import { expectResetsWhole, expectWritesKept } from './writers.ts';

/** Logs every write before it answers. */
let redis: TestRedis;
let node: TestNode;
let api: DealerApi;
beforeEach(async () => {
  redis = await startRedis();
  node = await startTestNode({ REDIS_URL: redis.url });
  api = new DealerApi(node.dealerUrl);
});
afterEach(async () => {
  await node.discard();
  await redis.discard();
});

async function comeBack(): Promise<void> {
  redis.resume();
  await redis.start();
  await Promise.all(node.nodes.map(untilReady));
}

test('[R5] ten kills of Redis lose and halve no acknowledged write', async () => {
  await expectWritesKept(
    () => api,
    async (round) => {
      // It dies or hangs, in the middle of writes either way.
      if (round % 2 === 0) await redis.kill();
      else redis.pause();
      await systemTime.sleep(20 * round);
      await comeBack();
    },
  );
}, 240_000);

test('a kill of Redis during a reset leaves what was before or what is after', async () => {
  await expectResetsWhole(
    () => api,
    async () => {
      await redis.kill();
      await comeBack();
    },
  );
}, 240_000);

test('[R34] an emptied Redis makes the node not ready, and its data makes it ready again', async () => {
  const admin = await api.logIn('admin', 'admin');
  const before = await api.everything(admin);
  const twin = new Api(node.twinUrl);
  const { id } = await twin.makeWorld();
  const world = async () => (await fetch(`${node.twinUrl}/api/v1/worlds/${id}/state`)).status;
  expect(await world()).toBe(200);
  await redis.ask('SWAPDB 0 1');
  // Nobody has to notice it first.
  for (const [call, json] of [...WRITES, ...READS]) {
    expectUnavailable(await api.ask(call, { token: admin, json }));
  }
  await node.time.jump(2000);
  const readiness = () => fetch(`${node.opsUrl}/readyz`);
  await until('a node that is not ready', async () => (await readiness()).status === 503);
  expect(await (await readiness()).json()).toEqual({
    status: 'not ready',
    reason: expect.stringContaining('restore it from a backup'),
  });
  await until('a world that is refused', async () => (await world()) === 503);
  expect(await redis.ask('DBSIZE')).toContain(':0');

  await redis.ask('SWAPDB 0 1');
  await redis.endLeases();
  await node.skip(2000);
  expect(await api.everything(admin)).toEqual(before);
  await until('the world', async () => (await world()) === 200);
  const [call = '', json] = WRITES[0] ?? [];
  expect((await api.ask(call, { token: admin, json })).status).toBe(200);
});

test('[R26] while Redis is gone only the dealer list is answered, for five seconds', async () => {
  const admin = await api.logIn('admin', 'admin');
  const before = await api.everything(admin);
  const dealers = await api.get('GET /api/dealers');
  await redis.kill();
  expect(await api.get('GET /api/dealers')).toEqual(dealers);
  for (const [call, json] of [...WRITES, ...READS]) {
    expectUnavailable(await api.ask(call, { token: admin, json }));
  }
  await node.time.jump(5500);
  expectUnavailable(await api.ask('GET /api/dealers'));

  await comeBack();
  expect(await api.everything(admin)).toEqual(before);
  const [call = '', json] = WRITES[0] ?? [];
  expect((await api.ask(call, { token: admin, json })).status).toBe(200);
});
