import type { Random } from '../random.ts';
import type { Chance } from './chance.ts';

/** The bytes of a world number. It has 50 bits, and the upper 6 of them are its partition. */
const WORLD_BYTES = 7;

/** The randomness of a node. World numbers are in the partitions that the run uses. */
export class NodeRandom implements Random {
  readonly #chance: Chance;
  readonly #partitions: readonly number[];

  constructor(chance: Chance, partitions: readonly number[]) {
    this.#chance = chance;
    this.#partitions = partitions;
  }

  bytes(count: number): Uint8Array<ArrayBuffer> {
    const bytes = this.#chance.bytes(count);
    if (count !== WORLD_BYTES) return bytes;
    const low = (bytes[1] ?? 0) & 15;
    const top = (this.#chance.pick(this.#partitions) << 4) | low;
    bytes.set([top >>> 8, top & 255]);
    return bytes;
  }
}
