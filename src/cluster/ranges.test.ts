import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { PARTITION_COUNT } from '../limits.ts';
import { type Claims, type Grant, StoreUnavailable } from '../store/contract.ts';
import { endlessClaims } from '../store/endless-claims.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { Ranges } from './ranges.ts';

const LEASE_MS = 3500;
const RENEWAL_MS = 1000;

let time: TestTime;
let heard: string[];
let logged: string[];
/** Until when another process holds a partition. */
let othersUntilMs: Map<number, number>;
/** Partitions whose lease the store does not renew. */
let isSilent: (partition: number) => boolean;
let lost: Set<number>;

beforeEach(() => {
  time = TestTime.standing();
  heard = [];
  logged = [];
  othersUntilMs = new Map();
  isSilent = () => false;
  lost = new Set();
});

interface TestGrant extends Grant {
  deadlineMs: number;
}

let epoch = 0;
const claims: Claims = {
  renewalMs: RENEWAL_MS,
  async take(partition) {
    if (isSilent(partition)) throw new StoreUnavailable('failed');
    const leftMs = (othersUntilMs.get(partition) ?? 0) - time.now();
    if (leftMs > 0) return { holder: 'node "other"', leftMs };
    const grant: TestGrant = {
      ...{ partition, epoch: ++epoch, deadlineMs: time.now() + LEASE_MS },
      untilMs: () => grant.deadlineMs,
    };
    return grant;
  },
  async renew(grants) {
    const gone = grants.filter(({ partition }) => lost.delete(partition));
    for (const grant of gone) (grant as TestGrant).deadlineMs = Number.NEGATIVE_INFINITY;
    for (const grant of grants as readonly TestGrant[]) {
      const isRenewed = !gone.includes(grant) && !isSilent(grant.partition);
      if (isRenewed) grant.deadlineMs = time.now() + LEASE_MS;
    }
    return gone.map((grant) => ({ grant, reason: 'another took it' }));
  },
  async release(grants) {
    for (const { partition } of grants) heard.push(`released ${partition}`);
  },
  onTrouble() {},
};

async function start(of = claims): Promise<Ranges> {
  const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const ranges = new Ranges(of, { log, time });
  const named = (what: string) => (partitions: ReadonlySet<number>) =>
    void heard.push(`${what} ${partitions.size === PARTITION_COUNT ? 'all' : [...partitions]}`);
  ranges.use({ suspend: named('suspended'), leave: named('left') });
  await ranges.start();
  return ranges;
}

const shown = (ranges: Ranges) =>
  Array.from({ length: PARTITION_COUNT }, (_, partition) => partition).filter((partition) =>
    ranges.isShown(partition, time.now()),
  ).length;

test('a store of one process grants all partitions for ever', async () => {
  const ranges = await start(endlessClaims);
  await time.advance(1e9);
  expect([shown(ranges), ranges.limitMs, ranges.nodes]).toEqual([64, Number.POSITIVE_INFINITY, 1]);
  expect(ranges.grantOf(63)?.partition).toBe(63);
  expect(heard).toEqual([]);
});

test('[O10] a start waits for the partitions of a process that is gone', async () => {
  othersUntilMs.set(5, time.now() + 3000);
  const starting = start();
  await time.advance(2900);
  expect(logged).toEqual(['this node has taken partitions']);
  await time.advance(200);
  const ranges = await starting;
  expect(shown(ranges)).toBe(64);
});

test('a start fails where another process keeps a partition, or the store does not answer', async () => {
  othersUntilMs.set(5, Number.POSITIVE_INFINITY);
  const kept = expect(start()).rejects.toThrow('node "other" holds partitions');
  await time.advance(30_000);
  await kept;
  isSilent = () => true;
  const silent = expect(start()).rejects.toThrow('store failed');
  await time.advance(30_000);
  await silent;
});

test('[R25] worlds are shown until their lease ends, and again once it is renewed', async () => {
  const ranges = await start();
  const grant = ranges.grantOf(7);
  const startMs = time.now();
  isSilent = () => true;
  await time.advance(LEASE_MS - 1);
  expect([shown(ranges), heard]).toEqual([64, []]);
  await time.advance(2);
  expect([shown(ranges), heard, ranges.nodes]).toEqual([0, ['suspended all'], 0]);
  // The worlds in memory are not stepped beyond it either.
  expect(ranges.limitMs).toBe(startMs + LEASE_MS);
  isSilent = () => false;
  await time.advance(RENEWAL_MS);
  expect([shown(ranges), heard, ranges.nodes]).toEqual([64, ['suspended all'], 1]);
  expect(ranges.grantOf(7)).toBe(grant);
});

test('[R24] a lost partition is left, and taken under a new grant once it is free', async () => {
  const ranges = await start();
  const former = ranges.grantOf(7) as Grant;
  lost.add(7);
  othersUntilMs.set(7, time.now() + 2.5 * RENEWAL_MS);
  await time.advance(RENEWAL_MS);
  expect([heard, ranges.grantOf(7), shown(ranges)]).toEqual([['left 7'], undefined, 63]);
  expect([logged.at(-1), ranges.limitMs]).toEqual([
    'this node has lost partitions',
    time.now() + LEASE_MS,
  ]);
  await time.advance(2 * RENEWAL_MS);
  expect(shown(ranges)).toBe(64);
  expect(ranges.grantOf(7)?.epoch).toBeGreaterThan(former.epoch);
});

test('where another process has all partitions, it counts as the node that serves', async () => {
  const ranges = await start();
  for (let partition = 0; partition < PARTITION_COUNT; partition++) {
    lost.add(partition);
    othersUntilMs.set(partition, Number.POSITIVE_INFINITY);
  }
  await time.advance(RENEWAL_MS);
  expect([shown(ranges), heard, ranges.nodes]).toEqual([0, ['left all'], 1]);
});

test('a partition that alone cannot be renewed does not hold the others back', async () => {
  const ranges = await start();
  isSilent = (partition) => partition === 7;
  await time.advance(LEASE_MS - 1);
  expect([heard, shown(ranges)]).toEqual([[], 64]);
  await time.advance(1);
  expect([heard, shown(ranges)]).toEqual([['left 7', 'released 7'], 63]);
  expect(ranges.limitMs).toBeGreaterThan(time.now());
  isSilent = () => false;
  await time.advance(RENEWAL_MS);
  expect(shown(ranges)).toBe(64);
});

test('a node that stops renews nothing more', async () => {
  const ranges = await start();
  await ranges.stop();
  await time.advance(2 * LEASE_MS);
  expect([shown(ranges), heard]).toEqual([0, []]);
});
