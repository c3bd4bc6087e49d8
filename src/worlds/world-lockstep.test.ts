import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { F_BRAKES } from '../../assembly/layout.ts';
import { countNumbered } from '../shard/protocol.ts';
import { startFaultyNode, type TestNode } from '../testing/rigs/node.ts';
import { until } from '../testing/rigs/until.ts';
import { JournalHash } from '../twin/journal-hash.ts';
import { Records } from './records.ts';

let node: TestNode;
beforeAll(async () => {
  node = await startFaultyNode({ SHARDS: '1' });
});
afterAll(() => node.discard());

describe('a world that clients live themselves', () => {
  it('[Y3] tells the hash of a journal that it was made with before anybody has asked for it', async () => {
    const journal = { changes: Int32Array.of(10, 0, F_BRAKES, 0, 20, 1, F_BRAKES, 0), kernel: 'k' };
    const world = await node.worlds.create({ startTick: 100, journal });
    const told = world.pulse();
    const { seed, start, changes } = await world.lockstep();
    const hash = JournalHash.ofStart(seed, start);
    hash.addPacked(changes);
    expect([told.seq, told.journal]).toEqual([2, String(hash)]);
  });

  it('[Y4] tells the past with each change up to the last that it names, whenever it becomes durable', async () => {
    const seen = new Set<number>();
    for (let turns = 0; turns < 40; turns++) {
      const durable = Promise.withResolvers<void>();
      const append = vi.spyOn(Records.prototype, 'append').mockReturnValueOnce(durable.promise);
      const world = await node.worlds.create({ startTick: 0 });
      const { seq: known, journal: knownHash } = world.pulse();
      const changed = world.change(0, F_BRAKES, 0);
      await until('the change is written', () => append.mock.calls.length > 0);
      append.mockRestore();
      const past = world.lockstep({ seq: known, journal: knownHash });
      for (let i = 0; i < turns; i++) await Promise.resolve();
      durable.resolve();
      const { seq, journal, changes } = await past;
      const hash = JournalHash.parse(knownHash);
      hash?.addPacked(changes);
      expect([turns, String(hash), countNumbered(changes)]).toEqual([turns, journal, seq]);
      seen.add(seq);
      await changed;
    }
    expect([...seen].sort()).toEqual([0, 1]);
  });
});
