import { expect, test } from 'vitest';
import { createLog } from '../../log.ts';
import { systemRandom } from '../../random.ts';
import { RedisDouble } from '../../testing/doubles/redis-double.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { takenGrant } from '../../testing/rigs/taken-grant.ts';
import { partitionOf } from '../../twin/ids.ts';
import { Records } from '../../worlds/records.ts';
import { openRedis } from './redis-store.ts';

const WORLD = 77;

test('a batch of changes of a world is one command', async () => {
  const time = TestTime.running();
  const redis = new RedisDouble({ time });
  const commands: string[] = [];
  const execute = redis.execute.bind(redis);
  redis.execute = (command, args) => {
    commands.push(command);
    return execute(command, args);
  };
  const store = await openRedis(
    { url: 'redis://double', nodeName: 'test', leaseMs: 60_000 },
    { time, random: systemRandom, log: createLog('silent'), makeClient: redis.makeClient },
  );
  const records = new Records(store, await takenGrant(store, partitionOf(WORLD)));
  const changes = Array.from({ length: 100 }, (_, i) => ({
    ...{ seq: i + 1, tick: i, car: i % 20, touched: 1, values: i % 2 },
  }));
  commands.length = 0;
  await records.append(WORLD, changes);
  expect(commands).toEqual(['EVALSHA']);
  expect(await records.laterChanges(WORLD, 0)).toEqual(changes);
  await store.close();
});
