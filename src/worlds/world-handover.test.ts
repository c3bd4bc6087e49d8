import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FaultyNode, startFaultyNode } from '../testing/rigs/node.ts';
import { until } from '../testing/rigs/until.ts';
import { partitionOf } from '../twin/ids.ts';
import type { OwnedWorld } from './owned-world.ts';

let node: FaultyNode;
beforeEach(async () => {
  node = await startFaultyNode({ SHARDS: '1' });
});
afterEach(() => node.discard());

describe('the worlds of a partition that moves', () => {
  it('[N17] go on after a handover that was given up while a change was being stored', async () => {
    const world = (await node.worlds.create({ startTick: 5000 })) as OwnedWorld;
    await world.frame('json');
    const partition = partitionOf(world.number);
    await node.worlds.handover.freeze(partition);
    const stored = Promise.withResolvers<void>();
    const settled = vi.spyOn(world, 'settled').mockReturnValue(stored.promise);
    let isGivenUp = false;
    const handed = node.worlds.handover.handOut(partition, () => isGivenUp);
    isGivenUp = true;
    await node.worlds.handover.thaw(partition);
    stored.resolve();
    await expect(handed).rejects.toThrow('it took too long to store what was accepted');
    settled.mockRestore();
    expect(await world.frame('json')).toBeInstanceOf(Uint8Array);
  });

  it('[W34] go with a time of use of now while they are watched', async () => {
    const world = (await node.worlds.create({ startTick: 5000 })) as OwnedWorld;
    world.lastTouchMs -= 600_000;
    const { lastTouchMs } = world;
    expect(world.handOut(null).lastTouchMs).toBe(lastTouchMs);
    world.watch('lockstep', 'a client');
    expect(world.handOut(null).lastTouchMs).toBeGreaterThan(lastTouchMs + 500_000);
    world.unwatch('lockstep', 'a client');
  });

  it('[N17] are not handed to another node while they are deleted', async () => {
    const { store } = node;
    const world = (await node.worlds.create({ startTick: 5000 })) as OwnedWorld;
    const { number } = world;
    const handOut = () => node.worlds.handover.handOut(partitionOf(number), () => false);
    expect((await handOut()).map((handed) => handed.number)).toEqual([number]);
    const asked = Promise.withResolvers<void>();
    const { commit } = store;
    const committed = vi.spyOn(store, 'commit').mockImplementation(async (...writes) => {
      await asked.promise;
      return commit.apply(store, writes);
    });
    const dropped = node.worlds.drop(number);
    await until('its removal is asked for', () => committed.mock.calls.length > 0);
    expect(await handOut()).toEqual([]);
    asked.resolve();
    await dropped;
    expect(await node.worlds.load(number)).toBeUndefined();
  });
});
