import { describe, expect, it } from 'vitest';
import { CostKeeper, type CostsOf, machineName, readCosts } from './cost-keeper.ts';
import type { KnownCosts } from './shard/meter.ts';
import type { Key, Store } from './store/contract.ts';
import { TestTime } from './testing/doubles/test-time.ts';

const HERE: CostsOf = { kernel: 'aa', machine: 'fast × 8' };
const COSTS: KnownCosts = { frameNs: 24_000, tickNs: 3000 };

/** The part of a store that keeps costs. */
class CostStore implements Pick<Store, 'get' | 'commit'> {
  readonly values = new Map<string, unknown>();
  commits = 0;
  isBroken = false;

  async get<T>(key: Key) {
    if (this.isBroken) throw new Error('the store is away');
    const value = this.values.get(JSON.stringify(key));
    return value === undefined ? undefined : { key, value: value as T, version: 1 };
  }

  async commit(...[, writes]: Parameters<Store['commit']>) {
    this.commits++;
    if (this.isBroken) throw new Error('the store is away');
    for (const write of writes) {
      if ('value' in write) this.values.set(JSON.stringify(write.key), write.value);
    }
    return true;
  }
}

/** Runs a node whose shards measure these costs, until it stops. */
async function run(store: CostStore, of: CostsOf, measured: readonly (KnownCosts | undefined)[]) {
  const saved = await readCosts(store, of);
  const shards = measured.map((knownCosts) => ({ knownCosts }));
  const keeper = new CostKeeper(shards, { store, of, saved, time: TestTime.standing() });
  await keeper.stop();
}

describe('the costs of a kernel on a machine', () => {
  it('are known after a restart: the mean of the shards that know theirs', async () => {
    const store = new CostStore();
    expect(await readCosts(store, HERE)).toBeUndefined();
    await run(store, HERE, [
      { frameNs: 22_000, tickNs: 2000 },
      undefined,
      { frameNs: 26_000, tickNs: 4000 },
    ]);
    expect(await readCosts(store, HERE)).toEqual(COSTS);
  });

  it('are not those of another kernel or machine', async () => {
    const store = new CostStore();
    await run(store, HERE, [COSTS]);
    expect(await readCosts(store, { ...HERE, kernel: 'bb' })).toBeUndefined();
    expect(await readCosts(store, { ...HERE, machine: 'slow × 1' })).toBeUndefined();
    expect(machineName()).toMatch(/ × \d+$/);
  });

  it.each([
    null,
    7,
    'fast',
    {},
    { frameNs: 24_000 },
    { frameNs: -1, tickNs: 3000 },
    { frameNs: 'x', tickNs: 1 },
  ])('are unknown where the store has %j', async (value) => {
    const store = new CostStore();
    await run(store, HERE, [COSTS]);
    for (const key of store.values.keys()) store.values.set(key, value);
    expect(await readCosts(store, HERE)).toBeUndefined();
  });

  it('are unknown where the store is away, and it does no harm not to save them', async () => {
    const store = new CostStore();
    store.isBroken = true;
    await run(store, HERE, [COSTS]);
    expect(await readCosts(store, HERE)).toBeUndefined();
  });

  it('are saved every minute, where they have changed', async () => {
    const store = new CostStore();
    const time = TestTime.standing();
    const shard = { knownCosts: undefined as KnownCosts | undefined };
    const keeper = new CostKeeper([shard], { store, of: HERE, saved: undefined, time });
    await time.advance(60_000);
    expect(store.commits).toBe(0);
    shard.knownCosts = COSTS;
    await time.advance(180_000);
    expect(store.commits).toBe(1);
    shard.knownCosts = { ...COSTS, frameNs: 30_000 };
    await time.advance(60_000);
    expect(store.commits).toBe(2);
    await keeper.stop();
    expect(store.commits).toBe(2);
  });
});
