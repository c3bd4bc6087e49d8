import { TwinError } from '../errors.ts';
import type { FrozenTask, FrozenWorld } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';
import { partitionOf } from '../twin/ids.ts';
import type { CopiedWorld, HandedWorld } from './handed-world.ts';
import type { OwnedWorld } from './owned-world.ts';
import type { PreparedWorlds } from './prepared-worlds.ts';
import type { WorldHandles } from './world-handles.ts';

/** Worlds that are copied in one piece: watched ones must not wait longer than for some frames. */
const COPIED_AT_ONCE = 16;

/** What the next node has of worlds, by their numbers. */
export type Copies = ReadonlyMap<number, Pick<CopiedWorld, 'tick' | 'seq' | 'residency'>>;

/**
 * Hands the worlds of a partition to another node, and takes worlds of others in. Once a partition is not
 * shown any more, nothing changes in a frozen world. What is not at hand is in the store.
 */
export class WorldHandover {
  readonly #handles: WorldHandles;
  readonly #prepared: PreparedWorlds;
  readonly #add: (world: HandedWorld) => OwnedWorld;

  /** @param add makes a world that is handed to this node. Throws TwinError if that cannot be */
  constructor(
    handles: WorldHandles,
    prepared: PreparedWorlds,
    add: (world: HandedWorld) => OwnedWorld,
  ) {
    this.#handles = handles;
    this.#prepared = prepared;
    this.#add = add;
  }

  #worldsOf(partition: number): readonly OwnedWorld[] {
    return this.#handles.all().filter(({ number }) => partitionOf(number) === partition);
  }

  /**
   * Worlds that are in memory as they go on, some at a time, and those first that are watched. Where none is
   * watched nobody sees them stand still: there are no copies. Rejects if a shard has no thread.
   */
  async *copies(partition: number): AsyncGenerator<readonly CopiedWorld[]> {
    const all = this.#worldsOf(partition);
    const watched = addressesOf(all.filter(({ isHot }) => isHot));
    if (watched.size === 0) return;
    const others = addressesOf(all.filter(({ isHot }) => !isHot));
    const worlds = new Map(all.map((world) => [world.number, world]));
    for (const [shard, addresses] of [...watched, ...others]) {
      for (let i = 0; i < addresses.length; i += COPIED_AT_ONCE) {
        const states = await shard.copies(addresses.slice(i, i + COPIED_AT_ONCE));
        yield states.flatMap((state) => worlds.get(state.world)?.loader.copied(state) ?? []);
      }
    }
  }

  /** Has copies of another node ready under a token. Resolves with the numbers of those that are. Never rejects. */
  prepare(token: string, copies: readonly CopiedWorld[]): Promise<readonly number[]> {
    return this.#prepared.prepare(token, copies);
  }

  /** The worlds of a token do not come, or all have come. */
  discard(token: string): void {
    this.#prepared.discard(token);
  }

  /**
   * Has the worlds stand still, and resolves once all their frames are delivered. Changes are accepted
   * until the partition is not shown any more. Rejects if a shard has no thread.
   */
  async freeze(partition: number): Promise<void> {
    const byShard = addressesOf(this.#worldsOf(partition));
    await Promise.all([...byShard].map(([shard, addresses]) => shard.freeze(addresses)));
  }

  /**
   * The worlds, once everything that was accepted is stored. To be called when they are frozen and not shown
   * any more. Rejects if a shard has no thread.
   * @param isGivenUp whether nobody waits for them any more: they may have been thawed, and must not be
   * frozen again
   * @param copies without the states of these, where only time has passed since then
   */
  async handOut(
    partition: number,
    isGivenUp: () => boolean,
    copies: Copies = new Map(),
  ): Promise<readonly HandedWorld[]> {
    // Those that are being deleted stay behind. The next node asks the store whether they still are worlds.
    const worlds = this.#worldsOf(partition).filter(({ isRetired }) => !isRetired);
    await Promise.all(worlds.map((world) => world.settled()));
    if (isGivenUp()) throw new Error('it took too long to store what was accepted');
    const byShard = addressesOf(worlds, copies);
    const frozen = new Map<number, FrozenWorld>();
    const read = async ([shard, tasks]: [Shard, readonly FrozenTask[]]) => {
      for (const world of await shard.frozen(tasks)) frozen.set(world.world, world);
    };
    await Promise.all([...byShard].map(read));
    return worlds.map((world) => world.handOut(frozen.get(world.number) ?? null));
  }

  /** They were not given: they go on. Never rejects. */
  async thaw(partition: number): Promise<void> {
    const byShard = addressesOf(this.#worldsOf(partition));
    // As tasks come in order, it is after a freeze that is still under way.
    await Promise.all([...byShard].map(([shard, addresses]) => shard.thaw(addresses)));
  }

  /**
   * Goes on with worlds of a partition that this node has been given just now under a token, from the copies
   * that it has of them. What it cannot take in, it loads from the store when it is asked for.
   * @param taken called after each that is taken in
   */
  takeIn(
    token: string,
    worlds: readonly HandedWorld[],
    taken: (world: number) => void = () => {},
  ): void {
    try {
      for (const world of worlds) this.#takeIn(token, world, taken);
    } finally {
      this.#prepared.discard(token);
    }
  }

  #takeIn(token: string, world: HandedWorld, taken: (world: number) => void): void {
    const { number } = world;
    try {
      this.#add(world).takeIn(world, () => this.#prepared.take(token, number));
      taken(number);
    } catch (error) {
      if (!(error instanceof TwinError)) throw error;
    }
  }
}

/** Those that are in memory, by shard. */
function addressesOf(
  worlds: readonly OwnedWorld[],
  copies: Copies = new Map(),
): Map<Shard, FrozenTask[]> {
  const byShard = new Map<Shard, FrozenTask[]>();
  for (const { number: world, residency, shard } of worlds) {
    if (residency === 0) continue;
    const addresses = byShard.get(shard) ?? [];
    byShard.set(shard, addresses);
    // What another residency was copied from may have been wrong.
    const copy = copies.get(world);
    addresses.push({ world, residency, copy: copy?.residency === residency ? copy : undefined });
  }
  return byShard;
}
