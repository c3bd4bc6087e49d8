import { type Store, StoreUnavailable } from '../../store/contract.ts';
import type { Time } from '../../time.ts';

/**
 * A store that several processes use, as one of them sees it: each call takes a turn of the event loop on
 * its way there and on its way back, and calls keep their order. Closing it does not close the other's.
 */
export function sharedStore(inner: Store, process: string, time: Pick<Time, 'immediate'>): Store {
  const turn = () => new Promise<void>((resolve) => void time.immediate(resolve));
  async function call<T>(work: () => Promise<T>): Promise<T> {
    await turn();
    try {
      return await work();
    } finally {
      await turn();
    }
  }
  return {
    engine: inner.engine,
    claims: inner.claims,
    heartbeats: {
      process,
      lossCount: 0,
      send: () => Promise.reject(new StoreUnavailable('failed')),
      leave: async () => {},
    },
    get: (key) => call(() => inner.get(key)),
    list: (prefix, page) => call(() => inner.list(prefix, page)),
    count: (prefix, bounds) => call(() => inner.count(prefix, bounds)),
    commit: (checks, writes, grant) => call(() => inner.commit(checks, writes, grant)),
    close: async () => {},
  };
}
