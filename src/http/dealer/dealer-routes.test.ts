import { expect, test, vi } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import type { DealerPlatform } from '../../dealer/dealer-platform.ts';
import { createLog } from '../../log.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { BodyThread } from '../server/body-thread.ts';
import { Head } from '../server/head.ts';
import { PRICES_US } from '../server/prices.ts';
import { createRateLimits } from '../server/rate-limits.ts';
import { BodyReader } from './body-reader.ts';
import { CallTurns } from './call-turns.ts';
import { dealerRoutes } from './dealer-routes.ts';

const BURST_MS = 100;
const ADDRESS = '10.0.0.1';

/** The routes of a platform that an admin calls, and what a call has cost its address, in µs. */
function setUp(parts: object) {
  const account = { id: 'id', username: 'admin', role: 'admin', isDemo: false };
  const sessions = { find: async () => ({ account }) };
  const platform = {
    ...{ cars: {}, customers: {}, dealers: {} },
    ...parts,
    sessions,
  } as unknown as DealerPlatform;
  const time = TestTime.standing();
  const workMs = { burst: BURST_MS, perS: 1 };
  const limits = createRateLimits({ ...DEFAULT_RATE_LIMITS, workMs }, time);
  const routes = dealerRoutes({
    platform,
    limits,
    bodies: new BodyReader(new BodyThread()),
    turns: new CallTurns(time),
    publicTwinUrl: () => '',
    log: createLog('silent'),
  });
  return async (operationId: string) => {
    const route = routes.find((each) => each.operationId === operationId);
    const before = limits.work?.level(ADDRESS).left ?? 0;
    const reply = await route?.handle({
      method: route.method,
      path: route.path,
      head: new Head(),
      params: ['x'],
      query: '',
      encoding: 'json',
      body: Buffer.alloc(0),
      requestId: 'r1',
      addressKey: () => ADDRESS,
    });
    return {
      status: reply?.status,
      body: String(reply?.body),
      paidUs: before - (limits.work?.level(ADDRESS).left ?? 0),
    };
  };
}

test('[L20] the removal of a dealer pays for what is written of each car and customer', async () => {
  const remove = async (_: unknown, __: unknown, ___: unknown, pay: (records: number) => void) => {
    pay(100);
    return { deleted: 'x', reassigned_to: null, cars: 60, customers: 40 };
  };
  const { status, paidUs } = await setUp({ dealers: { remove } })('deleteDealer');
  expect(status).toBe(200);
  expect(paidUs).toBeCloseTo(PRICES_US.dealerChange + 200 * PRICES_US.dealerWrite, 0);
});

test('[L20] the removal of a car pays for its trail', async () => {
  const remove = async (_: unknown, vin: string, pay: (records: number) => void) => {
    pay(100);
    return vin;
  };
  const { status, paidUs } = await setUp({ cars: { remove } })('removeCar');
  expect(status).toBe(200);
  expect(paidUs).toBeCloseTo(PRICES_US.dealerChange + 100 * PRICES_US.dealerWrite, 0);
});

test.each(['Car', 'Customer'])(
  '[L20] the trail of a %s is paid for before it is read, once as long as nothing changes',
  async (kind) => {
    const count = (0.6 * BURST_MS * 1000) / PRICES_US.auditEntry;
    const read = vi.fn();
    let tag = 'a';
    async function* batches() {
      read(tag);
      yield [`"${tag}"`];
    }
    const audit = async () => ({ tag, count, batches: batches() });
    const call = setUp({ cars: { audit }, customers: { audit } });
    const { status, body, paidUs } = await call(`audit${kind}`);
    expect([status, body]).toEqual([200, '["a"]']);
    expect(paidUs).toBeCloseTo(PRICES_US.auditEntry * count, 0);
    expect(await call(`audit${kind}`)).toEqual({ status, body, paidUs: 0 });
    tag = 'b';
    expect((await call(`audit${kind}`)).status).toBe(429);
    expect(read.mock.calls).toEqual([['a']]);
  },
);
