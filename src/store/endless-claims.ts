import type { Claims } from './contract.ts';

/** Of a store that one process has for itself: it is granted every partition for ever. */
export const endlessClaims: Claims = {
  renewalMs: undefined,
  take: async (partition) => ({ partition, epoch: 1, untilMs: () => Number.POSITIVE_INFINITY }),
  renew: async () => [],
  release: async () => {},
  onTrouble() {},
};
