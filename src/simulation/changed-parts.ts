import type { MovingWorlds } from '../cluster/handover.ts';
import type { Claims, Handovers, Store } from '../store/contract.ts';

/** The same claims with other methods. */
export function claimsWith(inner: Claims, changed: Partial<Claims>): Claims {
  return {
    renewalMs: inner.renewalMs,
    leaseMs: inner.leaseMs,
    handovers: inner.handovers,
    readClock: (read) => inner.readClock(read),
    readOthers: (read) => inner.readOthers(read),
    take: (partition, what) => inner.take(partition, what),
    renew: (grants) => inner.renew(grants),
    release: (grants) => inner.release(grants),
    onTrouble: (listener) => inner.onTrouble(listener),
    ...changed,
  };
}

/** Claims with other methods of their handovers, where they have any. */
export function handoversWith(
  inner: Claims,
  change: (handovers: Handovers) => Partial<Handovers>,
): Pick<Claims, 'handovers'> {
  const { handovers } = inner;
  if (handovers === undefined) return { handovers };
  return {
    handovers: {
      reserve: (partition) => handovers.reserve(partition),
      give: (grant, token) => handovers.give(grant, token),
      accept: (reservation) => handovers.accept(reservation),
      cancel: (reservation) => handovers.cancel(reservation),
      ...change(handovers),
    },
  };
}

/** The same worlds with other methods. */
export function movingWith(inner: MovingWorlds, changed: Partial<MovingWorlds>): MovingWorlds {
  return {
    copies: (partition) => inner.copies(partition),
    freeze: (partition) => inner.freeze(partition),
    handOut: (...asked) => inner.handOut(...asked),
    thaw: (partition) => inner.thaw(partition),
    prepare: (token, copies) => inner.prepare(token, copies),
    discard: (token) => inner.discard(token),
    takeIn: (...taken) => inner.takeIn(...taken),
    ...changed,
  };
}

/** The same store with other methods. */
export function storeWith(inner: Store, changed: Partial<Store>): Store {
  return {
    engine: inner.engine,
    claims: inner.claims,
    heartbeats: inner.heartbeats,
    get: (key) => inner.get(key),
    list: (prefix, page) => inner.list(prefix, page),
    count: (prefix, bounds) => inner.count(prefix, bounds),
    commit: (...commit) => inner.commit(...commit),
    serve: () => inner.serve?.(),
    close: () => inner.close(),
    ...changed,
  };
}
