import { afterAll, beforeAll, expect, test } from 'vitest';
import { metricOf } from '../../src/testing/rigs/metric.ts';
import { orderFor } from './case.ts';
import { HealthyUsers } from './healthy-users.ts';
import { type HostileProcesses, startHostile } from './hostile-process.ts';
import { type NodeUnderAttack, startNodeUnderAttack } from './node-under-attack.ts';
import { RSS_BYTES_MAX } from './verdict.ts';

const SECONDS = 0.5;
/** At 19 they would hardly run where other tests keep all processors busy. */
const NICENESS = 5;
/** What the main thread may handle in one go, whoever asks for it: about 10 ms. */
const PIECE_BYTES_MAX = 256 * 1024;
/** What costs the address its budget of work comes last, but for what needs some to begin. */
const NAMES = [
  'journal',
  'chunks',
  'pipeline',
  'calls',
  'unread-bodyless',
  'slow-bodies',
  'strays',
  'heads',
  'upgrades',
  'pings',
  'silent-streams',
  'connections',
  'bodies',
];

let node: NodeUnderAttack;
let users: HealthyUsers;
let hostile: Record<string, HostileProcesses>;

beforeAll(async () => {
  node = await startNodeUnderAttack();
  users = await HealthyUsers.join(node);
  const order = orderFor(node, SECONDS);
  const started = NAMES.map(
    async (name) => [name, await startHostile([name], order, NICENESS)] as const,
  );
  hostile = Object.fromEntries(await Promise.all(started));
});

afterAll(async () => {
  users.leave();
  await node.stop();
});

const largestPieceBytes = () =>
  metricOf({ opsUrl: node.opsUrl?.origin ?? '' }, 'twin_largest_piece_bytes');

test.each(NAMES)('[R36, R37] %s: others are answered', async (name) => {
  const processes = hostile[name] as HostileProcesses;
  const stopWatching = node.watchMemory();
  const met = await users.measure(processes.attack());
  const peakBytes = stopWatching();
  expect(processes.achieved()).toMatchObject({
    fault: undefined,
    connections: expect.toSatisfy((n) => n > 0),
  });
  expect(met.answered).toBeGreaterThan(0);
  expect(met.failed).toEqual({});
  expect(met.streams.closed).toEqual({});
  expect(node.rssBytes()).toBeDefined();
  expect(peakBytes).toBeLessThan(RSS_BYTES_MAX);
  expect(await largestPieceBytes()).toBeLessThan(PIECE_BYTES_MAX);
});
