import { atMostMs, type Found, nothingLost, RECOVERED_MS_MAX, type Row } from './row.ts';
import { sleepS } from './stage.ts';

const DOWN_S = 2;
const DELAY_MS = 800;
const DELAYED_S = 6;

const recovers = (found: Found) => [
  atMostMs('all served again', found.recoveredMs, RECOVERED_MS_MAX),
  ...nothingLost(found),
];

/** What may happen to Redis, or on the way to it. */
export const REDIS_ROWS: readonly Row[] = [
  {
    name: 'redis-killed',
    async fault({ redis }) {
      await redis.kill();
      await sleepS(DOWN_S);
      await redis.start();
    },
    judged: recovers,
  },
  {
    name: 'redis-paused',
    async fault({ redis }) {
      redis.pause();
      await sleepS(DOWN_S);
      redis.resume();
    },
    judged: recovers,
  },
  {
    name: 'redis-slow',
    async fault({ toRedis }) {
      for (const proxy of toRedis) proxy.delay(DELAY_MS);
      await sleepS(DELAYED_S);
      for (const proxy of toRedis) proxy.delay(0);
    },
    judged: recovers,
  },
  {
    name: 'redis-reply-lost',
    async fault({ toRedis }) {
      // Replies are under way at any time: heartbeats, leases, changes.
      for (const proxy of toRedis) proxy.cut('back');
      await sleepS(0.2);
      for (const proxy of toRedis) proxy.heal('back');
    },
    judged: recovers,
  },
];
