import { randomBytes } from 'node:crypto';

/** The source of randomness: unpredictable in a node, seeded in tests that must be repeatable. */
export interface Random {
  bytes(count: number): Uint8Array<ArrayBuffer>;
}

export const systemRandom: Random = {
  bytes: (count) => Uint8Array.from(randomBytes(count)),
};
