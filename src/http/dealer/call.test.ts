import { expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import type { DealerPlatform } from '../../dealer/dealer-platform.ts';
import { badToken } from '../../dealer/errors.ts';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import { BodyThread } from '../server/body-thread.ts';
import { Head } from '../server/head.ts';
import { PRICES_US } from '../server/prices.ts';
import { createRateLimits } from '../server/rate-limits.ts';
import { bodyless, type Reply } from '../server/reply.ts';
import type { Call } from '../server/router.ts';
import { BodyReader } from './body-reader.ts';
import { guardedRoutes, openRoutes } from './call.ts';
import { CallTurns } from './call-turns.ts';
import * as forms from './forms.ts';
import { ReadyReply } from './list-replies.ts';

const bodies = new BodyReader(new BodyThread());

const FORM_BYTES = 10_000;
const BODY_US = PRICES_US.parsedByte * FORM_BYTES;

function callOf(account: string, address: string, json: string): Call {
  const head = new Head();
  head.add('authorization', account);
  head.add('content-type', 'application/json');
  return {
    method: 'PATCH',
    path: '/api/cars/TWN12345678901234/state',
    head,
    params: ['TWN12345678901234'],
    query: '',
    encoding: 'json',
    body: Buffer.from(json.padEnd(FORM_BYTES)),
    requestId: 'r',
    addressKey: () => address,
  };
}

/** A change of the platform whose token is the id of the account. */
function setUp(burstMs: number, isLimited = true) {
  const time = TestTime.standing();
  const settings = { ...DEFAULT_RATE_LIMITS, workMs: { burst: burstMs, perS: 1 } };
  const limits = createRateLimits(isLimited ? settings : 'off', time);
  const found: string[] = [];
  const sessions = {
    find: async (id: string, pay: () => void) => {
      found.push(id);
      if (id === 'forged') pay();
      if (id === '') throw badToken();
      return { account: { id, role: 'dealer', isDemo: id === 'published' } };
    },
  };
  const platform = { sessions } as unknown as DealerPlatform;
  let runs = 0;
  const route = guardedRoutes(
    { platform, limits, bodies, turns: new CallTurns(time) },
    'cars',
  )({
    endpoint: 'PATCH /api/cars/{vin}/state',
    operationId: 'setState',
    summary: 'A change',
    action: 'car.set-state',
    params: forms.ByVin,
    body: forms.StateChange,
    answer: {},
    run: () => ({ runs: ++runs }),
  });
  const ask = async (account: string, address: string, json = '{}'): Promise<Reply> =>
    route.handle(callOf(account, address, json));
  const status = async (...given: Parameters<typeof ask>) => (await ask(...given)).status;
  return { time, found, ask, status };
}

const CHANGE_MS = (BODY_US + PRICES_US.dealerChange) / 1000;

test('[L20] a change over the budget is refused in the form of the platform, before it is read', async () => {
  const { ask, status, found, time } = setUp(1.5 * CHANGE_MS);
  expect(await status('a', '10.0.0.1')).toBe(200);
  const refused = await ask('a', '10.0.0.1');
  expect([refused.status, JSON.parse(String(refused.body))]).toEqual([
    429,
    { detail: expect.any(String) },
  ]);
  expect(new Map(refused.headers).get('Retry-After')).toBe('1');
  expect(new Map(refused.headers).get('RateLimit')).toMatch(/^"work";r=\d+;t=\d+$/);
  expect(found).toEqual(['a']);
  await time.advance(1000);
  expect(await status('a', '10.0.0.1')).toBe(200);
});

test('[L20] what fails costs as much: broken JSON, a wrong token, a wrong field', async () => {
  const once = BODY_US / 1000;
  const failures = [
    ['a', '{', 422],
    ['', '{}', 401],
    ['a', '{"locked": 7}', 422],
  ] as const;
  for (const [account, json, expected] of failures) {
    const { status } = setUp(2 * once);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await status(account, '10.0.0.1', json));
    expect([json, statuses[0], statuses.at(-1)]).toEqual([json, expected, 429]);
  }
});

test('[L20] an account pays at every address, and an address for every account', async () => {
  const { status } = setUp(2.1 * CHANGE_MS);
  expect(await status('a', '10.0.0.1')).toBe(200);
  expect(await status('a', '10.0.0.2')).toBe(200);
  expect(await status('a', '10.0.0.3')).toBe(429);
  expect(await status('b', '10.0.0.1')).toBe(200);
  expect(await status('c', '10.0.0.1')).toBe(429);
  expect(await status('c', '10.0.0.4')).toBe(200);
});

test('[L20] a change that the address cannot pay costs the account its body only', async () => {
  const { status } = setUp(2.8 * CHANGE_MS);
  for (let i = 0; i < 2; i++) expect(await status('b', '10.0.0.1')).toBe(200);
  expect(await status('a', '10.0.0.1')).toBe(429);
  for (let i = 0; i < 2; i++) expect(await status('a', '10.0.0.2')).toBe(200);
});

test('[L20] one client does not use up the budget of others with the same published log-in', async () => {
  const { status } = setUp(2.1 * CHANGE_MS);
  for (let i = 0; i < 5; i++) await status('published', '10.0.0.1');
  expect(await status('published', '10.0.0.1')).toBe(429);
  expect(await status('published', '10.0.0.2')).toBe(200);
});

test('[L20] a token that the node does not know pays before it is verified', async () => {
  const { status } = setUp(CHANGE_MS + (0.5 * PRICES_US.token) / 1000);
  expect(await status('forged', '10.0.0.1')).toBe(429);
  expect(await status('a', '10.0.0.2')).toBe(200);
});

test('[H30] the calls that begin in a turn of the event loop are bounded by their work', async () => {
  const { ask, found } = setUp(1, false);
  const room = Math.ceil(4000 / (PRICES_US.dealerCall + BODY_US));
  const count = 3 * room + 1;
  const answers = Array.from({ length: count }, () => ask('a', '10.0.0.1'));
  const ofTurn: number[] = [];
  for (let before = 0; found.length < count; before = found.length) {
    await nextTurn();
    ofTurn.push(found.length - before);
  }
  expect(ofTurn).toEqual([2 * room, room, 1]);
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
});

test('[L7] there are no budgets if limits are off', async () => {
  const { status } = setUp(1, false);
  for (let i = 0; i < 10; i++) expect(await status('a', '10.0.0.1')).toBe(200);
});

test('[D33] browsers may keep a public list, also after a 304', async () => {
  const statuses = [200, 304, 404] as const;
  const caching = statuses.map(async (status) => {
    const { handle } = openRoutes(
      { limits: {}, bodies, turns: new CallTurns(TestTime.standing()) },
      'dealers',
    )({
      endpoint: 'GET /api/dealers',
      operationId: 'listDealers',
      summary: 'A list',
      answer: {},
      run: () => new ReadyReply(bodyless(status, [])),
    });
    const { headers } = await handle(callOf('', '10.0.0.1', ''));
    return new Map(headers).get('Cache-Control');
  });
  expect(await Promise.all(caching)).toEqual([undefined, undefined, 'no-store']);
});
