import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PARTITION_COUNT } from '../../../limits.ts';
import { ALL_METRICS } from '../../../metric-names.ts';
import { type PrintedSample, samplesOf, valueIn } from '../../rigs/metric.ts';
import { startTestNode, type TestNode } from '../../rigs/node.ts';
import {
  type Matcher,
  readAlerts,
  readDashboard,
  selectorsIn,
} from '../../rigs/operating-files.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { ask, makeWorld, type World } from '../reliability/client.ts';
import { moreFrames, StreamReader } from '../reliability/stream-reader.ts';

const LEASE_S = 60;
const WORLDS = 8;
/** Labels of which a node prints only the values that have occurred. */
const OF_CHANCE = ['status', 'status_class', 'route', 'job', 'instance'];

let redis: TestRedis;
/** The second one has joined the first. */
let nodes: TestNode[];
let worlds: World[];
/** What each of them prints, once its requests, streams and partitions have come to rest. */
let printed: (readonly PrintedSample[])[];

const start = (name: string) =>
  startTestNode({
    ...{ REDIS_URL: redis.url, NODE_NAME: name, SHARDS: '2' },
    ...{ LEASE_SECONDS: String(LEASE_S), DRAIN_SECONDS: '0' },
  });

beforeAll(async () => {
  redis = await startRedis();
  const first = await start('a');
  const second = await start('b');
  nodes = [first, second];
  const half = PARTITION_COUNT / 2;
  await until('balance', () => nodes.every(({ ranges }) => ranges.shown().length === half));
  const url = first.twinUrl;
  worlds = await Promise.all(Array.from({ length: WORLDS }, (_, seed) => makeWorld(url, { seed })));
  // Some of them are of the other node, whichever is asked.
  const streams = nodes.flatMap(({ twinUrl }) =>
    worlds.map((world) => StreamReader.open(twinUrl, world)),
  );
  const readers = await Promise.all(streams);
  await moreFrames(readers, 3);
  for (const { twinUrl, dealerUrl } of nodes) {
    for (const { id } of worlds) await ask(twinUrl, `/api/v1/worlds/${id}/map`);
    await fetch(`${dealerUrl}/api/dealers`);
  }
  await until('pings', () =>
    nodes.every(({ cluster }) => (cluster?.link.roundTrips.count ?? 0) > 0),
  );
  printed = await Promise.all(nodes.map(samplesOf));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.discard()));
  await redis.discard();
});

/** The values of a metric at all nodes, together. */
const total = (name: string, labels?: PrintedSample['labels']) =>
  printed.reduce((sum, samples) => sum + valueIn(samples, name, labels), 0);

function isWanted({ operator, value }: Matcher, found: string | undefined): boolean {
  const isEqual = operator.includes('~')
    ? new RegExp(`^(${value})$`).test(found ?? '')
    : found === value;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

/** What of a query no line of a node answers. */
function unansweredIn(expr: string, samples: readonly PrintedSample[]): string[] {
  return selectorsIn(expr).flatMap(({ name, matchers }) => {
    const wanted = matchers.filter(({ label }) => !OF_CHANCE.includes(label));
    const isAnswered = samples.some(
      (sample) =>
        sample.name === name && wanted.every((each) => isWanted(each, sample.labels[each.label])),
    );
    // Prometheus itself tells whether it could ask.
    return isAnswered || name === 'up' ? [] : [`${name} in ${expr}`];
  });
}

describe('[O21] each node on Redis', () => {
  test('prints every metric, with its labels', () => {
    for (const samples of printed) {
      for (const { kind, name, labels } of ALL_METRICS) {
        const ending = kind === 'histogram' ? '_count' : '';
        const found = samples.find((sample) => sample.name === name + ending);
        expect(Object.keys(found?.labels ?? { missing: name })).toEqual(labels);
      }
    }
  });

  test('tells of its partitions, its leases and the other node', () => {
    for (const samples of printed) {
      expect(valueIn(samples, 'twin_cluster_nodes')).toBe(2);
      expect(valueIn(samples, 'twin_link_peers')).toBe(1);
      expect(valueIn(samples, 'twin_partitions_held')).toBe(PARTITION_COUNT / 2);
      expect(valueIn(samples, 'twin_partitions_unowned')).toBe(0);
      expect(valueIn(samples, 'twin_lease_duration_seconds')).toBe(LEASE_S);
      expect(valueIn(samples, 'twin_lease_margin_seconds')).toBeGreaterThan(0);
      expect(valueIn(samples, 'twin_lease_margin_seconds')).toBeLessThanOrEqual(0.75 * LEASE_S);
      expect(valueIn(samples, 'twin_ready')).toBe(1);
    }
    const moved = PARTITION_COUNT / 2;
    const [first = [], second = []] = printed;
    const handovers = 'twin_partition_handovers_total';
    expect(valueIn(first, 'twin_partition_takeovers_total', { reason: 'free' })).toBe(
      PARTITION_COUNT,
    );
    expect(valueIn(first, handovers, { outcome: 'given' })).toBe(moved);
    expect(valueIn(second, handovers, { outcome: 'received' })).toBe(moved);
    const pauses = valueIn(first, 'twin_partition_pause_seconds_count', { reason: 'handover' });
    expect(pauses).toBeGreaterThanOrEqual(moved);
  });

  test('counts what it passes on and relays, and what it has for the other one', () => {
    expect(total('twin_forwarded_calls_total', { outcome: 'answered' })).toBeGreaterThanOrEqual(
      WORLDS,
    );
    expect(total('twin_relay_worlds', { direction: 'in' })).toBe(WORLDS);
    expect(total('twin_relay_worlds', { direction: 'out' })).toBe(WORLDS);
    expect(total('twin_relay_frames_sent_total')).toBeGreaterThanOrEqual(3 * WORLDS);
    expect(total('twin_stream_watchers')).toBe(2 * WORLDS);
    expect(total('twin_worlds_hot')).toBe(WORLDS);
    expect(total('twin_link_round_trip_seconds_count')).toBeGreaterThanOrEqual(2);
    expect(
      total('twin_store_operation_duration_seconds_count', { operation: 'commit' }),
    ).toBeGreaterThanOrEqual(WORLDS);
  });
});

describe('[O22] a node answers', () => {
  test('all queries of the dashboard', () => {
    const exprs = readDashboard().panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr),
    );
    expect(exprs.length).toBeGreaterThan(50);
    for (const samples of printed) {
      expect(exprs.flatMap((expr) => unansweredIn(expr, samples))).toEqual([]);
    }
  });

  test('all expressions of the alerts', () => {
    const exprs = readAlerts().map(({ expr }) => expr);
    expect(exprs.length).toBeGreaterThan(15);
    for (const samples of printed) {
      expect(exprs.flatMap((expr) => unansweredIn(expr, samples))).toEqual([]);
    }
  });
});
