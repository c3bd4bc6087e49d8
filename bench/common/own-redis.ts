import { startRedis, type TestRedis } from '../../src/testing/rigs/redis.ts';
import { onProcessEnd } from './process-end.ts';

/** Starts a Redis for some work, and ends it with that, or with this process. */
export async function onOwnRedis<T>(work: (redis: TestRedis) => Promise<T>): Promise<T> {
  const redis = await startRedis();
  const keep = onProcessEnd(() => void redis.kill());
  try {
    return await work(redis);
  } finally {
    await redis.discard();
    keep();
  }
}
