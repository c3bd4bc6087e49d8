import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisDouble } from '../../testing/doubles/redis-double.ts';
import { Dice } from '../../testing/rigs/dice.ts';
import { startRedis, type TestRedis } from '../../testing/rigs/redis.ts';
import { systemTime } from '../../time.ts';
import { type Argument, LinkError, libraryClient, type RedisClient } from './redis-client.ts';
import { SCRIPTS, type ScriptName } from './redis-scripts.ts';

describe('the scripts in a double of Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis('--appendfsync', 'no');
  });
  afterAll(() => redis.discard());

  test.each([1, 2, 3])('answer as those in Redis, sequence %i', async (seed) => {
    await redis.ask('FLUSHALL');
    const server = new RedisDouble({ time: systemTime });
    const [real, double] = [new Side(await connected(redis)), new Side(await connected(server))];
    for (const { client } of [real, double]) {
      const hold = ['earlier', 'free', 'version', 'mark'];
      await client.send('EVALSHA', [
        SCRIPTS.lease.sha1,
        4,
        ...hold,
        'old:3',
        0,
        60_000,
        'free',
        0,
        0,
      ]);
    }
    const dice = new Dice(seed);
    const refused = new Set<unknown>();
    for (let step = 0; step < STEPS; step++) {
      if (step % PHASE_STEPS === 0) await refuse(redis, server, step / PHASE_STEPS);
      const ask = randomStep(dice);
      const answers = [await answerOf(ask, real), await answerOf(ask, double)];
      expect([step, answers[1]]).toEqual([step, answers[0]]);
      if (typeof answers[0] === 'string') refused.add(answers[0]);
    }
    await refuse(redis, server, 0);
    expect(real.heardCount).toBeGreaterThan(20);
    expect(real.givenCount).toBeGreaterThan(5);
    expect(refused).toContain('refused: OOM');
    expect(refused).toContain('refused: READONLY');
    for (const { client } of [real, double]) client.disconnect('for good');
  });
});

const STEPS = 1600;
const PHASE_STEPS = 100;

/** Both servers make all writes, then only those that need no memory, all again, and then none. */
async function refuse(redis: TestRedis, double: RedisDouble, phase: number): Promise<void> {
  const refusal = ([undefined, 'OOM', undefined, 'READONLY'] as const)[phase % 4];
  double.data.refusal = refusal;
  await redis.ask(`CONFIG SET maxmemory ${refusal === 'OOM' ? 1 : 0}`);
  await redis.ask(`REPLICAOF ${refusal === 'READONLY' ? '127.0.0.1 1' : 'NO ONE'}`);
}

/** What a server answers; where it refuses a command, only why. */
async function answerOf(ask: Step, side: Side): Promise<unknown> {
  try {
    return await ask(side);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return `${error.outcome}: ${error.message.split(' ')[0]}`;
  }
}

async function connected(server: TestRedis | RedisDouble): Promise<RedisClient> {
  const [make, url] =
    server instanceof RedisDouble ? [server.makeClient, ''] : [libraryClient, server.url];
  const ready = Promise.withResolvers<void>();
  const client = make(url, {
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

  /** The clock of the cluster, as it was given out last. */
  clockMs = Date.parse('2026-01-01');
  heartbeatCount = 0;
  /** Heartbeats that were accepted. */
  heardCount = 0;
  /** Partitions that were given. */
  givenCount = 0;

  /** Ends a string, as if its time had passed. */
  async end(key: string): Promise<void> {
    await this.client.send('DEL', [key]);
  }

  /** As if the clock of the server had jumped. */
  async moveCorrection(ms: number): Promise<void> {
    const found = (await this.client.send('HGET', ['clock', 'correction'])) as Buffer | null;
    if (ms === 0 || found === null) return;
    await this.client.send('HSET', ['clock', 'correction', String(Number(found.toString()) + ms)]);
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

function randomStep(dice: Dice): Step {
  const name = dice.pick(['one:1-1', 'one:1-2', 'two:2-1', 'two:2-7', 'old:3', 'old:3.4']);
  const session = dice.below(3);
  switch (dice.below(10)) {
    case 0:
    case 1:
      return leaseStep(dice, name, session);
    case 9:
      return giveStep(dice, `${name}#${session}`);
    case 2:
      return releaseStep(dice, name);
    case 3:
      return listStep(dice);
    case 4:
      return enterStep(dice);
    case 5:
      return heartbeatStep(dice);
    default:
      return commitStep(dice, `${name}#${session}`);
  }
}

function leaseStep(dice: Dice, name: string, session: number): Step {
  const how = dice.pick(['free', 'expired', 'same']);
  const [lifeMs, markMs] = [dice.pick([60_000, 600_000]), dice.below(1000)];
  const knownEpoch = dice.below(5) === 0 ? 1e15 + dice.below(1000) : 0;
  // As if its time had passed.
  const isOver = dice.below(3) === 0;
  return async (side) => {
    if (isOver) await side.end('lease');
    const keys = ['lease', 'owner', 'version', 'mark'];
    const answer = await side.run('lease', keys, [name, session, lifeMs, how, markMs, knownEpoch]);
    const [isMine, holder, leftMs, version, epoch, mark, former] = answer as [
      ...[number, Buffer, number, Buffer, number, number, Buffer],
    ];
    // What is left of minutes, or that there is none.
    const left = leftMs < 0 ? leftMs : Math.round(leftMs / 30_000);
    const ranks = [Number(version), epoch].map((value) => side.rank(value));
    const isHigh = epoch >= 1e15;
    return [isMine, String(holder), left, ...ranks, isHigh, mark, String(former)];
  };
}

function giveStep(dice: Dice, from: string): Step {
  const to = `${dice.pick(['one:1-3', 'two:2-9'])}#${dice.below(3)}`;
  const markMs = dice.below(1000);
  const knownEpoch = dice.below(5) === 0 ? 1e15 + dice.below(1000) : 0;
  const isHolder = dice.below(2) === 0;
  return async (side) => {
    const holder = isHolder ? await side.client.send('GET', ['lease']) : undefined;
    const args = [String(holder ?? from), to, 60_000, markMs, knownEpoch];
    const epoch = (await side.run('give', ['lease', 'owner', 'mark'], args)) as number;
    if (epoch > 0) side.givenCount++;
    return side.rank(epoch);
  };
}

function releaseStep(dice: Dice, name: string): Step {
  const markMs = dice.pick(['', dice.below(1000)]);
  return (side) => side.run('release', ['lease', 'owner', 'mark'], [name, markMs]);
}

/** Of three processes, which leave and come back under other names. */
const PROCESSES = ['one:1', 'two:2', 'three:3'];
const writerOf = (process: string, number: number) => `${process}.${number}`;

function enterStep(dice: Dice): Step {
  const process = dice.pick(PROCESSES);
  const [number, former, session] = [dice.below(3), dice.below(3), dice.below(3)];
  const how = dice.pick(['new', 'again', 'same']);
  const [isHeld, hasLeft] = [dice.below(6) === 0, dice.below(8) === 0];
  return async (side) => {
    const [name, before] = [writerOf(process, number), writerOf(process, former)];
    if (hasLeft) return side.run('leave', [name, 'nodes'], [process]);
    const keys = [name, before, isHeld ? 'earlier' : 'no lease', 'version'];
    const answer = await side.run('enter', keys, [name, session, 60_000, how]);
    const [isThere, entered, version, holder] = answer as [number, number, Buffer, Buffer];
    return [isThere, entered, side.rank(Number(version)), String(holder)];
  };
}

const HOUR_MS = 3_600_000;

function heartbeatStep(dice: Dice): Step {
  const process = dice.pick(PROCESSES);
  const name = writerOf(process, dice.below(3));
  const hasAdopted = dice.below(6) > 0;
  const aheadMs = dice.pick([0, 0, 0, HOUR_MS, -HOUR_MS]);
  const jumpMs = dice.pick([0, 0, 0, HOUR_MS, -HOUR_MS]);
  const [isLate, value] = [dice.below(6) === 0, Buffer.of(dice.below(256))];
  return async (side) => {
    await side.moveCorrection(jumpMs);
    const reading = hasAdopted ? side.clockMs + aheadMs : '';
    if (!isLate) side.heartbeatCount++;
    const args = [name, process, side.heartbeatCount, 60_000, reading, value];
    const answer = await side.run('heartbeat', [name, 'nodes', 'clock', 'version'], args);
    const [isThere, version, clock, living = []] = answer as [number, Buffer, Buffer?, Buffer[]?];
    if (clock === undefined) return [isThere, side.rank(Number(version))];
    side.heardCount++;
    const wasMs = side.clockMs;
    side.clockMs = Number(clock);
    // In hours: what the clocks of two servers may differ by is nothing.
    const hours = Math.round((side.clockMs - wasMs) / HOUR_MS) + 0;
    return [isThere, side.rank(Number(version)), hours, toldIn(living)];
  };
}

/** What the processes tell, without the time. */
function toldIn(living: readonly Buffer[]): string[] {
  const told: string[] = [];
  for (let i = 0; i + 1 < living.length; i += 2) {
    told.push(`${living[i]} ${living[i + 1]?.subarray(8).toString('hex')}`);
  }
  return told.toSorted();
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
