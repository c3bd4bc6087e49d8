import type { Claims } from './contract.ts';

/** Of a store that one process has for itself: it is granted every partition for ever. */
export const endlessClaims: Claims = {
  renewalMs: undefined,
  leaseMs: undefined,
  handovers: undefined,
  readClock() {},
  readOthers() {},
  take: async (partition) => ({
    partition,
    epoch: 1,
    floorMs: Number.NEGATIVE_INFINITY,
    untilMs: () => Number.POSITIVE_INFINITY,
    askedMs: () => Number.POSITIVE_INFINITY,
    latestReadingMs: () => Number.POSITIVE_INFINITY,
  }),
  renew: async () => [],
  release: async () => {},
  onTrouble() {},
};
