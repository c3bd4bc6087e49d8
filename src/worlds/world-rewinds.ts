import { LEAD_TICKS_MAX } from '../limits.ts';
import type { WorldPast } from '../shard/protocol.ts';
import type { IncidentContacts } from '../twin/incidents.ts';
import type { WorldRecord } from './records.ts';
import type { WorldDependencies } from './world-dependencies.ts';

/** A rewind, and the chains whose states it brings to the shard's rewind cache. */
export interface PlannedRewind {
  past: WorldPast;
  chains: readonly IncidentContacts[];
  /** How many ticks it takes. */
  ticks: number;
}

/** Runs a world again, from its stored image or its beginning, for the states before collisions. */
export class WorldRewinds {
  readonly #world: number;
  readonly #record: WorldRecord;
  readonly #shared: Pick<WorldDependencies, 'records' | 'shard' | 'cityIndex'>;

  constructor(
    world: number,
    record: WorldRecord,
    shared: Pick<WorldDependencies, 'records' | 'shard' | 'cityIndex'>,
  ) {
    this.#world = world;
    this.#record = record;
    this.#shared = shared;
  }

  /**
   * Plans a rewind for the newest of some chains. With the stored image it covers the chains after
   * that, else all of them.
   */
  async plan(chains: readonly IncidentContacts[], trustImage: boolean): Promise<PlannedRewind> {
    const newestTick = Math.max(...chains.map(([{ tick }]) => tick)) - LEAD_TICKS_MAX;
    const { records } = this.#shared;
    const past = await records.past(this.#world, this.#record, trustImage, newestTick);
    const startTick = (past.image ?? past.from).tick;
    const isCovered = ([{ tick }]: IncidentContacts) => startTick <= tick - LEAD_TICKS_MAX;
    return {
      past,
      chains: past.image === undefined ? chains : chains.filter(isCovered),
      ticks: newestTick + LEAD_TICKS_MAX - startTick,
    };
  }

  /** Rejects with TwinError if the shard fails, with another error if the world cannot be run again. */
  run({ past, chains }: PlannedRewind, background: boolean): Promise<void> {
    const { shard, cityIndex } = this.#shared;
    return shard.rewind({ world: this.#world, cityIndex, past, chains, background });
  }
}
