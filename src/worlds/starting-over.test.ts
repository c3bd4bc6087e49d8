import { afterEach, describe, expect, it } from 'vitest';
import { F_ALL, F_BRAKES } from '../../assembly/layout.ts';
import { MASK_CHECKPOINT_CHANGES } from '../limits.ts';
import type { Store } from '../store/contract.ts';
import { itemsOf } from '../testing/doubles/long-list.ts';
import { startFaultyNode, type TestNode } from '../testing/rigs/node.ts';
import { takenGrant } from '../testing/rigs/taken-grant.ts';
import { partitionOf } from '../twin/ids.ts';
import { JournalHash } from '../twin/journal-hash.ts';
import type { EventRecord } from '../twin/wire.ts';
import type { OwnedWorld } from './owned-world.ts';
import type { WorldRecord } from './records.ts';

const nodes: TestNode[] = [];
afterEach(async () => {
  for (const own of nodes.splice(0)) await own.discard();
});

async function start(settings: Record<string, string> = {}) {
  const own = await startFaultyNode(settings);
  nodes.push(own);
  return { node: own, store: own.store };
}

const configurations = (events: readonly EventRecord[] | undefined): number | undefined =>
  events?.filter(({ kind }) => kind === 'configuration').length;

const keyOf = (world: number) => ['p', partitionOf(world), 'world', world];

const recordOf = async (store: Store, world: number) =>
  (await store.get<WorldRecord>(keyOf(world)))?.value as WorldRecord;

/** Has an older kernel have stepped a world, and changes more of its record. */
async function age(store: Store, world: number, more: Partial<WorldRecord> = {}): Promise<void> {
  const value = { ...(await recordOf(store, world)), kernel: 'an older one', ...more };
  const grant = await takenGrant(store, partitionOf(world));
  await store.commit([], [{ key: keyOf(world), value }], grant);
}

/** A world with one change, which an older kernel has stepped. */
async function agedWorld({ worlds }: TestNode, store: Store): Promise<OwnedWorld> {
  const made = await worlds.create({ seed: 5, startTick: 20_000 });
  await made.change(3, F_BRAKES, 0);
  await worlds.forget(made);
  await age(store, made.number);
  return (await worlds.load(made.number)) as OwnedWorld;
}

describe('worlds under another kernel', () => {
  it('[R29] start over under another kernel, with identity, features and reports', async () => {
    const { node, store } = await start();
    const made = await node.worlds.create({ seed: 5, startTick: 20_000 });
    await made.change(3, F_BRAKES, 0);
    await age(store, made.number);
    const { dataDir } = node;
    await node.stop();

    const { node: upgraded } = await start({ DATA_DIR: dataDir });
    const world = await upgraded.worlds.load(made.number);
    expect([world?.exact, world?.kernel]).toEqual([false, 'an older one']);
    const packed = await world?.packed();
    expect(packed?.[0]).toBeGreaterThan(20_000);
    // No kernel has lived all of it.
    expect([world?.exact, world?.kernel]).toEqual([false, '']);
    expect(world?.createdAtMs).toBe(made.createdAtMs);
    expect(world?.fleet).toEqual(made.fleet);
    expect(world?.declared(3)).toBe(F_ALL & ~F_BRAKES);
    expect(world?.declared(4)).toBe(F_ALL);
    // It is not stepped again from its beginning: 400 s of traffic would show events.
    const before = await world?.events();
    expect(before?.filter(({ tick }) => tick <= 20_000)).toEqual([]);
    await world?.change(4, F_BRAKES, 0);
    expect(configurations(await world?.events())).toBe(1);
    expect(world && (await itemsOf(world.journal({})))).toHaveLength(2);
    await upgraded.stop();

    const { node: again } = await start({ DATA_DIR: dataDir });
    const reloaded = await again.worlds.load(made.number);
    expect(reloaded?.exact).toBe(false);
    expect(configurations(await reloaded?.events())).toBe(1);
    expect(reloaded?.declared(4)).toBe(F_ALL & ~F_BRAKES);
  });

  it('start over for good, whatever is changed in the same moment', async () => {
    const { node, store } = await start();
    const made = await node.worlds.create({ seed: 5, startTick: 20_000 });
    for (let change = 0; change < MASK_CHECKPOINT_CHANGES - 1; change++) {
      await made.change(3, F_BRAKES, change % 2 === 0 ? 0 : F_BRAKES);
    }
    const { kernel } = await recordOf(store, made.number);
    await age(store, made.number);
    const { dataDir } = node;
    await node.stop();

    const { node: upgraded, store: reopened } = await start({ DATA_DIR: dataDir });
    const world = await upgraded.worlds.load(made.number);
    await Promise.all([world?.packed(), world?.change(3, F_BRAKES, F_BRAKES)]);
    const stored = await recordOf(reopened, made.number);
    expect(stored).toMatchObject({ kernel, exact: false });
    expect(stored.from.tick).toBeGreaterThan(20_000);
    expect(world?.declared(3)).toBe(F_ALL);
  });

  it('[R29] begin after the changes that are not in effect yet', async () => {
    const { node, store } = await start();
    const made = await node.worlds.create({ seed: 5, startTick: 20_000 });
    await made.change(3, F_BRAKES, 0);
    await node.worlds.forget(made);
    const aheadTick = (await itemsOf(made.journal({})))[0]?.tick ?? 0;
    const maskTick = aheadTick + 50;
    const { masks } = await recordOf(store, made.number);
    await age(store, made.number, { masks, maskSeq: 1, maskTick });
    const world = (await node.worlds.load(made.number)) as OwnedWorld;
    await world.packed();
    expect((await recordOf(store, made.number)).from.tick).toBeGreaterThanOrEqual(maskTick);
  });

  it('[R29] take a change once they have started over, and tell the hash of their journal', async () => {
    const { node, store } = await start();
    const world = await agedWorld(node, store);
    await Promise.all([world.change(4, F_BRAKES, 0), world.packed()]);
    const { seed, from } = await recordOf(store, world.number);
    expect([from.seq, world.pulse().seq]).toEqual([1, 2]);
    const { changes } = await world.lockstep();
    const hash = JournalHash.ofStart(seed, from);
    hash.addPacked(changes);
    expect(world.pulse().journal).toBe(String(hash));
  });

  it('[R29] are handed over and stored as they go on from their start', async () => {
    const { node, store } = await start();
    const world = await agedWorld(node, store);
    await world.packed();
    const [handed] = await node.worlds.handover.handOut(partitionOf(world.number), () => false);
    expect(handed?.frozen?.seq).toBe(1);
  });
});
