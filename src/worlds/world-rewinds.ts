import { LEAD_TICKS_MAX } from '../limits.ts';
import type { WorldPast } from '../shard/protocol.ts';
import type { IncidentContacts } from '../twin/incidents.ts';
import type { WorldParts } from './world-parts.ts';

/** A rewind, and the chains whose states it brings to the shard's rewind cache. */
export interface PlannedRewind {
  past: WorldPast;
  chains: readonly IncidentContacts[];
  /** How many ticks it takes. */
  ticks: number;
}

/** Runs a world again, from its stored image or its beginning, for the states before collisions. */
export class WorldRewinds {
  readonly #parts: WorldParts;

  constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  /**
   * Plans a rewind for the newest of some chains. With the stored image it covers the chains after
   * that, else all of them.
   */
  async plan(chains: readonly IncidentContacts[], trustImage: boolean): Promise<PlannedRewind> {
    const newestTick = Math.max(...chains.map(([{ tick }]) => tick)) - LEAD_TICKS_MAX;
    const { world, record, shared } = this.#parts;
    const past = await shared.records.past(world.number, record, trustImage, newestTick);
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
    const { world, shared } = this.#parts;
    const { shard, cityIndex } = shared;
    return shard.rewind({ world: world.number, cityIndex, past, chains, background });
  }
}
