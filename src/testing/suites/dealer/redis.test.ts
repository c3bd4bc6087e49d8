import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemTime } from '../../../time.ts';
import { startTestNode, type TestNode, untilReady } from '../../rigs/node.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
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
  await untilReady(node);
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
