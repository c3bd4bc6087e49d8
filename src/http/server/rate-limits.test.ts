import { expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { TokenBuckets } from '../../token-buckets.ts';
import { OpenCount } from './open-count.ts';
import { PRICES_US } from './prices.ts';
import { askerOf, createRateLimits } from './rate-limits.ts';

function refusal(act: () => void): { code: string; retryAfterS: number | undefined } | undefined {
  try {
    act();
  } catch (error) {
    if (!(error instanceof TwinError)) throw error;
    return { code: error.code, retryAfterS: error.retryAfterS };
  }
  return undefined;
}

function takeAll(buckets: TokenBuckets, key: string, count: number): void {
  for (let i = 0; i < count; i++) buckets.take(key);
}

test('a bucket gives its burst, then its refill', async () => {
  const time = TestTime.standing();
  const buckets = new TokenBuckets({ burst: 3, perS: 2 }, time);
  takeAll(buckets, 'a', 3);
  expect(refusal(() => buckets.take('a'))).toEqual({ code: 'rate_limited', retryAfterS: 1 });
  await time.advance(499);
  expect(refusal(() => buckets.take('a'))?.code).toBe('rate_limited');
  await time.advance(1);
  expect(refusal(() => buckets.take('a'))).toBeUndefined();
  expect(refusal(() => buckets.take('a'))?.code).toBe('rate_limited');
});

test('a bucket never holds more than its burst', async () => {
  const time = TestTime.standing();
  const buckets = new TokenBuckets({ burst: 2, perS: 1 }, time);
  takeAll(buckets, 'a', 1);
  await time.advance(3_600_000);
  takeAll(buckets, 'a', 2);
  expect(refusal(() => buckets.take('a'))?.code).toBe('rate_limited');
});

test('takeUpToBurst takes at most a full bucket', async () => {
  const time = TestTime.standing();
  const buckets = new TokenBuckets({ burst: 100, perS: 10 }, time);
  buckets.takeUpToBurst('a', 1_000_000);
  expect(refusal(() => buckets.take('a'))).toEqual({ code: 'rate_limited', retryAfterS: 1 });
  expect(refusal(() => buckets.takeUpToBurst('a', 500))?.retryAfterS).toBe(9);
  await time.advance(10_000);
  expect(refusal(() => buckets.takeUpToBurst('a', 500))).toBeUndefined();
  buckets.takeUpToBurst('b', 30);
  buckets.take('b', 70);
});

test('keys do not share a bucket', () => {
  const buckets = new TokenBuckets({ burst: 1, perS: 1 }, TestTime.standing());
  buckets.take('a');
  expect(refusal(() => buckets.take('b'))).toBeUndefined();
});

test('[L8] a refused take takes nothing and gives the wait in whole seconds', () => {
  const time = TestTime.standing();
  const buckets = new TokenBuckets({ burst: 100, perS: 10 }, time);
  buckets.take('a', 80);
  expect(refusal(() => buckets.take('a', 55))).toEqual({ code: 'rate_limited', retryAfterS: 4 });
  expect(refusal(() => buckets.take('a', 20))).toBeUndefined();
});

test('a cost above a full bucket is always refused, with a hint', () => {
  const time = TestTime.standing();
  const buckets = new TokenBuckets({ burst: 100, perS: 10 }, time);
  expect(() => buckets.take('a', 101)).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      hint: 'This request needs 101; at most 100 are allowed at once.',
    }),
  );
  expect(refusal(() => buckets.take('a', 100))).toBeUndefined();
});

test('spending goes below zero, so concurrent requests cost as much as consecutive ones', () => {
  const time = TestTime.standing();
  const buckets = new TokenBuckets({ burst: 2, perS: 1 }, time);
  for (let i = 0; i < 5; i++) buckets.spend('a');
  expect(refusal(() => buckets.check('a'))?.retryAfterS).toBe(4);
});

test('the number of keys is limited; the least recently used one is evicted', () => {
  const buckets = new TokenBuckets({ burst: 1, perS: 1 }, TestTime.standing(), { keysMax: 2 });
  buckets.take('a');
  buckets.take('b');
  buckets.take('c');
  expect(refusal(() => buckets.check('c'))?.code).toBe('rate_limited');
  expect(refusal(() => buckets.check('a'))).toBeUndefined();
});

test('a stream above the limit is refused until another one is closed', () => {
  const sockets = new OpenCount(2);
  sockets.enter('a');
  sockets.enter('a');
  expect(refusal(() => sockets.enter('a'))?.code).toBe('rate_limited');
  expect(refusal(() => sockets.enter('b'))).toBeUndefined();
  sockets.leave('a');
  expect(refusal(() => sockets.enter('a'))).toBeUndefined();
});

test('[L5] the default limits are as documented, and there are none if limits are off', () => {
  expect(DEFAULT_RATE_LIMITS).toMatchObject({
    worlds: { burst: 60, perS: 1 },
    featureWrites: { burst: 50, perS: 50 },
    misses: { burst: 20, perS: 20 },
    socketsPerAddress: 2000,
    workMs: { burst: 3000, perS: 50 },
    logins: { burst: 60, perS: 1 },
    failedLogins: 5,
    failedLoginWaitS: 60,
  });
  expect(createRateLimits('off', TestTime.standing())).toEqual({});
});

test('[L6] an address has a budget of work in processor time, which others do not share', async () => {
  const time = TestTime.standing();
  const { work } = createRateLimits(
    { ...DEFAULT_RATE_LIMITS, workMs: { burst: 10, perS: 2 } },
    time,
  );
  work?.take('a', 9000);
  expect(refusal(() => work?.take('a', 3000))).toEqual({ code: 'rate_limited', retryAfterS: 1 });
  expect(refusal(() => work?.take('b', 3000))).toBeUndefined();
  await time.advance(1000);
  expect(refusal(() => work?.take('a', 3000))).toBeUndefined();
  expect(() => work?.take('a', 10_000.5)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('needs 11 ms of processor time') }),
  );
});

test('[I31] a client has searches to spare for half of its budget', () => {
  const { work } = createRateLimits(DEFAULT_RATE_LIMITS, TestTime.standing());
  const asker = askerOf(work, 'a');
  const halfTicks = Math.floor((DEFAULT_RATE_LIMITS.workMs.burst * 1000) / 2 / PRICES_US.tick);
  expect([asker.spares(halfTicks), asker.spares(halfTicks + 1)]).toEqual([true, false]);
  asker.spend(halfTicks);
  expect([asker.spares(1), asker.affords(halfTicks)]).toEqual([false, true]);
});

// ── many nodes ────────────────────────────────────────────────────────────────────────────────

/** How often an act is not refused. */
function timesDone(act: () => void): number {
  for (let count = 0; ; count++) if (refusal(act) !== undefined) return count;
}

test('[N9] nodes together allow an address what one allows, at once and with time', async () => {
  const time = TestTime.standing();
  const settings = { ...DEFAULT_RATE_LIMITS, worlds: { burst: 60, perS: 3 } };
  const nodes = [1, 2, 3].map(() => createRateLimits(settings, time, () => 3));
  const made = () => nodes.map(({ worlds }) => timesDone(() => worlds?.take('a')));
  expect(made()).toEqual([20, 20, 20]);
  await time.advance(5000);
  expect(made()).toEqual([5, 5, 5]);
  expect(nodes[0]?.worlds?.size).toEqual({ burst: 20, perS: 1 });
});

test('[N9] streams and living worlds are divided, changes of a VIN and replays are not', () => {
  const settings = { ...DEFAULT_RATE_LIMITS, socketsPerAddress: 11, livingWorldsPerAddress: 2 };
  const limits = createRateLimits(settings, TestTime.standing(), () => 4);
  const { sockets, livingWorlds, featureWrites, replays } = limits;
  // Rounded up.
  expect(timesDone(() => sockets?.enter('a'))).toBe(3);
  expect(timesDone(() => livingWorlds?.enter('a'))).toBe(1);
  expect(timesDone(() => featureWrites?.take('v'))).toBe(50);
  expect(timesDone(() => replays?.enter('a'))).toBe(16);
});

test('[N9] the part of a node is rounded up', () => {
  const settings = { ...DEFAULT_RATE_LIMITS, signUps: { burst: 10, perS: 0.1 } };
  const { signUps } = createRateLimits(settings, TestTime.standing(), () => 3);
  expect(timesDone(() => signUps?.take('a'))).toBe(4);
});

test('what takes a whole bucket may follow what the same request has paid', () => {
  for (const nodeCount of [1, 3]) {
    const buckets = new TokenBuckets({ burst: 300, perS: 1 }, TestTime.standing(), {
      nodeCount: () => nodeCount,
    });
    buckets.takeUpToBurst('a', 5);
    expect(buckets.affords('a', 1000)).toBe(true);
    buckets.takeUpToBurst('a', 1000);
    expect(refusal(() => buckets.takeUpToBurst('a', 1))?.code).toBe('rate_limited');
  }
});

test('[N9] a node that comes or goes changes the part of each at once', async () => {
  const time = TestTime.standing();
  let nodeCount = 1;
  const buckets = new TokenBuckets({ burst: 100, perS: 10 }, time, { nodeCount: () => nodeCount });
  buckets.take('a', 10);
  nodeCount = 4;
  expect(buckets.level('a')).toEqual({ left: 25, fullInS: 0 });
  nodeCount = 2;
  expect(buckets.level('a')).toEqual({ left: 25, fullInS: 5 });
  await time.advance(5000);
  expect(buckets.level('a')).toEqual({ left: 50, fullInS: 0 });
  nodeCount = 1000;
  expect(timesDone(() => buckets.take('b'))).toBe(1);
});

test('[N9] what one node allows at once is allowed by a full part, which owes the rest', async () => {
  const time = TestTime.standing();
  const buckets = new TokenBuckets({ burst: 100, perS: 10 }, time, { nodeCount: () => 5 });
  // Of a part of 20 it needs 18.
  buckets.take('a', 3);
  expect(refusal(() => buckets.take('a', 90))).toEqual({ code: 'rate_limited', retryAfterS: 1 });
  expect([buckets.affords('a', 90), buckets.spares('b', 50)]).toEqual([false, true]);
  expect(buckets.spares('b', 51)).toBe(false);
  await time.advance(500);
  buckets.takeUpToBurst('a', 90);
  // 72 are owed, at 2 a second.
  expect(refusal(() => buckets.take('a'))?.retryAfterS).toBe(37);
  expect(() => buckets.take('b', 101)).toThrow(
    expect.objectContaining({ hint: 'This request needs 101; at most 100 are allowed at once.' }),
  );
});
