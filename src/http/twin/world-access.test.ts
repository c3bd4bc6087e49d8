import { expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { FakeTwin } from '../../testing/doubles/fake-twin.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { createRateLimits } from '../server/rate-limits.ts';
import type { Call } from '../server/router.ts';
import { WorldAccess } from './world-access.ts';

test('[L4] unknown worlds that are looked up at the same time count one by one, known ones do not', async () => {
  const service = new FakeTwin();
  const known = service.add();
  service.cold.add(known);
  const found = Promise.withResolvers<void>();
  const load = service.load.bind(service);
  service.load = async (number) => {
    await found.promise;
    return load(number);
  };
  const misses = { burst: 3, perS: 1 };
  const limits = createRateLimits({ ...DEFAULT_RATE_LIMITS, misses }, TestTime.standing());
  const worlds = new WorldAccess(service, limits);
  const call = { addressKey: () => 'a client' } as Call;
  const ids = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? '0000000000' : known.id));
  const outcomes = Promise.allSettled(ids.map((id) => worlds.byId(call, id)));
  found.resolve();
  const count = (code: string) => codes.filter((each) => each === code).length;
  const codes = (await outcomes).map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value.id : outcome.reason.code,
  );
  expect([count(known.id), count('unknown_world'), count('rate_limited')]).toEqual([10, 3, 7]);
});
