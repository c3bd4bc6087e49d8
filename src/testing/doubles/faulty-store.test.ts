import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemTime } from '../../time.ts';
import { openIn, type TempStore, tempStore } from '../rigs/temp-store.ts';
import { storeSuite } from '../suites/store/contract.suite.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';

const openFaulty = () => tempStore(async (dir) => faultyStore(await openIn(dir), systemTime));

storeSuite('faulty, but without a fault', openFaulty);

describe('a faulty store', () => {
  let temp: TempStore<FaultyStore>;
  let store: FaultyStore;
  beforeEach(async () => {
    temp = await openFaulty();
    store = temp.store;
  });
  afterEach(() => temp.destroy());

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
