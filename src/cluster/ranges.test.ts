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
/** By partition: its renewal does not count yet. */
let isPutOff: (partition: number) => boolean;
let lost: Set<number>;

beforeEach(() => {
  time = TestTime.standing();
  heard = [];
  logged = [];
  othersUntilMs = new Map();
  isSilent = () => false;
  isPutOff = () => false;
  lost = new Set();
  floorMs = 0;
  answers = Promise.resolve();
});

interface TestGrant extends Grant {
  renewedMs: number;
  isPutOff: boolean;
}

/** The claims ask for a renewal. */
let trouble = () => {};
let epoch = 0;
/** What the last holder of partition 9 may have shown, ms of the clock. */
let floorMs = 0;
/** The store answers once this is settled. */
let answers = Promise.resolve();
const claims: Claims = {
  renewalMs: RENEWAL_MS,
  handovers: undefined,
  leaseMs: LEASE_MS,
  readClock() {},
  readOthers() {},
  async take(partition) {
    if (isSilent(partition)) throw new StoreUnavailable('failed');
    const leftMs = (othersUntilMs.get(partition) ?? 0) - time.now();
    if (leftMs > 0) return { holder: 'node "other"', leftMs };
    const grant: TestGrant = {
      ...{ partition, epoch: ++epoch, renewedMs: time.now(), isPutOff: false },
      floorMs: partition === 9 ? floorMs : 0,
      untilMs: () => grant.renewedMs + LEASE_MS,
      askedMs: () => grant.renewedMs,
      latestReadingMs: () => 1000 + grant.untilMs(),
    };
    await answers;
    return grant;
  },
  async renew(grants) {
    const gone = grants.filter(({ partition }) => lost.delete(partition));
    for (const grant of gone) (grant as TestGrant).renewedMs = Number.NEGATIVE_INFINITY;
    const askedMs = time.now();
    await answers;
    for (const grant of grants as readonly TestGrant[]) {
      const isRenewed = !gone.includes(grant) && !isSilent(grant.partition);
      grant.isPutOff = isRenewed && isPutOff(grant.partition);
      if (isRenewed && !grant.isPutOff) grant.renewedMs = askedMs;
    }
    return gone.map((grant) => ({ grant, reason: 'another took it' }));
  },
  async release(grants) {
    for (const { partition } of grants) heard.push(`released ${partition}`);
  },
  onTrouble(listener) {
    trouble = listener;
  },
};

async function start(of = claims): Promise<Ranges> {
  const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const ranges = new Ranges(of, { partitionCount: PARTITION_COUNT, log, time });
  const named = (what: string, partitions: ReadonlySet<number>) =>
    void heard.push(`${what} ${partitions.size === PARTITION_COUNT ? 'all' : [...partitions]}`);
  const worlds = {
    suspend: (partitions: ReadonlySet<number>) => named('suspended', partitions),
    leave: async (partitions: ReadonlySet<number>) => named('left', partitions),
  };
  const clock = {
    now: () => 1000 + time.now(),
    catchUpAfterSuspend: () => {
      heard.push('caught up');
      return 0;
    },
  };
  ranges.use(worlds, clock);
  await ranges.takeAll();
  ranges.start();
  return ranges;
}

const shown = (ranges: Ranges) => ranges.shown().length;

test('a store of one process grants all partitions for ever', async () => {
  const ranges = await start(endlessClaims);
  await time.advance(1e9);
  expect([shown(ranges), ranges.limitMs]).toEqual([64, Number.POSITIVE_INFINITY]);
  expect(ranges.grantOf(63)?.partition).toBe(63);
  expect(heard).toEqual([]);
});

test('a partition of another process is not taken', async () => {
  othersUntilMs.set(5, time.now() + 3000);
  const ranges = await start();
  expect(shown(ranges)).toBe(63);
  expect(await ranges.take(5, 'free')).toEqual({ holder: 'node "other"', leftMs: 3000 });
  await time.advance(3000);
  expect(await ranges.take(5, 'free')).toMatchObject({ partition: 5 });
  expect(shown(ranges)).toBe(64);
});

test('a store that does not answer grants nothing', async () => {
  isSilent = () => true;
  const ranges = await start();
  expect(await ranges.take(5, 'free')).toBeUndefined();
  expect(ranges.held()).toEqual([]);
});

test('[R25] worlds are shown until their lease ends, and again once it is renewed', async () => {
  const ranges = await start();
  const grant = ranges.grantOf(7);
  const startMs = time.now();
  isSilent = () => true;
  await time.advance(LEASE_MS - 1);
  expect([shown(ranges), heard]).toEqual([64, []]);
  await time.advance(2);
  expect([shown(ranges), heard]).toEqual([0, ['suspended all']]);
  // The worlds in memory are not stepped beyond it either.
  expect(ranges.limitMs).toBe(startMs + LEASE_MS);
  expect(ranges.latestReadingMs).toBe(1000 + startMs + LEASE_MS);
  isSilent = () => false;
  await time.advance(RENEWAL_MS);
  expect([shown(ranges), heard]).toEqual([64, ['suspended all']]);
  expect(ranges.grantOf(7)).toBe(grant);
});

test('[R24] a lost partition is left, and taken under a new grant once it is free', async () => {
  const ranges = await start();
  const former = ranges.grantOf(7) as Grant;
  lost.add(7);
  await time.advance(RENEWAL_MS);
  expect([heard, ranges.grantOf(7), shown(ranges)]).toEqual([['left 7'], undefined, 63]);
  expect([logged.at(-1), ranges.limitMs]).toEqual([
    'this node has lost partitions',
    time.now() + LEASE_MS,
  ]);
  await ranges.take(7, 'free');
  expect(shown(ranges)).toBe(64);
  expect(ranges.grantOf(7)?.epoch).toBeGreaterThan(former.epoch);
});

test('[R24] nothing is shown of a partition that the store has told to be lost', async () => {
  const ranges = await start();
  const grant = ranges.grantOf(7) as TestGrant;
  grant.renewedMs = Number.NEGATIVE_INFINITY;
  expect(shown(ranges)).toBe(63);
});

test('what was lost under an earlier grant does not end the later one', async () => {
  const answered = Promise.withResolvers<void>();
  const ranges = await start({
    ...claims,
    async renew(grants) {
      const gone = await claims.renew(grants);
      await answered.promise;
      return gone;
    },
  });
  const former = ranges.grantOf(7) as Grant;
  lost.add(7);
  await time.advance(RENEWAL_MS);
  ranges.outdated(7, former.epoch + 1);
  const later = await ranges.take(7, 'free');
  answered.resolve();
  await ranges.renew();
  expect([ranges.grantOf(7), ranges.lostCount]).toEqual([later, 1]);
});

test('a partition that alone cannot be renewed does not hold the others back', async () => {
  const ranges = await start();
  isSilent = (partition) => partition === 7;
  await time.advance(LEASE_MS - 1);
  expect([heard, shown(ranges)]).toEqual([[], 64]);
  await time.advance(1);
  expect([heard, shown(ranges)]).toEqual([['left 7', 'released 7'], 63]);
  expect(ranges.limitMs).toBeGreaterThan(time.now());
});

test('a partition that was taken last does not have the others given up where the store falls silent', async () => {
  othersUntilMs.set(5, time.now() + 500);
  const ranges = await start();
  await time.advance(RENEWAL_MS - 100);
  await ranges.take(5, 'free');
  isSilent = () => true;
  await time.advance(LEASE_MS);
  expect([shown(ranges), ranges.held().length, ranges.lostCount]).toEqual([0, 64, 0]);
  isSilent = () => false;
  await time.advance(RENEWAL_MS);
  expect([shown(ranges), heard.filter((each) => !each.startsWith('suspended'))]).toEqual([64, []]);
});

test('partitions are kept whose renewal does not count yet, while that of others does', async () => {
  const ranges = await start();
  isPutOff = (partition) => partition !== 5;
  await time.advance(LEASE_MS + RENEWAL_MS);
  expect([shown(ranges), ranges.held().length, ranges.lostCount]).toEqual([1, 64, 0]);
  isPutOff = () => false;
  await time.advance(RENEWAL_MS);
  expect(shown(ranges)).toBe(64);
});

test('a partition of which another node has a later grant is left at once', async () => {
  const ranges = await start();
  const own = ranges.grantOf(7)?.epoch ?? 0;
  ranges.outdated(7, own);
  expect([heard, shown(ranges)]).toEqual([[], 64]);
  ranges.outdated(7, own + 1);
  expect([heard, shown(ranges)]).toEqual([['left 7', 'released 7'], 63]);
});

test('a partition that is given up is left before others may take it', async () => {
  const ranges = await start();
  await ranges.release(new Set([3, 4]));
  expect([heard, shown(ranges)]).toEqual([['left 3,4', 'released 3', 'released 4'], 62]);
  expect(ranges.held().some(({ partition }) => partition === 3)).toBe(false);
});

test('answers of a taken partition lie above what its last holder may have shown', async () => {
  floorMs = 1000 + time.now() + 7;
  const ranges = await start();
  expect([ranges.isShown(9, time.now()), shown(ranges)]).toEqual([false, 63]);
  await time.advance(7);
  expect([ranges.isShown(9, time.now()), shown(ranges)]).toEqual([true, 64]);
});

test('once the clock was set forward, a taken partition waits for less', async () => {
  floorMs = 1000 + time.now() + 800_000;
  const ranges = await start();
  expect(shown(ranges)).toBe(63);
  ranges.clockWasSet(799_990);
  for (let ms = 0; ms < 12; ms++) await time.advance(1);
  expect(shown(ranges)).toBe(64);
});

test('once the clock was set forward, nothing is shown until what it holds is renewed', async () => {
  const ranges = await start();
  await time.advance(60);
  ranges.clockWasSet(20_000);
  expect([shown(ranges), ranges.limitMs]).toEqual([0, Number.NEGATIVE_INFINITY]);
  await time.advance(1);
  await time.advance(1);
  expect([shown(ranges), heard]).toEqual([64, []]);
});

test.each([
  ['by the wall clock', () => time.jumpWall(1000)],
  ['by the time since it started', () => time.suspend(1000)],
  [
    'while its wall clock was set back',
    () => {
      time.suspend(8000);
      time.jumpWall(-3_600_000);
    },
  ],
])(
  'a machine that has slept, %s, shows nothing until what it holds is renewed',
  async (_, sleep) => {
    const ranges = await start();
    await time.advance(60);
    sleep();
    expect(shown(ranges)).toBe(0);
    expect(heard).toEqual(['caught up']);
    await time.advance(1);
    await time.advance(1);
    expect([shown(ranges), heard]).toEqual([64, ['caught up']]);
  },
);

test.each([
  [200, 1000, 0],
  [200, LEASE_MS, 64],
  [120, 1000, 64],
])('a sleep of %i ms is too long for leases of %i ms, or not', async (ms, leaseMs, expected) => {
  const ranges = await start({ ...claims, leaseMs });
  await time.advance(60);
  time.suspend(ms);
  expect(shown(ranges)).toBe(expected);
});

test.each([
  ['a renewal', 60, (ranges: Ranges) => ranges.renew()],
  ['a partition', 60, (ranges: Ranges) => ranges.take(9, 'free')],
  ['a renewal', 0, (ranges: Ranges) => ranges.renew()],
  ['a partition', 0, (ranges: Ranges) => ranges.take(9, 'free')],
])(
  'an answer about %s that was asked for %i ms before the machine slept says nothing',
  async (_, agoMs, ask) => {
    isSilent = (partition) => partition === 9;
    const ranges = await start();
    isSilent = () => false;
    const { promise, resolve } = Promise.withResolvers<void>();
    await time.advance(60);
    answers = promise;
    const asked = ask(ranges);
    await time.advance(agoMs);
    time.suspend(1000);
    expect(shown(ranges)).toBe(0);
    // What is asked for from now on is answered later.
    answers = new Promise(() => {});
    resolve();
    await asked;
    expect(ranges.held().length).toBeGreaterThanOrEqual(63);
    expect(shown(ranges)).toBe(0);
  },
);

test('a renewal that is needed while another one has no answer follows that one', async () => {
  const ranges = await start();
  const { promise, resolve } = Promise.withResolvers<void>();
  answers = promise;
  const first = ranges.renew();
  await time.advance(500);
  trouble();
  trouble();
  answers = Promise.resolve();
  isSilent = () => true;
  resolve();
  await first;
  isSilent = () => false;
  expect(ranges.marginMs).toBe(LEASE_MS - 500);
  await time.advance(1);
  await time.advance(1);
  expect(ranges.marginMs).toBeGreaterThan(LEASE_MS - 3);
  expect(ranges.renewals.count).toBe(2);
});

test('a node that stops renews nothing more', async () => {
  const ranges = await start();
  await ranges.stop();
  await time.advance(2 * LEASE_MS);
  expect([shown(ranges), heard]).toEqual([0, []]);
});

test('the margin is that of the shortest grant, and each renewal is measured', async () => {
  const ranges = await start();
  await time.advance(400);
  expect(ranges.marginMs).toBe(LEASE_MS - 400);
  expect(ranges.renewals.count).toBe(0);
  isSilent = (partition) => partition === 5;
  await time.advance(RENEWAL_MS);
  expect(ranges.marginMs).toBe(LEASE_MS - 400 - RENEWAL_MS);
  expect(ranges.renewals.count).toBe(1);
});

test('a node that holds nothing has no margin, and renews nothing', async () => {
  isSilent = () => true;
  const ranges = await start();
  await time.advance(RENEWAL_MS);
  expect(ranges.marginMs).toBe(Number.POSITIVE_INFINITY);
  expect(ranges.renewals.count).toBe(0);
});
