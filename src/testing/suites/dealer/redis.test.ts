import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemTime } from '../../../time.ts';
import { startTestNode, type TestNode, untilReady } from '../../rigs/node.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { DealerApi } from './dealer-api.ts';
import { expectUnavailable, READS, WRITES } from './refusals.ts';
import { Writers } from './writers.ts';

const ROUNDS = 10;
const RESETS = 5;

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
  const writers = await Writers.logIn(api);
  for (let round = 0; round < ROUNDS; round++) {
    const stop = writers.begin(api);
    await writers.untilWriting();
    await systemTime.sleep(7 * round);
    // It dies or hangs, in the middle of writes either way.
    if (round % 2 === 0) await redis.kill();
    else redis.pause();
    await systemTime.sleep(20 * round);
    await comeBack();
    await stop();
    await writers.expectKept(api);
  }
}, 240_000);

test('a kill of Redis during a reset leaves what was before or what is after', async () => {
  const admin = await api.logIn('admin', 'admin');
  const seeded = await api.everything(admin);
  for (let round = 0; round < RESETS; round++) {
    await api.get('DELETE /api/dealers/nordbil?reassign_to=sydmotor', { token: admin });
    const before = await api.everything(admin);
    const resetting = api.ask('POST /api/admin/reset', { token: admin });
    await systemTime.sleep(16 * round);
    await redis.kill();
    const { status } = await resetting;
    await comeBack();
    const found = await api.everything(admin);
    if (status === 200) expect(found).toEqual(seeded);
    else expect([before, seeded]).toContainEqual(found);
    await api.get('POST /api/admin/reset', { token: admin });
  }
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
