import { expect, test } from 'vitest';
import { createLog } from '../../log.ts';
import { systemRandom } from '../../random.ts';
import { RedisDouble } from '../../testing/doubles/redis-double.ts';
import { RedisData } from '../../testing/doubles/redis-scripts.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { takenGrant } from '../../testing/rigs/taken-grant.ts';
import { openRedis } from './redis-store.ts';

const PARTITION = 5;
const LEASE_MS = 6000;

test('a partition whose give was never answered is not taken back while its receiver relies on it', async () => {
  const time = TestTime.standing(1_700_000_000_000);
  const double = new RedisDouble({ time });
  let answerMs = 1;
  const makeClient = double.clientsAt({
    ...{ time, run: (task) => task(), canConnect: () => true },
    ...{ toServerMs: () => 1, fromServerMs: () => answerMs },
  });
  const open = async (nodeName: string, parts = {}) => {
    const settings = { url: 'redis://double', nodeName, leaseMs: LEASE_MS };
    const common = { time, random: systemRandom, log: createLog('silent') };
    const store = await time.advanceUntil(
      openRedis(settings, { ...common, makeClient: double.makeClient, ...parts }),
    );
    store.serve();
    return store;
  };
  const [giver, receiver] = [await open('giver', { makeClient }), await open('receiver')];
  let areSilent = false;
  giver.claims.readOthers(() => !areSilent);
  const grant = await time.advanceUntil(takenGrant(giver, PARTITION));
  const write = (value: number) =>
    time.advanceUntil(giver.commit([], [{ key: ['p', PARTITION, 'world', 1], value }], grant));
  await write(1);
  const kept = new RedisData(double.data.nowMs);
  double.data.copyTo(kept);
  await write(2);
  answerMs = Number.POSITIVE_INFINITY;
  areSilent = true;
  const reservation = receiver.claims.reserve(PARTITION);
  const giving = giver.claims.give(grant, reservation.token);
  await time.advance(10);
  const given = await time.advanceUntil(receiver.claims.accept(reservation));
  expect(given?.untilMs()).toBeGreaterThan(time.now());
  // The server dies, and comes back without the second change and the give.
  double.kill();
  kept.copyTo(double.data);
  answerMs = 1;
  double.start();
  expect(await time.advanceUntil(giving)).toBe('given');
  expect(grant.untilMs()).toBe(Number.NEGATIVE_INFINITY);
  const taken = await time.advanceUntil(giver.claims.take(PARTITION, 'free'));
  expect(taken).toMatchObject({ holder: '' });
  areSilent = false;
  expect(await time.advanceUntil(takenGrant(giver, PARTITION))).toMatchObject({
    partition: PARTITION,
  });
  await time.advanceUntil(Promise.all([giver.close(), receiver.close()]));
});
