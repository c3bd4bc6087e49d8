import { at } from '../city/geometry.ts';
import type { City } from '../city/types.ts';
import { TwinError } from '../errors.ts';
import { DEATHS_MAX } from '../limits.ts';
import type { Shard } from '../shard/shard.ts';
import type { Store } from '../store/contract.ts';
import type { OwnedWorld } from './owned-world.ts';
import type { Records } from './records.ts';
import { Suspects } from './suspects.ts';
import type { WorldDependencies } from './world-dependencies.ts';

/** What the worlds of all partitions share. */
export interface CommonDependencies
  extends Omit<WorldDependencies, 'records' | 'shard' | 'city' | 'cityIndex' | 'isShown'> {
  store: Store;
  cities: readonly City[];
  shards: readonly Shard[];
  /** Whether the worlds of a partition may be shown now. */
  isPartitionShown(partition: number): boolean;
}

/** A partition whose worlds this node serves, under one grant. */
export class OwnedPartition {
  readonly records: Records;
  readonly #suspects: Suspects;
  readonly #common: CommonDependencies;
  /** By shard and city. */
  readonly #shared: WorldDependencies[] = [];

  constructor(records: Records, common: CommonDependencies) {
    this.records = records;
    this.#suspects = new Suspects(common.store, records);
    this.#common = common;
  }

  /** One object for all worlds of a city on a shard, to save memory. Throws TwinError `world_unavailable`. */
  sharedBy(cityIndex: number, shardIndex: number): WorldDependencies {
    const { cities, shards } = this.#common;
    const city = cities[cityIndex];
    if (city === undefined) {
      throw new TwinError(
        'world_unavailable',
        'The city of this world no longer exists. Make a new world.',
        3600,
      );
    }
    const position = shardIndex * cities.length + cityIndex;
    this.#shared[position] ??= this.#makeShared(city, cityIndex, at(shards, shardIndex));
    return this.#shared[position];
  }

  #makeShared(city: City, cityIndex: number, shard: Shard): WorldDependencies {
    const { cities: _, shards: __, store: ___, isPartitionShown, ...base } = this.#common;
    const { records } = this;
    const isShown = () => isPartitionShown(records.grant.partition);
    return { ...base, records, shard, city, cityIndex, isShown };
  }

  /** Reads on which worlds threads of earlier holders died. Throws TwinError `store_unavailable`. */
  readSuspects(): Promise<void> {
    return this.#suspects.read();
  }

  /** A thread died while it stepped a world. Resolves once the store has it, or has failed. */
  async noteDeath(world: number): Promise<void> {
    const { clock, log } = this.#common;
    await this.#suspects.noteDeath(world, clock.now()).catch((err: unknown) => {
      log.warn({ world, err }, 'could not store that a thread died on a world');
    });
  }

  /** Quarantines a world on which DEATHS_MAX threads have died lately, of this node or of earlier ones. */
  quarantineSuspect(world: OwnedWorld): void {
    const { clock, log } = this.#common;
    const deathsMs = this.#suspects.deathsOf(world.number, clock.now());
    const lastMs = deathsMs.at(-1);
    if (lastMs === undefined || deathsMs.length < DEATHS_MAX) return;
    log.error({ world: world.id }, 'world quarantined');
    world.quarantine(lastMs);
  }
}
