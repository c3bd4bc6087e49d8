import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../log.ts';
import { systemRandom } from '../../random.ts';
import { RedisDouble } from '../../testing/doubles/redis-double.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { Dice } from '../../testing/rigs/dice.ts';
import { startRedis, type TestRedis } from '../../testing/rigs/redis.ts';
import { takenGrant } from '../../testing/rigs/taken-grant.ts';
import { storeSuite } from '../../testing/suites/store/contract.suite.ts';
import { systemTime, type Time } from '../../time.ts';
import { type Argument, libraryClient, type RedisClient } from './redis-client.ts';
import { SCRIPTS, type ScriptName } from './redis-scripts.ts';
import { openRedis } from './redis-store.ts';

const LEASE_MS = 6000;

function openOn(double: RedisDouble, time: Time, nodeName = 'test') {
  return openRedis(
    { url: 'redis://a.double', nodeName, leaseMs: LEASE_MS },
    { time, random: systemRandom, log: createLog('silent'), makeClient: double.makeClient },
  );
}

storeSuite('a double of Redis', async () => {
  const double = new RedisDouble({ time: systemTime });
  const open = () => openOn(double, systemTime);
  const under = {
    store: await open(),
    async reopen() {
      await under.store.close();
      under.store = await open();
    },
    destroy: () => under.store.close(),
  };
  return under;
});

describe('the scripts in a double of Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis('--appendfsync', 'no');
  });
  afterAll(() => redis.discard());

  test.each([1, 2, 3])('answer as those in Redis, sequence %i', async (seed) => {
    await redis.ask('FLUSHALL');
    const [real, double] = [new Side(await connected(redis)), new Side(await connected())];
    const dice = new Dice(seed);
    for (let step = 0; step < 400; step++) {
      const ask = randomStep(dice);
      const answers = [await ask(real), await ask(double)];
      expect([step, answers[1]]).toEqual([step, answers[0]]);
    }
    for (const { client } of [real, double]) client.disconnect('for good');
  });
});

async function connected(redis?: TestRedis): Promise<RedisClient> {
  const double = new RedisDouble({ time: systemTime });
  const make = redis === undefined ? double.makeClient : libraryClient;
  const ready = Promise.withResolvers<void>();
  const client = make(redis?.url ?? '', {
    ...{ name: 'test', commandTimeoutMs: 10_000, pauseMs: () => null },
    ...{ ready: ready.resolve, closed: () => {}, failed: ready.reject },
  });
  client.open();
  await ready.promise;
  await client.loadScripts(Object.values(SCRIPTS).map(({ text }) => text));
  return client;
}

/** One of two servers that get the same commands. */
class Side {
  readonly client: RedisClient;
  /** Versions and epochs are of the clock: what counts is which are equal, and which is higher. */
  readonly #clockNumbers: number[] = [];

  constructor(client: RedisClient) {
    this.client = client;
  }

  run(name: ScriptName, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.client.send('EVALSHA', [SCRIPTS[name].sha1, keys.length, ...keys, ...args]);
  }

  /** The version of an entry as a check has it. */
  async stampOf(key: string): Promise<Buffer> {
    const found = await this.client.send('HGET', ['entries', key]);
    return found === null ? Buffer.alloc(0) : (found as Buffer).subarray(0, 8);
  }

  /** A number of the clock as its rank among those seen so far. */
  rank(value: number): string {
    if (value < 1e12) return String(value);
    if (!this.#clockNumbers.includes(value)) this.#clockNumbers.push(value);
    return `#${this.#clockNumbers.toSorted((a, b) => a - b).indexOf(value)}`;
  }
}

type Step = (side: Side) => Promise<unknown>;

const KEYS = ['a', 'b', 'b\u0000', 'c', 'ä'];
const SLOT = ['lease', 'owner', 'version'];

function randomStep(dice: Dice): Step {
  const boot = dice.pick(['one:1', 'two:2', 'two:2.7']);
  const session = dice.below(3);
  switch (dice.below(7)) {
    case 0:
    case 1:
      return leaseStep(boot, session, dice.pick(['new', 'same']));
    case 2:
      return (side) => side.run('release', ['lease'], [boot]);
    case 3:
      return listStep(dice);
    default:
      return commitStep(dice, `${boot}#${session}`);
  }
}

function leaseStep(boot: string, session: number, how: string): Step {
  return async (side) => {
    const answer = await side.run('lease', SLOT, [boot, session, 60_000, how]);
    const [isMine, holder, leftMs, version, epoch] = answer as [
      ...[number, Buffer, number, Buffer, number],
    ];
    // What is left of a minute, or that there is none.
    const left = leftMs < 0 ? leftMs : Math.round(leftMs / 30_000);
    const ranks = [Number(version), epoch].map((value) => side.rank(value));
    return [isMine, String(holder), left, ...ranks];
  };
}

function listStep(dice: Dice): Step {
  const [start, end, limit] = [dice.pick(KEYS), dice.pick([...KEYS, 'z']), 1 + dice.below(4)];
  return async (side) => {
    const found = (await side.run('list', ['entries', 'order'], [start, end, limit])) as Buffer[];
    return found.map((each, i) =>
      i % 2 === 0
        ? each.toString('hex')
        : [side.rank(each.readDoubleBE()), each.subarray(8).toString('hex')],
    );
  };
}

function commitStep(dice: Dice, token: string): Step {
  const checks = Array.from({ length: dice.below(3) }, () => ({
    key: dice.pick(KEYS),
    isCurrent: dice.below(4) > 0,
  }));
  const writes = Array.from({ length: dice.below(4) }, () => ({
    key: dice.pick(KEYS),
    value: dice.below(3) === 0 ? undefined : Buffer.from([dice.below(256), dice.below(256)]),
  }));
  return async (side) => {
    const args: Argument[] = [token, checks.length];
    for (const { key, isCurrent } of checks) {
      const stamp = await side.stampOf(key);
      args.push(key, isCurrent ? stamp : Buffer.from('12345678'));
    }
    for (const { key, value } of writes) {
      args.push(key, value === undefined ? '-' : '+', value ?? '');
    }
    const answer = await side.run('commit', ['lease', 'entries', 'order', 'version'], args);
    return side.rank(answer as number);
  };
}

test('what a client gave up may still arrive, and a later session shuts it out', async () => {
  const time = TestTime.running();
  let delayMs = 0;
  const double = new RedisDouble({ time, delayMs: () => delayMs });
  const store = await openOn(double, time);
  const grant = await takenGrant(store, 5);
  store.serve();
  const write = { key: ['p', 5, 'car'], value: 1 };
  delayMs = 3000;
  const given = expect(store.commit([], [write], grant)).rejects.toMatchObject({
    reason: 'unknown',
  });
  await time.advance(1500);
  await given;
  delayMs = 0;
  await time.advance(100);
  await expect.poll(() => store.isReady).toBe(true);
  expect(await store.get(write.key)).toBeUndefined();
  await time.advance(2000);
  expect(await store.get(write.key)).toBeUndefined();
  expect(await store.commit([], [write], grant)).toBe(true);
  await store.close();
});

test('a node that was paused finds that another has taken its partitions', async () => {
  const time = TestTime.running();
  const double = new RedisDouble({ time });
  const first = await openOn(double, time, 'first');
  const grant = await takenGrant(first, 5);
  double.data.endLeases();
  const second = await openOn(double, time, 'second');
  const taken = await takenGrant(second, 5);
  first.serve();
  second.serve();
  expect(taken.epoch).toBeGreaterThan(grant.epoch);
  const write = { key: ['p', 5, 'car'], value: 1 };
  await expect(first.commit([], [write], grant)).rejects.toMatchObject({ reason: 'failed' });
  expect(await second.commit([], [write], taken)).toBe(true);
  await Promise.all([first.close(), second.close()]);
});
