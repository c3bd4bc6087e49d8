import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { F_ALL, F_BRAKES } from '../../assembly/layout.ts';
import { at } from '../city/geometry.ts';
import { CATCH_UP_TICKS, HANDLES_MAX, READS_MAX } from '../limits.ts';
import { contactWith } from '../testing/doubles/contacts.ts';
import { itemsOf } from '../testing/doubles/long-list.ts';
import { startFaultyNode, type TestNode } from '../testing/rigs/node.ts';
import { until } from '../testing/rigs/until.ts';
import { partitionOf } from '../twin/ids.ts';
import type { World } from '../twin-service.ts';
import type { OwnedWorld } from './owned-world.ts';
import { Records } from './records.ts';
import { rendezvous } from './rendezvous.ts';

/** For tests that leave it as it was but for their worlds. */
let node: TestNode;
beforeAll(async () => {
  node = await startFaultyNode({ SHARDS: '1' });
});
afterAll(() => node.discard());

const nodes: TestNode[] = [];
afterEach(async () => {
  for (const own of nodes.splice(0)) await own.discard();
});

/** A node of the test's own, and the store under it. */
async function start(settings: Record<string, string> = {}) {
  const own = await startFaultyNode(settings);
  nodes.push(own);
  return { node: own, store: own.store };
}

/** Makes very many worlds, some at a time. */
async function makeWorlds({ worlds }: TestNode, count: number): Promise<OwnedWorld[]> {
  const made: World[] = [];
  while (made.length < count) {
    const some = Array.from({ length: 500 }, () => worlds.create({ startTick: 0 }));
    made.push(...(await Promise.all(some)));
  }
  return made as OwnedWorld[];
}

/** Affords a number of ticks at a time. */
function asker(ticksMax: number) {
  return {
    client: 'a',
    spent: 0,
    affords: (ticks: number) => ticks <= ticksMax,
    spares: (ticks: number) => ticks <= ticksMax,
    spend(ticks: number) {
      this.spent += ticks;
    },
  };
}

describe('the worlds of a node', () => {
  it('keep a world at hand that was just made, however many others are in use', async () => {
    const { node } = await start();
    for (const world of await makeWorlds(node, HANDLES_MAX)) world.touch();
    const newest = await node.worlds.create({ startTick: 0 });
    expect(node.worlds.peek(newest.number)).toBe(newest);
    expect(await node.worlds.load(newest.number)).toBe(newest);
  });

  it('[R24] are not shown by an answer that comes when this node may no longer show them', async () => {
    const world = await node.worlds.create({ startTick: 5000 });
    const asked = Promise.resolve(world.frame('json'));
    const isShown = vi.spyOn(node.ranges, 'isShown').mockReturnValue(false);
    await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' });
    isShown.mockRestore();
    expect(await world.frame('json')).toBeInstanceOf(Uint8Array);
  });

  it('[R24] are not loaded if this node may no longer show them once they are read', async () => {
    const world = await node.worlds.create({ startTick: 5000 });
    await node.worlds.forget(world);
    const loading = node.worlds.load(world.number);
    const isShown = vi.spyOn(node.ranges, 'isShown').mockReturnValue(false);
    await expect(loading).rejects.toMatchObject({ code: 'store_unavailable' });
    isShown.mockRestore();
    expect((await node.worlds.load(world.number))?.number).toBe(world.number);
  });

  it('come with when they were last used, and nothing is stored for that', async () => {
    const { node } = await start();
    const world = (await node.worlds.create({ startTick: 5000 })) as OwnedWorld;
    const handed = { ...world.handOut(null), lastTouchMs: world.lastTouchMs - 600_000 };
    const moved = vi.spyOn(Records.prototype, 'moveDue');
    world.takeIn({ ...handed, due: node.worlds.idle.slotOf(world, handed.lastTouchMs) });
    await node.worlds.idle.sweep();
    expect(world.lastTouchMs).toBe(handed.lastTouchMs);
    expect(moved).not.toHaveBeenCalled();
    moved.mockRestore();
  });

  it('[T7] send no frame from before what another node has shown, whoever watched there', async () => {
    const world = (await node.worlds.create({ startTick: 0 })) as OwnedWorld;
    const handed = { ...world.handOut(null), answeredTick: 2091 };
    world.watch('json', 'a client');
    const sentBy = (tick: number) => {
      const json = Buffer.from(`{"tick":${tick}}`);
      return world.receive({ tick, json, msgpack: undefined, packed: new Int32Array(3) });
    };
    world.takeIn({ ...handed, sentTick: null });
    expect([2028, 2088, 2092].map((tick) => sentBy(tick)?.tick)).toEqual([
      undefined,
      undefined,
      2092,
    ]);
    // Those who watched there have the frames up to this one, and are owed the next.
    world.takeIn({ ...handed, sentTick: 2080 });
    expect([2080, 2084].map((tick) => sentBy(tick)?.tick)).toEqual([undefined, 2084]);
    // Whoever asks is not shown such a frame: the other node has answered a later tick.
    expect(world.tick()).toBeGreaterThanOrEqual(2091);
    world.unwatch('json', 'a client');
  });

  it('are evicted once they are idle, all but so many of the newest, and load again', async () => {
    const { node } = await start();
    const made = await makeWorlds(node, HANDLES_MAX + 500);
    const [first, second] = [at(made, 0), at(made, 1)];
    await first.change(3, F_BRAKES, 0);
    second.quarantine(second.lastTouchMs);
    expect(node.worlds.handleCount).toBe(HANDLES_MAX + 500);
    for (const world of made) world.lastTouchMs -= 20_000;
    await node.worlds.idle.sweep();
    expect(node.worlds.handleCount).toBe(HANDLES_MAX);
    expect(node.worlds.peek(first.number)).toBeUndefined();
    // Its quarantine would be forgotten.
    expect(node.worlds.peek(second.number)).toBe(second);
    const again = await node.worlds.load(first.number);
    expect(again?.fleet).toEqual(first.fleet);
    expect(again?.declared(3)).toBe(F_ALL & ~F_BRAKES);
  });

  it('[W35] leave nothing in the store once they are dropped, even if their shard still reports', async () => {
    const { node, store } = await start({ WORLD_IDLE_SECONDS: '60' });
    const { number } = await node.worlds.create({ startTick: 0 });
    const facts = [contactWith({ tick: 9 })];
    const report = { kind: 'contacts', world: number, residency: 0, from: 0, facts } as const;
    let reports = 0;
    const { commit } = store;
    vi.spyOn(store, 'commit').mockImplementation((checks, writes, grant) => {
      if (writes.every((write) => 'remove' in write && write.key.includes(number))) {
        node.worlds.report(at(node.shards, 0), report);
        reports++;
      }
      return commit(checks, writes, grant);
    });
    const ofWorld = async () => {
      const entries = await store.list(['p', partitionOf(number)], { limit: 1000 });
      return entries.filter(({ key }) => key.includes(number)).map(({ key }) => key.join('/'));
    };
    expect(await ofWorld()).not.toEqual([]);
    await node.skip(65_000);
    await expect.poll(ofWorld).toEqual([]);
    expect(reports).toBeGreaterThan(0);
  });

  it('are given back once where the partition leaves while one is made', async () => {
    const { node, store } = await start();
    const { commit } = store;
    const stored = vi.spyOn(store, 'commit').mockImplementation(async (...writes) => {
      const isWritten = await commit.apply(store, writes);
      await node.worlds.leaveAll();
      return isWritten;
    });
    const deleted = vi.fn();
    const making = node.worlds.create({ startTick: 0 }, deleted);
    await expect(making).rejects.toMatchObject({ code: 'store_unavailable' });
    stored.mockRestore();
    await node.worlds.leaveAll();
    // Whoever has asked for it gives it back: see the route.
    expect(deleted).not.toHaveBeenCalled();
  });

  it('take no report of an earlier residency', async () => {
    const { node, store } = await start();
    const shard = at(node.shards, 0);
    const first = (await node.worlds.create({ startTick: 0 })) as OwnedWorld;
    await first.packed();
    const { number: world, residency } = first;
    expect(residency).toBeGreaterThan(0);
    node.worlds.leaveAll();
    const again = await node.worlds.load(world);
    expect(again).not.toBe(first);
    const facts = [contactWith({ tick: 9 })];
    const reportEarlier = async () => {
      node.worlds.report(shard, { kind: 'contacts', world, residency, from: 5, facts });
      const image = { tick: 9, seq: 0, bytes: new Uint8Array(8) };
      node.worlds.report(shard, { kind: 'image', world, residency, image });
      expect(again && (await itemsOf(await again.incidents({})))).toEqual([]);
      await again?.reports.written();
      expect(await store.get(['p', partitionOf(world), 'image', world])).toBeUndefined();
    };
    // Before it has a residency of its own, and with one.
    await reportEarlier();
    expect(again?.residency).toBeGreaterThan(residency);
    await reportEarlier();
  });

  it('show no frame of an earlier residency, however soon they are watched again', async () => {
    const { node } = await start();
    const shard = at(node.shards, 0);
    const reports = vi.spyOn(node.worlds, 'report');
    const shown: number[] = [];
    node.worlds.onFrames((frames, done) => {
      for (const { tick } of frames) shown.push(tick);
      done();
    });
    const first = (await node.worlds.create({ startTick: 0 })) as OwnedWorld;
    first.watch('json', 'a');
    await expect.poll(() => shown.length).toBeGreaterThan(1);
    node.worlds.leaveAll();
    const again = await node.worlds.load(first.number);
    shown.length = 0;
    again?.watch('json', 'a');
    const last = reports.mock.calls
      .map(([, report]) => report)
      .findLast(({ kind }) => kind === 'frames');
    if (last === undefined) throw new Error('a watched world is in frame batches');
    node.worlds.report(shard, last);
    expect(shown).toEqual([]);
    await expect.poll(() => shown.length).toBeGreaterThan(1);
  });

  it('[W35] are not loaded again once they are forgotten, even for pending queries', async () => {
    const { node } = await start();
    const world = (await node.worlds.create({ startTick: 90_000 })) as OwnedWorld;
    const looking = world.packed();
    const refused = expect(looking).rejects.toMatchObject({ code: 'world_unavailable' });
    await expect.poll(() => world.residency, { interval: 1 }).toBeGreaterThan(0);
    const opened = vi.spyOn(world.shard, 'open');
    node.worlds.leaveAll();
    await refused;
    expect(opened).not.toHaveBeenCalled();
    expect(world.residency).toBe(0);
    const again = await node.worlds.load(world.number);
    expect((await again?.packed())?.[0]).toBeGreaterThanOrEqual(90_000);
  });

  it('[F15] write down no change that changes nothing, also beside one under way', async () => {
    const world = await node.worlds.create({ startTick: 0 });
    const changes = [
      world.change(0, F_BRAKES, 0),
      world.change(0, F_BRAKES, 0),
      world.change(1, F_BRAKES, F_BRAKES),
      world.change(0, F_BRAKES, F_BRAKES),
      world.change(0, F_BRAKES, F_BRAKES),
    ];
    await Promise.all(changes);
    const journal = await itemsOf(world.journal({}));
    expect(journal.map(({ car, values }) => [car, values])).toEqual([
      [0, 0],
      [0, F_BRAKES],
    ]);
    expect(world.declared(0)).toBe(F_ALL);
  });

  it('[L17] refuse work of more than a minute, begin it in the background, and serve the others', async () => {
    const { node } = await start();
    const ancient = await node.worlds.create({ startTick: 2 ** 30 });
    const young = await node.worlds.create({ startTick: 100 });
    for (let i = 0; i < 2; i++) {
      await expect(ancient.packed()).rejects.toMatchObject({ code: 'overloaded', status: 503 });
      expect(node.shards[0]?.debtTicks).toBeLessThanOrEqual(CATCH_UP_TICKS);
    }
    expect((await young.packed())[0]).toBeGreaterThanOrEqual(100);
    const { loader } = ancient as OwnedWorld;
    await until('a part of it is done', () => loader.behindTicks < 2 ** 30);
  });

  it('[L30] refuse a client more reads than may wait for a shard, and serve the others', async () => {
    const world = await node.worlds.create({ startTick: 0 });
    const [greedy, other] = [asker(2000), { ...asker(2000), client: 'b' }];
    const reads = Array.from({ length: READS_MAX + 10 }, () => world.events(greedy));
    const outcomes = Promise.allSettled(reads);
    expect(await world.events(other)).toEqual([]);
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ reason: { code: 'overloaded', retryAfterS: 1 } });
    await expect(world.events(greedy)).resolves.toBeInstanceOf(Array);
  });

  it('answer all that ask for a state at the same tick by one query', async () => {
    const world = (await node.worlds.create({ startTick: 0 })) as OwnedWorld;
    await world.packed();
    const query = vi.spyOn(world.shard, 'query');
    const before = world.tick();
    const states = await Promise.all(Array.from({ length: 500 }, () => world.frame('json')));
    expect(query.mock.calls.length).toBeLessThan(50);
    for (const state of states) {
      const { tick } = JSON.parse(Buffer.from(state).toString()) as { tick: number };
      expect(tick).toBeGreaterThanOrEqual(before);
    }
    await world.frame('json');
    expect(world.tick()).toBeGreaterThanOrEqual(before);
    query.mockRestore();
  });

  it('let nobody suffer for another who asked at the same tick and cannot pay', async () => {
    const world = (await node.worlds.create({ startTick: 1500 })) as OwnedWorld;
    world.paidUpTo(0);
    const [poor, rich] = [asker(10), { ...asker(2000), client: 'b' }];
    const refused = expect(world.packed(() => poor)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(await world.packed(() => rich)).toBeDefined();
    await refused;
    expect(rich.spent).toBeGreaterThanOrEqual(1500);
  });

  it('[L26] are stepped to now if whoever asks can pay, but for what was paid when they were made', async () => {
    const made = async (startTick: number) =>
      (await node.worlds.create({ startTick })) as OwnedWorld;
    const fresh = await made(5000);
    const [reader, second, watcher] = [asker(2000), asker(2000), asker(2000)];
    await fresh.packed(() => reader);
    expect(reader.spent).toBeLessThan(500);

    const [dear, old, older] = await Promise.all([5000, 1500, 1500].map(made));
    for (const world of [dear, old, older]) world?.paidUpTo(0);
    await expect(dear?.packed(() => reader)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(reader.spent).toBeLessThan(500);
    await old?.events(second);
    expect(second.spent).toBeGreaterThanOrEqual(1500);
    older?.watch('json', 'a', watcher);
    await until('the watcher has paid', () => watcher.spent >= 1500);
    expect(() => old?.watch('json', 'a', asker(-1))).toThrow('rate_limited');
  });

  it('catch up in the background piece by piece, however far behind they are', async () => {
    const world = (await node.worlds.create({ startTick: 2 ** 30 })) as OwnedWorld;
    const query = vi.spyOn(world.shard, 'query').mockImplementation(async ({ tick }) => {
      const nothing = { bytes: undefined, packed: undefined, perception: undefined };
      return { outcome: 'answered', tick, ...nothing, events: undefined, hash: 0n };
    });
    for (const piece of [1, 2]) {
      expect(await world.loader.catchUp()).toBe(CATCH_UP_TICKS);
      expect(world.loader.isBehind).toBe(true);
      const task = { tick: piece * CATCH_UP_TICKS, background: true };
      expect(query.mock.lastCall?.[0]).toMatchObject(task);
    }
    query.mockRestore();
  });

  it('[L25] tell who made them, once, that they are deleted or may be of another node', async () => {
    const told: string[] = [];
    const make = (name: string) => node.worlds.create({ startTick: 0 }, () => void told.push(name));
    const [first] = [await make('first'), await make('second')];
    await node.worlds.drop(first.number);
    await node.worlds.drop(first.number);
    expect(told).toEqual(['first']);
    node.worlds.leaveAll();
    expect(told).toEqual(['first', 'second']);
  });

  it('are spread evenly over shards, and stay where they are when one more comes', () => {
    const worlds = Array.from({ length: 4000 }, (_, i) => i * 281_474_977 + 17);
    const counts = [0, 0, 0, 0];
    for (const world of worlds)
      counts[rendezvous(world, 4)] = (counts[rendezvous(world, 4)] ?? 0) + 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    for (const world of worlds) {
      const after = rendezvous(world, 5);
      if (after !== 4) expect(after).toBe(rendezvous(world, 4));
    }
  });
});
