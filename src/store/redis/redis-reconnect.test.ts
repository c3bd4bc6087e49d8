import { pino } from 'pino';
import { expect, test } from 'vitest';
import { systemRandom } from '../../random.ts';
import { RedisDouble } from '../../testing/doubles/redis-double.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { Dice } from '../../testing/rigs/dice.ts';
import { openRedis, type RedisStore } from './redis-store.ts';

const HEARTBEAT_MS = 1000;
const ROUNDS = 300;
/** From the end of the connections until the store can be used. */
const READY_MS_MAX = 5000;

/** The store of a node that still starts. */
function openStarting(time: TestTime, { makeClient }: RedisDouble): Promise<RedisStore> {
  const settings = { url: 'redis://double', nodeName: 'node', leaseMs: 6000 };
  const log = pino({ level: 'silent' });
  return time.advanceUntil(openRedis(settings, { time, random: systemRandom, log, makeClient }));
}

test('a node whose connections end at any moment can use the store again soon', async () => {
  const time = TestTime.standing();
  const dice = new Dice(1);
  const redis = new RedisDouble({ time, delayMs: () => dice.below(120) });
  const store = await openStarting(time, redis);
  store.serve();
  const stopHeartbeats = time.every(HEARTBEAT_MS, () => {
    // Without an answer the next one follows.
    store.heartbeats.send('alive', undefined).catch(() => {});
  });
  for (let round = 0; round < ROUNDS; round++) {
    await time.advance(dice.below(2000));
    redis.endConnections();
    await time.advance(1);
    const endMs = time.now() + READY_MS_MAX;
    while (!store.isReady && time.now() < endMs) await time.advance(10);
    expect([round, store.isReady]).toEqual([round, true]);
    const write = { key: ['round'], value: round };
    expect(await time.advanceUntil(store.commit([], [write]))).toBe(true);
  }
  stopHeartbeats();
  await time.advanceUntil(store.close());
});

test('a node that stops while it starts does not go on with writes that Redis refuses', async () => {
  const time = TestTime.standing();
  const store = await openStarting(time, new RedisDouble({ time }));
  await time.advanceUntil(store.heartbeats.leave());
  const write = store.commit([], [{ key: ['late'], value: 1 }]);
  const refused = expect(write).rejects.toMatchObject({ reason: 'failed' });
  await time.advance(1000);
  const startMs = time.now();
  await time.advanceUntil(store.close());
  await refused;
  expect(time.now() - startMs).toBeLessThan(1000);
});
