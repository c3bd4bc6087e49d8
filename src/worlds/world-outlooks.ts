import { BetweenNodes, TwinError } from '../errors.ts';
import { FORECAST_COST_TICKS } from '../limits.ts';
import type { Outlook } from '../twin/outlook-record.ts';
import { needsOf } from '../twin/spot-features.ts';
import type { Asker } from '../twin-service.ts';
import { reloading, type WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

/** A forecast serves for so long, ticks (30 s): 60 s of it are left then. */
const SERVES_TICKS = 1500;
/** How many times a world is loaded for one forecast before that fails. */
const ATTEMPTS_MAX = 4;

interface Known {
  /** Number of the last change, and tick, when it was begun. */
  seq: number;
  tick: number;
  outlook: Promise<Outlook>;
}

/**
 * What is at stake next in a world: it is lived ahead, as it is now, and what is seen to act there would
 * be missing. One forecast serves all that ask, until something is switched or most of it is over.
 */
export class WorldOutlooks {
  readonly #parts: WorldParts;
  readonly #loader: WorldLoader;
  #known: Known | undefined;

  constructor(parts: WorldParts, loader: WorldLoader) {
    this.#parts = parts;
    this.#loader = loader;
  }

  /**
   * @param asker pays for the ticks that are lived ahead, if it gets an answer.
   * Throws TwinError `rate_limited` if it cannot.
   */
  async outlook(asker: Asker): Promise<{ outlook: Outlook; tick: number }> {
    const { journal, residency, shared, world } = this.#parts;
    await journal.untilInEffect();
    // A change that becomes durable while the world is stepped need not be in it.
    const { seq } = journal;
    const { tick } = await this.#loader.query('tick', { asker });
    let known = this.#known;
    if (known === undefined || known.seq < seq || tick > known.tick + SERVES_TICKS) {
      known = this.#begun(asker, { seq, tick });
      this.#known = known;
    }
    const outlook = await known.outlook;
    // Meanwhile the world may have been moved or deleted.
    if (!shared.isShown()) throw new BetweenNodes();
    if (residency.isRetired) throw new TwinError('unknown_world');
    return { outlook, tick: Math.max(outlook.fromTick, world.tick()) };
  }

  #begun(asker: Asker, { seq, tick }: Pick<Known, 'seq' | 'tick'>): Known {
    if (!asker.affords(FORECAST_COST_TICKS)) throw new TwinError('rate_limited');
    asker.spend(FORECAST_COST_TICKS);
    const known = { seq, tick, outlook: this.#liveAhead(asker) };
    known.outlook.catch(() => {
      asker.spend(-FORECAST_COST_TICKS);
      if (this.#known === known) this.#known = undefined;
    });
    return known;
  }

  async #liveAhead(asker: Asker): Promise<Outlook> {
    const { world, residency, shared } = this.#parts;
    const { city, cityIndex, shard } = shared;
    const needs = city.hazards.map(({ kind }) => needsOf(kind));
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const order = { client: asker.client, world: world.number, cityIndex };
      const answer = await shard
        .forecast({ ...order, residency: residency.number, needs })
        .catch(ifThreadEnded);
      if (answer.outcome === 'told') return answer;
      await this.#loader.query('tick', { asker });
    }
    throw reloading();
  }
}

function ifThreadEnded(error: unknown): { outcome: 'unloaded' } {
  if (error instanceof TwinError && error.code === 'world_unavailable') {
    return { outcome: 'unloaded' };
  }
  throw error;
}
