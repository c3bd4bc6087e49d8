import { TwinError } from '../errors.ts';
import type { Address, FrozenWorld } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';
import { partitionOf } from '../twin/ids.ts';
import type { HandedWorld } from './handed-world.ts';
import type { OwnedWorld } from './owned-world.ts';
import type { WorldHandles } from './world-handles.ts';

/**
 * Hands the worlds of a partition to another node, and takes worlds of others in. Once a partition is not
 * shown any more, nothing changes in a frozen world. What is not at hand is in the store.
 */
export class WorldHandover {
  readonly #handles: WorldHandles;
  readonly #add: (world: HandedWorld) => OwnedWorld;

  /** @param add makes a world that is handed to this node. Throws TwinError if that cannot be */
  constructor(handles: WorldHandles, add: (world: HandedWorld) => OwnedWorld) {
    this.#handles = handles;
    this.#add = add;
  }

  #worldsOf(partition: number): readonly OwnedWorld[] {
    return this.#handles.all().filter(({ number }) => partitionOf(number) === partition);
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
   */
  async handOut(partition: number, isGivenUp: () => boolean): Promise<readonly HandedWorld[]> {
    // Those that are being deleted stay behind. The next node asks the store whether they still are worlds.
    const worlds = this.#worldsOf(partition).filter(({ isRetired }) => !isRetired);
    await Promise.all(worlds.map((world) => world.settled()));
    if (isGivenUp()) throw new Error('it took too long to store what was accepted');
    const byShard = addressesOf(worlds);
    const frozen = new Map<number, FrozenWorld>();
    const read = async ([shard, addresses]: [Shard, readonly Address[]]) => {
      for (const world of await shard.frozen(addresses)) frozen.set(world.world, world);
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
   * Goes on with worlds of a partition that this node has been given just now. What it cannot take in, it
   * loads from the store when it is asked for.
   */
  takeIn(worlds: readonly HandedWorld[]): void {
    for (const world of worlds) {
      try {
        this.#add(world).takeIn(world);
      } catch (error) {
        if (!(error instanceof TwinError)) throw error;
      }
    }
  }
}

/** Those that are in memory, by shard. */
function addressesOf(worlds: readonly OwnedWorld[]): Map<Shard, Address[]> {
  const byShard = new Map<Shard, Address[]>();
  for (const { number: world, residency, shard } of worlds) {
    if (residency === 0) continue;
    const addresses = byShard.get(shard) ?? [];
    byShard.set(shard, addresses);
    addresses.push({ world, residency });
  }
  return byShard;
}
