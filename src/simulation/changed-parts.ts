import type { Claims, Handovers, Store } from '../store/contract.ts';

/** The same claims with other methods. */
export function claimsWith(inner: Claims, changed: Partial<Claims>): Claims {
  return {
    renewalMs: inner.renewalMs,
    leaseMs: inner.leaseMs,
    handovers: inner.handovers,
    readClock: (read) => inner.readClock(read),
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

/** The same store with other methods. */
export function storeWith(inner: Store, changed: Partial<Store>): Store {
  return {
    engine: inner.engine,
    claims: inner.claims,
    heartbeats: inner.heartbeats,
    get: (key) => inner.get(key),
    list: (prefix, page) => inner.list(prefix, page),
    commit: (...commit) => inner.commit(...commit),
    serve: () => inner.serve?.(),
    close: () => inner.close(),
    ...changed,
  };
}
