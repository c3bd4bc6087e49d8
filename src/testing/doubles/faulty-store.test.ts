import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../store/embedded-store.ts';
import { systemTime } from '../../time.ts';
import { storeSuite } from '../suites/store/contract.suite.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';

async function openFaulty(dir: string): Promise<FaultyStore> {
  return faultyStore(await openEmbedded(dir, systemTime), systemTime);
}

storeSuite('faulty, but without a fault', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'store-test-'));
  let store = await openFaulty(dir);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openFaulty(dir);
      return store;
    },
    async destroy() {
      await store.close();
      await rm(dir, { recursive: true });
    },
  };
});

describe('a faulty store', () => {
  let dir: string;
  let store: FaultyStore;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'store-test-'));
    store = await openFaulty(dir);
  });
  afterEach(async () => {
    await store.close();
    await rm(dir, { recursive: true });
  });

  const writeCar = (value: string) => store.commit([], [{ key: ['car'], value }]);

  it.each([
    ['fail', 'failed'],
    ['full', 'full'],
  ] as const)(
    'refuses commits in mode %s, and only those, until told otherwise',
    async (kind, reason) => {
      await writeCar('before');
      store.setFault({ kind });
      await expect(writeCar('during')).rejects.toMatchObject({ name: 'StoreUnavailable', reason });
      expect((await store.get(['car']))?.value).toBe('before');
      expect(await store.list([], { limit: 10 })).toHaveLength(1);
      store.setFault({ kind: 'none' });
      expect(await writeCar('after')).toBe(true);
    },
  );

  it('keeps slow commits in the order of their calls', async () => {
    const ended: string[] = [];
    const write = (value: string) => writeCar(value).then(() => ended.push(value));
    store.setFault({ kind: 'slow', ms: 60 });
    const first = write('first');
    store.setFault({ kind: 'slow', ms: 5 });
    const second = write('second');
    store.setFault({ kind: 'none' });
    const third = write('third');
    expect(await store.get(['car'])).toBeUndefined();
    await Promise.all([third, second, first]);
    expect(ended).toEqual(['first', 'second', 'third']);
    expect((await store.get(['car']))?.value).toBe('third');
  });

  it('holds commits until the next fault is set', async () => {
    store.setFault({ kind: 'held' });
    const asked = writeCar('held');
    expect(await store.get(['car'])).toBeUndefined();
    store.setFault({ kind: 'none' });
    expect(await asked).toBe(true);
  });

  it('waits for slow commits when it is closed', async () => {
    store.setFault({ kind: 'slow', ms: 30 });
    const asked = writeCar('asked');
    await store.close();
    expect(await asked).toBe(true);
  });
});
