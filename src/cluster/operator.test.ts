import { beforeEach, describe, expect, test } from 'vitest';
import { PARTITION_COUNT } from '../limits.ts';
import {
  type ClusterMember,
  useClusterMembers,
  WORLDS_COUNTED,
} from '../testing/doubles/cluster-members.ts';
import type { TestTime } from '../testing/doubles/test-time.ts';
import { inPartition, worldIdOf } from '../twin/ids.ts';

const LEASE_MS = 6000;
const BALANCED_MS = 30_000;
const MINUTE_MS = 60_000;

const nodes = useClusterMembers(LEASE_MS);
let time: TestTime;
let a: ClusterMember;
let b: ClusterMember;
beforeEach(async () => {
  ({ time } = nodes);
  a = await nodes.join('a');
  b = await nodes.join('b');
  await nodes.watchFor(BALANCED_MS);
});

const processOf = ({ cluster }: ClusterMember) => cluster.members.process;
const operatorOf = ({ cluster }: ClusterMember) => cluster.operator;
const shownBy = ({ ranges }: ClusterMember) => ranges.shown();
const firstOf = (member: ClusterMember) => shownBy(member)[0] ?? -1;
const statusAt = (member: ClusterMember) => time.advanceUntil(operatorOf(member).status());
/** What the operator of a node is refused. */
const refusal = async (asked: Promise<unknown>) => {
  const error = asked.then(
    () => 'it was done',
    (refused: unknown) => refused,
  );
  return time.advanceUntil(error);
};

describe('[O14] the status of a cluster', () => {
  test('is the same at every node, with what only the others know', async () => {
    const [ofA, ofB] = [firstOf(a), firstOf(b)];
    a.loads = [{ partition: ofA, worldCount: 3, hotCount: 1 }];
    b.loads = [{ partition: ofB, worldCount: undefined, hotCount: 2 }];
    for (const each of [a, b]) {
      const { store, process, nodes: all, partitions } = await statusAt(each);
      expect([store, process]).toEqual(['redis', processOf(each)]);
      const link = (of: ClusterMember) => (of === each ? null : 'up');
      const common = { build: 1, kernel: 'kernel', partitions: 32, worlds: WORLDS_COUNTED };
      expect(all).toMatchObject([
        { ...common, name: 'a', process: processOf(a), hot_worlds: 1, link: link(a) },
        { ...common, name: 'b', process: processOf(b), hot_worlds: 2, link: link(b) },
      ]);
      expect(all.map(({ is_this }) => is_this)).toEqual([each === a, each === b]);
      expect(all.map(({ round_trip_ms }) => typeof round_trip_ms === 'number')).toEqual([
        each !== a,
        each !== b,
      ]);
      for (const { clock_offset_ms } of all) expect(Math.abs(clock_offset_ms ?? 9)).toBeLessThan(5);
      expect(partitions.map(({ partition }) => partition)).toEqual([
        ...Array.from({ length: PARTITION_COUNT }).keys(),
      ]);
      const epochOf = (of: ClusterMember, partition: number) =>
        of.ranges.grantOf(partition)?.epoch ?? 'none';
      expect([partitions[ofA], partitions[ofB]]).toEqual([
        { partition: ofA, holder: processOf(a), epoch: epochOf(a, ofA), worlds: 3, hot_worlds: 1 },
        {
          ...{ partition: ofB, holder: processOf(b), epoch: epochOf(b, ofB) },
          ...{ worlds: null, hot_worlds: 2 },
        },
      ]);
    }
  });

  test('tells which links are down, and knows no more of these nodes than heartbeats tell', async () => {
    nodes.net.cut(processOf(a), processOf(b));
    await time.advance(3000);
    const { nodes: all } = await statusAt(a);
    expect(all).toMatchObject([
      { name: 'a', unreachable: [processOf(b)] },
      { name: 'b', link: 'down', round_trip_ms: null, clock_offset_ms: null, hot_worlds: null },
    ]);
  });

  test('has the moves of all nodes, newest first', async () => {
    for (const each of [a, b]) {
      const { moves } = await statusAt(each);
      const handed = moves.filter(({ why }) => why === 'handover');
      expect(handed).toHaveLength(32);
      for (const { from, to } of handed) expect([from, to]).toEqual([processOf(a), processOf(b)]);
    }
    b.kill();
    await nodes.watchFor(10_000);
    const { moves } = await statusAt(a);
    const lost = moves.filter(({ why }) => why === 'lost');
    const taken = moves.filter(({ why }) => why === 'takeover');
    expect(lost.map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: 32 }, () => [processOf(b), null]),
    );
    expect(taken.slice(0, 32).map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: 32 }, () => [processOf(b), processOf(a)]),
    );
    expect(moves).toHaveLength(100);
    const times = moves.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
  });
});

test('[O15] a world is at the node that holds its partition, at whichever node one asks', () => {
  const partition = firstOf(b);
  const number = inPartition(12_345, partition);
  const place = { world: worldIdOf(number), partition, node: 'b', process: processOf(b) };
  expect(operatorOf(a).placeOf(number)).toEqual({ ...place, is_this: false, served: true });
  expect(operatorOf(b).placeOf(number)).toEqual({ ...place, is_this: true, served: true });
});

describe('[O16] a move', () => {
  test('is answered when the other node has the partition, which then stays for a minute', async () => {
    const partition = firstOf(a);
    const moved = await time.advanceUntil(operatorOf(a).move(partition, 'b'));
    expect(moved).toEqual({ partition, from: processOf(a), to: processOf(b) });
    expect(shownBy(a)).not.toContain(partition);
    await time.advance(1000);
    for (let passedMs = 1000; passedMs < MINUTE_MS; passedMs += 1000) {
      expect(shownBy(b)).toContain(partition);
      await nodes.watchFor(1000);
    }
    const { moves } = await statusAt(b);
    expect(moves.find((move) => move.partition === partition)).toMatchObject({
      ...{ from: processOf(a), to: processOf(b), why: 'handover' },
    });
  });

  test('may be asked for while the node gives another one', async () => {
    const c = await nodes.join('c');
    await nodes.watchFor(MINUTE_MS + 3000);
    expect(shownBy(c).length).toBeGreaterThan(0);
    const partitions = shownBy(a).slice(0, 3);
    const moves = partitions.map((each) => operatorOf(a).move(each, processOf(c)));
    await time.advanceUntil(Promise.all(moves));
    await nodes.watchFor(1000);
    expect(shownBy(c)).toEqual(expect.arrayContaining([...partitions]));
  });

  test('is refused where it cannot be', async () => {
    const [ofA, ofB] = [firstOf(a), firstOf(b)];
    const move = (partition: number, to: string) => refusal(operatorOf(a).move(partition, to));
    expect(await move(ofA, 'nobody')).toMatchObject({ status: 404, code: 'unknown_node' });
    expect(await move(ofB, 'a')).toMatchObject({
      ...{ status: 409, hint: expect.stringContaining('node b holds it') },
    });
    expect(await move(ofA, 'a')).toMatchObject({ status: 409 });
    await nodes.join('c', { kernel: 'other' });
    await time.advance(1500);
    expect(await move(ofA, 'c')).toMatchObject({
      ...{ status: 409, hint: expect.stringContaining('kernel') },
    });
    await time.advanceUntil(operatorOf(b).drain(undefined));
    await time.advance(1500);
    expect(await move(ofA, 'b')).toMatchObject({
      ...{ status: 409, hint: expect.stringContaining('drains') },
    });
  });

  test('is refused where the other node takes nothing, and the partition stays', async () => {
    const partition = firstOf(a);
    // It drains, but the first node has not heard of it yet.
    operatorOf(b).drain(undefined);
    const refused = await refusal(operatorOf(a).move(partition, 'b'));
    expect(refused).toMatchObject({ status: 409, hint: expect.stringContaining('takes no') });
    expect(shownBy(a)).toContain(partition);
  });

  test('is refused where the link is down, or several nodes have the name', async () => {
    await nodes.join('b');
    expect(await refusal(operatorOf(a).move(firstOf(a), 'b'))).toMatchObject({ status: 409 });
    nodes.net.cut(processOf(a), processOf(b));
    await time.advance(2000);
    expect(await refusal(operatorOf(a).move(firstOf(a), processOf(b)))).toMatchObject({
      ...{ status: 409, hint: expect.stringContaining('link') },
    });
  });
});

describe('[O17] a drained node', () => {
  test('gives everything to the others, takes nothing, and goes on receiving requests', async () => {
    const began = await time.advanceUntil(operatorOf(a).drain(undefined));
    expect(began).toMatchObject({ node: 'a', process: processOf(a), draining: true });
    await nodes.watchFor(10_000);
    expect([shownBy(a).length, shownBy(b).length]).toEqual([0, PARTITION_COUNT]);
    await nodes.watchFor(2 * MINUTE_MS);
    expect(shownBy(a)).toEqual([]);
    expect(a.cluster.isStopping).toBe(false);
    const world = inPartition(12_345, 0);
    expect(a.cluster.placeOf(world)).toMatchObject({ at: 'there' });
    expect(a.cluster.placeOfCreation()).toMatchObject({ process: processOf(b) });
    const { nodes: all } = await statusAt(b);
    expect(all.map(({ draining, partitions }) => [draining, partitions])).toEqual([
      [true, 0],
      [false, PARTITION_COUNT],
    ]);
  });

  test('takes its share again once the drain is ended, and what has moved has rested', async () => {
    await time.advanceUntil(operatorOf(a).drain('a'));
    await nodes.watchFor(10_000);
    await time.advanceUntil(operatorOf(a).undrain('a'));
    await nodes.watchFor(MINUTE_MS + BALANCED_MS);
    expect([shownBy(a).length, shownBy(b).length]).toEqual([32, 32]);
  });

  test('may be another one than the node that is asked', async () => {
    expect(await time.advanceUntil(operatorOf(a).drain('b'))).toMatchObject({
      ...{ node: 'b', process: processOf(b), draining: true },
    });
    await nodes.watchFor(10_000);
    expect([shownBy(a).length, shownBy(b).length]).toEqual([PARTITION_COUNT, 0]);
    await time.advanceUntil(operatorOf(a).undrain(processOf(b)));
    await nodes.watchFor(MINUTE_MS + BALANCED_MS);
    expect([shownBy(a).length, shownBy(b).length]).toEqual([32, 32]);
  });

  test('takes over what nobody else is left to take', async () => {
    await time.advanceUntil(operatorOf(a).drain(undefined));
    await nodes.watchFor(10_000);
    b.kill();
    await nodes.watchFor(5 * LEASE_MS);
    expect(shownBy(a)).toHaveLength(PARTITION_COUNT);
  });

  test('is not the last one that takes partitions, nor one that does not answer', async () => {
    await time.advanceUntil(operatorOf(a).drain('b'));
    await time.advance(1500);
    expect(await refusal(operatorOf(b).drain('a'))).toMatchObject({ code: 'conflict' });
    expect(await refusal(operatorOf(a).drain(undefined))).toMatchObject({ status: 409 });
    expect(await refusal(operatorOf(a).drain('nobody'))).toMatchObject({ code: 'unknown_node' });
    nodes.net.cut(processOf(a), processOf(b));
    expect(await refusal(operatorOf(a).undrain('b'))).toMatchObject({ status: 503 });
  });

  test('stops as any other', async () => {
    await time.advanceUntil(operatorOf(a).drain(undefined));
    await nodes.watchFor(10_000);
    await time.advanceUntil(a.cluster.drain(1000));
    expect(a.cluster.isStopping).toBe(true);
    expect(await refusal(operatorOf(a).undrain(undefined))).toMatchObject({ code: 'conflict' });
  });
});
