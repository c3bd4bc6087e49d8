import type { City } from '../city/types.ts';
import type { Shard } from '../shard/shard.ts';
import type { CopiedWorld } from './handed-world.ts';
import { rendezvous } from './rendezvous.ts';

/** A world of another node that stands still in the memory of a shard, as it was when it was copied. */
export interface PreparedWorld {
  readonly tick: number;
  readonly residency: number;
  /** Number of its contacts until then. */
  readonly contacts: number;
  /** Whether the thread that has it still lives. */
  isThere(): boolean;
  /** Unloads it. */
  close(): void;
}

/**
 * Copies of worlds that are about to come to this node, in the memory of their shards: once the worlds have
 * come, they go on at once. By the token under which their partition comes.
 */
export class PreparedWorlds {
  readonly #cities: readonly City[];
  readonly #shards: readonly Shard[];
  readonly #byToken = new Map<string, Map<number, PreparedWorld>>();

  constructor(cities: readonly City[], shards: readonly Shard[]) {
    this.#cities = cities;
    this.#shards = shards;
  }

  /** Resolves with the numbers of those that are in memory now. Never rejects. */
  async prepare(token: string, copies: readonly CopiedWorld[]): Promise<readonly number[]> {
    const own = this.#byToken.get(token) ?? new Map<number, PreparedWorld>();
    this.#byToken.set(token, own);
    const opened = await Promise.all(copies.map((copy) => this.#open(copy).catch(() => undefined)));
    const isWanted = this.#byToken.get(token) === own;
    const numbers: number[] = [];
    for (const [i, world] of opened.entries()) {
      const number = copies[i]?.number;
      if (world === undefined || number === undefined) continue;
      own.set(number, world);
      numbers.push(number);
    }
    if (!isWanted) closeAll(own);
    return isWanted ? numbers : [];
  }

  /** Rejects if the shard has no thread, or cannot load it. */
  async #open(copy: CopiedWorld): Promise<PreparedWorld | undefined> {
    const { number: world, tick, seq, bytes, encodings, seed, createdAtMs, from } = copy;
    const cityIndex = this.#cities.findIndex(({ name }) => name === copy.city);
    const shard = this.#shards[rendezvous(world, this.#shards.length)];
    if (cityIndex < 0 || shard === undefined) return undefined;
    const { incarnation } = shard;
    const residency = shard.nextResidency();
    // Copied: those of all worlds share the memory of a message, all of which would go to the shard with
    // each.
    const image = { tick, seq, bytes: bytes.slice() };
    const past = { seed, from, image, changes: new Int32Array(0) };
    const prepared = encodings.filter((each) => each !== 'lockstep');
    const task = { world, residency, cityIndex, createdAtMs, past, prepared };
    const answer = await shard.open(task);
    if (answer.outcome !== 'opened') return undefined;
    return {
      ...{ tick, residency, contacts: answer.contacts },
      isThere: () => shard.incarnation === incarnation,
      close: () => void shard.close({ world, residency }).catch(() => {}),
    };
  }

  /** The copy of a world that has come; undefined if there is none any more. It is the caller's. */
  take(token: string, number: number): PreparedWorld | undefined {
    const own = this.#byToken.get(token);
    const world = own?.get(number);
    own?.delete(number);
    return world?.isThere() ? world : undefined;
  }

  /** Unloads those that were not taken. */
  discard(token: string): void {
    const own = this.#byToken.get(token);
    this.#byToken.delete(token);
    if (own !== undefined) closeAll(own);
  }
}

function closeAll(worlds: Map<number, PreparedWorld>): void {
  for (const world of worlds.values()) world.close();
  worlds.clear();
}
