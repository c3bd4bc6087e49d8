import { type Store, StoreUnavailable } from '../../store/contract.ts';
import type { Time } from '../../time.ts';

/**
 * What happens to commits: `fail` and `full` refuse them with nothing written; `gone`, reads too;
 * `unknown` makes them, but rejects as if it did not know; `hoards` refuses those that only remove;
 * `held` keeps them waiting until the next fault is set.
 */
export type Fault =
  | { kind: 'none' }
  | { kind: 'gone' }
  | { kind: 'slow'; ms: number }
  | { kind: 'held' }
  | { kind: 'fail' }
  | { kind: 'unknown' }
  | { kind: 'hoards' }
  | { kind: 'full' };

export interface FaultyStore extends Store {
  /** Holds for commits called from now on. */
  setFault(fault: Fault): void;
}

/** A store whose commits can be made to go wrong; reads go through unless it is gone. */
export function faultyStore(inner: Store, time: Time): FaultyStore {
  let fault: Fault = { kind: 'none' };
  let release = Promise.withResolvers<void>();
  // Commits pass in the order of their calls, however long each has to wait.
  let lastPassed: Promise<unknown> = Promise.resolve();
  const refuseIfGone = () => {
    if (fault.kind === 'gone') throw new StoreUnavailable('failed');
  };
  return {
    engine: inner.engine,
    claims: inner.claims,
    heartbeats: inner.heartbeats,
    async get(key) {
      refuseIfGone();
      return inner.get(key);
    },
    async list(prefix, page) {
      refuseIfGone();
      return inner.list(prefix, page);
    },
    async count(prefix, bounds) {
      refuseIfGone();
      return inner.count(prefix, bounds);
    },
    async commit(checks, writes, grant) {
      refuseIfGone();
      if (fault.kind === 'fail') throw new StoreUnavailable('failed');
      if (fault.kind === 'full') throw new StoreUnavailable('full');
      if (fault.kind === 'hoards' && writes.every((write) => 'remove' in write)) {
        throw new StoreUnavailable('failed');
      }
      let delay: Promise<void> | undefined;
      if (fault.kind === 'slow') delay = time.sleep(fault.ms);
      if (fault.kind === 'held') delay = release.promise;
      // What the caller changes while the commit waits is not part of it.
      const asked = structuredClone(writes);
      const isSilent = fault.kind === 'unknown';
      lastPassed = Promise.all([lastPassed, delay]);
      await lastPassed;
      const isMade = await inner.commit(checks, asked, grant);
      if (isSilent && isMade) throw new StoreUnavailable('unknown');
      return isMade;
    },
    async close() {
      await lastPassed;
      await inner.close();
    },
    setFault(next) {
      fault = next;
      release.resolve();
      release = Promise.withResolvers();
    },
  };
}
