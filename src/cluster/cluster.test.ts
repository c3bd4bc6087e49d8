import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ForwardedCall, ForwardedReply } from '../cluster-service.ts';
import { BetweenNodes, TwinError } from '../errors.ts';
import { PARTITION_COUNT } from '../limits.ts';
import { PING_MS } from '../link/contract.ts';
import {
  type ClusterMember as Member,
  useClusterMembers,
  WORLDS_COUNTED,
} from '../testing/doubles/cluster-members.ts';
import { FakeWorld } from '../testing/doubles/fake-twin.ts';
import type { Net } from '../testing/doubles/link-double.ts';
import type { RedisDouble } from '../testing/doubles/redis-double.ts';
import type { TestTime } from '../testing/doubles/test-time.ts';
import { inPartition, partitionOf } from '../twin/ids.ts';
import { HEARTBEAT_MS } from './members.ts';

const LEASE_MS = 6000;

const cluster = useClusterMembers(LEASE_MS);
let time: TestTime;
let redis: RedisDouble;
let net: Net;
/** All worlds that there are: each node has them once it holds their partition. */
let worlds: FakeWorld[];
beforeEach(() => {
  ({ time, redis, net, worlds } = cluster);
});

const join = (name: string) => cluster.join(name);
const watchFor = (ms: number) => cluster.watchFor(ms);
const counts = (of: readonly Member[]) => of.map(({ ranges }) => ranges.shown().length);
const spread = (numbers: readonly number[]) => Math.max(...numbers) - Math.min(...numbers);
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
/** A world in a partition that a node holds. */
const worldOf = ({ ranges }: Member) => inPartition(12_345, ranges.shown()[0] ?? 0);

describe('sharing', () => {
  test('a node alone takes everything at once', async () => {
    const startMs = time.now();
    const a = await join('a');
    expect(counts([a])).toEqual([PARTITION_COUNT]);
    expect(time.now() - startMs).toBeLessThan(1500);
  });

  test('[N15] a node that joins gets its share in half a minute, with the fewest moves; then all rest', async () => {
    const a = await join('a');
    const b = await join('b');
    await watchFor(30_000);
    expect(counts([a, b])).toEqual([32, 32]);
    expect([a.left.length, b.left.length]).toEqual([32, 0]);
    // What has moved rests for a minute.
    await watchFor(60_000);
    const c = await join('c');
    await watchFor(30_000);
    const all = [a, b, c];
    expect([sum(counts(all)), spread(counts(all))]).toEqual([PARTITION_COUNT, 1]);
    expect(a.left.length + b.left.length).toBe(32 + 21);
    await watchFor(120_000);
    expect(a.left.length + b.left.length + c.left.length).toBe(32 + 21);
  });

  test('nothing is released for a node that has stopped, before the store was heard to say so', async () => {
    const a = await join('a');
    const b = await join('b');
    while (a.left.length < 3) await watchFor(100);
    let isSlow = false;
    const { heartbeats } = a.store;
    const send = heartbeats.send.bind(heartbeats);
    vi.spyOn(heartbeats, 'send').mockImplementation(async (...told) => {
      while (isSlow) await time.sleep(10);
      return send(...told);
    });
    await time.advance(100);
    isSlow = true;
    await time.advanceUntil(b.cluster.drain(0));
    const left = [...a.left];
    await time.advanceUntil(b.cluster.stop());
    await watchFor(1500);
    isSlow = false;
    expect(a.left).toEqual(left);
    await watchFor(2000);
    expect([a.left, counts([a])]).toEqual([left, [PARTITION_COUNT]]);
  });

  test('a node that stops leaves its partitions to the others at once', async () => {
    const a = await join('a');
    const b = await join('b');
    await watchFor(30_000);
    await time.advanceUntil(b.cluster.stop());
    await watchFor(1500);
    expect(counts([a])).toEqual([PARTITION_COUNT]);
  });
});

test('nodes tell each other how many worlds they have, and count them every ten seconds', async () => {
  const a = await join('a');
  const b = await join('b');
  await time.advance(30_000);
  const counted = [a.countings, b.countings];
  await time.advance(60_000);
  expect([a.countings, b.countings].map((countings, i) => countings - (counted[i] ?? 0))).toEqual([
    6, 6,
  ]);
  expect(await a.cluster.worldCount()).toBe(2 * WORLDS_COUNTED);
});

describe('failover', () => {
  test('[N11] the partitions of a dead node are taken after a lease, each under a later grant', async () => {
    const a = await join('a');
    const b = await join('b');
    await watchFor(30_000);
    const epochs = new Map(b.ranges.held().map(({ partition, epoch }) => [partition, epoch]));
    const lastMs = Math.max(...b.ranges.held().map((grant) => grant.latestReadingMs()));
    b.kill();
    await watchFor(LEASE_MS - 1100);
    expect(counts([a])).toEqual([32]);
    await watchFor(2600);
    expect(counts([a])).toEqual([PARTITION_COUNT]);
    expect(a.left).toHaveLength(32);
    for (const [partition, epoch] of epochs) {
      expect(a.ranges.grantOf(partition)?.epoch).toBeGreaterThan(epoch);
      expect(a.ranges.grantOf(partition)?.floorMs).toBeGreaterThanOrEqual(lastMs - LEASE_MS);
    }
    // Answers of the new holder lie above all that the dead one may have shown.
    expect(a.clock.now()).toBeGreaterThan(lastMs);
  });

  test.each([3_600_000, -3_600_000])(
    '[N12] a clock of the store that jumps by %i ms makes no second owner, and moves no world',
    async (jumpMs) => {
      const a = await join('a');
      const b = await join('b');
      await watchFor(30_000);
      const before = [a, b].map(({ ranges }) => ranges.held().map(({ epoch }) => epoch));
      const readings = [a, b].map(({ clock }) => clock.now() - time.now());
      redis.clockAheadMs += jumpMs;
      await watchFor(30_000);
      expect([a, b].map(({ ranges }) => ranges.held().map(({ epoch }) => epoch))).toEqual(before);
      for (const [i, { clock }] of [a, b].entries()) {
        expect(Math.abs(clock.now() - time.now() - (readings[i] ?? 0))).toBeLessThanOrEqual(20);
      }
    },
  );

  test('a node knows whether all others have said what they hold', async () => {
    const a = await join('a');
    const { members } = a.cluster;
    const haveSaid = async (afterMs: number) => {
      const startMs = time.now();
      expect(members.haveSaidSince(startMs)).toBe(false);
      await watchFor(afterMs);
      return members.haveSaidSince(startMs);
    };
    const toldMs = Math.max(HEARTBEAT_MS, 2 * PING_MS) + 100;
    await watchFor(LEASE_MS);
    expect(await haveSaid(toldMs)).toBe(true);
    const b = await join('b');
    await watchFor(30_000);
    expect(await haveSaid(toldMs)).toBe(true);
    b.kill();
    expect(await haveSaid(LEASE_MS + 2000)).toBe(false);
    expect(members.all()).toHaveLength(1);
    expect(await haveSaid(toldMs)).toBe(true);
    const c = await join('c');
    await watchFor(30_000);
    const startMs = time.now();
    await watchFor(toldMs);
    await time.advanceUntil(c.cluster.stop());
    await watchFor(toldMs);
    expect(members.haveSaidSince(startMs)).toBe(true);
  });

  test('after an outage of the store worlds are shown again at once where all nodes can talk', async () => {
    const members = [await join('a'), await join('b')];
    const [a = '', b = ''] = members.map((each) => each.cluster.members.process);
    await watchFor(30_000);
    redis.kill();
    await watchFor(20_000);
    expect(counts(members)).toEqual([0, 0]);
    redis.start();
    await watchFor(2000);
    expect(counts(members)).toEqual([32, 32]);
    redis.kill();
    await watchFor(20_000);
    net.cut(a, b);
    net.cut(b, a);
    redis.start();
    await watchFor(LEASE_MS - 500);
    expect(counts(members)).toEqual([0, 0]);
    await watchFor(2500);
    expect(counts(members)).toEqual([32, 32]);
  });

  test('the clock goes on while all nodes are gone', async () => {
    const a = await join('a');
    await watchFor(5000);
    const aheadMs = a.clock.now() - time.now();
    a.kill();
    await watchFor(20_000);
    const b = await join('b');
    expect(Math.abs(b.clock.now() - time.now() - aheadMs)).toBeLessThanOrEqual(5);
    expect(counts([b])).toEqual([PARTITION_COUNT]);
  });

  test('clocks of nodes agree, whatever the clock of their machine says', async () => {
    const a = await join('a');
    await time.advance(10_000);
    time.jumpWall(777_000);
    const b = await join('b');
    // Heartbeats from before are forgotten, and what is left is made up for slowly.
    await time.advance(30_000);
    expect(Math.abs(a.clock.now() - b.clock.now())).toBeLessThanOrEqual(5);
  });
});

describe('[N16] a stream whose world leaves its node', () => {
  test('goes on at the node that takes it, and here again when it comes back', async () => {
    for (let partition = 0; partition < PARTITION_COUNT; partition++) {
      worlds.push(new FakeWorld(inPartition(12_345, partition), { startTick: 0 }));
    }
    const watchers = () => sum(worlds.map((world) => world.watchers.json));
    const a = await join('a');
    const shown: number[] = [];
    a.cluster.relays.onFrames((frames) => shown.push(...frames.map(({ world }) => world.number)));
    const followed = worlds.map((world) => a.cluster.relays.follow(world, 'json', 'client'));
    const b = await join('b');
    await watchFor(30_000);
    const moved = worlds.filter(({ number }) => b.ranges.isShown(partitionOf(number), time.now()));
    expect([moved.length, b.cluster.relays.server.worldCount]).toEqual([32, 32]);
    expect(watchers()).toBe(PARTITION_COUNT);
    const frameOf = (world: FakeWorld) => ({
      ...{ world, tick: 104, json: world.bytes('json'), msgpack: undefined },
    });
    b.cluster.relays.publish(moved.map(frameOf));
    await time.advance(100);
    expect(shown).toEqual(moved.map(({ number }) => number));

    await time.advanceUntil(b.cluster.stop());
    await watchFor(3000);
    expect([watchers(), b.cluster.relays.server.worldCount]).toEqual([PARTITION_COUNT, 0]);
    expect(a.cluster.relays.worlds.worldCount).toBe(PARTITION_COUNT);
    for (const each of followed) each.unwatch('json', 'client');
    expect([watchers(), a.cluster.relays.worlds.worldCount]).toEqual([0, 0]);
  });

  test('is watched again if the world leaves while a node is asked for it', async () => {
    const [a, b] = [await join('a'), await join('b')];
    await watchFor(30_000);
    const world = new FakeWorld(worldOf(b), { startTick: 0 });
    b.twin.worlds.set(world.number, world);
    const load = b.twin.load.bind(b.twin);
    b.twin.load = (number) => {
      // In the turn of the event loop in which it answers: both go in one message.
      if (b.twin.loads === 0) time.immediate(() => b.cluster.relays.end(number, 'moved'));
      return load(number);
    };
    await time.advanceUntil(a.cluster.relays.watch(world.number, 'json', 'client'));
    await time.advance(1000);
    expect(b.twin.loads).toBe(2);
    expect([world.watchers.json, b.cluster.relays.server.worldCount]).toEqual([1, 1]);
  });

  test('ends with 1012 where the world is gone', async () => {
    const a = await join('a');
    const ends: unknown[] = [];
    a.cluster.relays.onStreamEnd((number, code) => ends.push([number, code]));
    const gone = new FakeWorld(worldOf(a), { startTick: 0 });
    a.cluster.relays.follow(gone, 'json', 'client');
    await watchFor(1000);
    expect(ends).toEqual([[gone.number, 1012]]);
  });
});

describe('requests', () => {
  const call: ForwardedCall = {
    ...{ method: 'GET', path: '/api/v1/worlds/x', query: '', encoding: 'json' },
    head: {
      ...{ accept: '', acceptEncoding: '', authorization: '' },
      ...{ vin: '', ifNoneMatch: '', contentType: '' },
    },
    ...{ addressKey: '127.0.0.1', requestId: 'r', traceparent: '', body: new Uint8Array(0) },
    publicTwinUrl: 'http://a',
  };
  const replyOf = (body: ForwardedReply['body']): ForwardedReply => ({
    ...{ status: 200, type: 'application/json', headers: [['ETag', '"1"']], body },
  });

  let a: Member;
  let b: Member;
  beforeEach(async () => {
    a = await join('a');
    b = await join('b');
    await watchFor(30_000);
  });

  test('a world is here or there, and its node answers', async () => {
    const world = worldOf(b);
    expect(b.cluster.placeOf(world)).toEqual({ at: 'here' });
    expect(a.cluster.placeOf(world)).toMatchObject({
      at: 'there',
      peer: { process: b.cluster.members.process },
    });
    const asked: ForwardedCall[] = [];
    b.cluster.onCall(async (each) => {
      asked.push(each);
      return replyOf('{"tick":1}');
    });
    const reply = await time.advanceUntil(a.cluster.forward(call, world));
    expect(reply).toEqual(replyOf('{"tick":1}'));
    expect(asked).toEqual([call]);
  });

  test('an answer in pieces comes whole', async () => {
    async function* pieces() {
      for (let i = 0; i < 5; i++) yield `${i}`.repeat(50_000);
    }
    b.cluster.onCall(async () => replyOf(pieces()));
    const { body } = await time.advanceUntil(a.cluster.forward(call, worldOf(b)));
    if (typeof body === 'string' || body instanceof Uint8Array) throw new Error('in one piece');
    const read = async () => {
      const parts: Uint8Array[] = [];
      for await (const piece of body) parts.push(Buffer.from(piece));
      return Buffer.concat(parts).toString();
    };
    expect(await time.advanceUntil(read())).toBe(
      [0, 1, 2, 3, 4].map((i) => `${i}`.repeat(50_000)).join(''),
    );
  });

  test('an error of the twin arrives as it is', async () => {
    const fault = new TwinError('rate_limited', 'Wait.', 7);
    b.cluster.onCall(() => Promise.reject(fault));
    const failed = a.cluster.forward(call, worldOf(b)).catch((error: unknown) => error);
    expect(await time.advanceUntil(failed)).toMatchObject({
      ...{ code: 'rate_limited', hint: 'Wait.', retryAfterS: 7 },
    });
  });

  test('[N13] a change whose link breaks may have been made, and is not sent again', async () => {
    let askedCount = 0;
    b.cluster.onCall(() => {
      askedCount++;
      net.break(a.cluster.members.process, b.cluster.members.process);
      return new Promise(() => {});
    });
    const patch = { ...call, method: 'PATCH' };
    const failed = a.cluster.forward(patch, worldOf(b)).catch((error: unknown) => error);
    expect(await time.advanceUntil(failed)).toMatchObject({
      ...{ code: 'store_unavailable', hint: expect.stringContaining('may have been') },
    });
    await time.advance(5000);
    expect(askedCount).toBe(1);
  });

  test('[N13] a read whose link breaks is sent again', async () => {
    let askedCount = 0;
    b.cluster.onCall(async () => {
      askedCount++;
      if (askedCount > 1) return replyOf('{}');
      net.break(a.cluster.members.process, b.cluster.members.process);
      return new Promise<ForwardedReply>(() => {});
    });
    const reply = await time.advanceUntil(a.cluster.forward(call, worldOf(b)));
    expect([reply.status, askedCount]).toEqual([200, 2]);
  });

  test('[N14] a world of a dead node is nowhere: a request waits a second at most', async () => {
    const world = worldOf(b);
    b.kill();
    const startMs = time.now();
    const failed = a.cluster.forward(call, world).catch((error: unknown) => error);
    expect(await time.advanceUntil(failed)).toMatchObject({ code: 'store_unavailable' });
    expect(time.now() - startMs).toBeLessThan(1200);
    expect(a.cluster.placeOf(world).at).toBe('nowhere');
    await watchFor(8000);
    expect(a.cluster.placeOf(world)).toEqual({ at: 'here' });
  });

  test('[N14] a call to a node that has fallen silent gets 503 after a second', async () => {
    b.cluster.onCall(async () => replyOf('{}'));
    const world = worldOf(b);
    const names = [a, b].map(({ cluster }) => cluster.members.process) as [string, string];
    net.cut(...names);
    const startMs = time.now();
    const failed = a.cluster.forward(call, world).catch((error: unknown) => error);
    expect(await time.advanceUntil(failed)).toMatchObject({ code: 'store_unavailable' });
    expect(time.now() - startMs).toBeLessThan(1100);
    // Both hold what they had, and it is served again soon after they hear each other.
    await watchFor(20_000);
    expect(counts([a, b])).toEqual([32, 32]);
    net.heal(...names);
    await watchFor(2000);
    const reply = await time.advanceUntil(a.cluster.forward(call, world));
    expect(reply.status).toBe(200);
  });

  test('a world that moves while it is asked for is found at its new node', async () => {
    const world = worldOf(b);
    const c = await join('c');
    for (const each of [a, b, c]) {
      each.cluster.onCall(async () => replyOf(each.cluster.members.process));
    }
    await b.ranges.release(new Set([partitionOf(world)]));
    const { body } = await time.advanceUntil(a.cluster.forward(call, world));
    const owner = [a, b, c].find(({ ranges }) => ranges.isShown(partitionOf(world), time.now()));
    expect(body).toBe(owner?.cluster.members.process);
  });

  test('[N2] a change that met its world on the way is sent to the next node of it', async () => {
    const world = worldOf(b);
    const c = await join('c');
    const asked: Member[] = [];
    for (const each of [a, c]) {
      each.cluster.onCall(async () => {
        asked.push(each);
        return replyOf('{}');
      });
    }
    b.cluster.onCall(async () => {
      asked.push(b);
      await b.ranges.release(new Set([partitionOf(world)]));
      throw new BetweenNodes();
    });
    const patch = { ...call, method: 'PATCH' };
    const { status } = await time.advanceUntil(a.cluster.forward(patch, world));
    expect(status).toBe(200);
    // It may be asked again before its release is known.
    const others = asked.filter((each) => each !== b);
    expect([asked.indexOf(b), others.length]).toEqual([0, 1]);
  });

  test('worlds are created here, and elsewhere by a node that has no partitions', async () => {
    expect(a.cluster.placeOfCreation()).toBeUndefined();
    const c = await join('c');
    expect(counts([c])).toEqual([0]);
    const peer = c.cluster.placeOfCreation();
    expect([a, b].map(({ cluster }) => cluster.members.process)).toContain(peer?.process);
    for (const each of [a, b]) each.cluster.onCall(async () => replyOf('{"id":"x"}'));
    if (peer === undefined) throw new Error('no node creates');
    const reply = await time.advanceUntil(c.cluster.forwardCreation(call, peer));
    expect(reply.body).toBe('{"id":"x"}');
  });
});
