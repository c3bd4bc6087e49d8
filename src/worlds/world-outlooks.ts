import { TwinError } from '../errors.ts';
import { FORECAST_COST_TICKS, FORECAST_TICKS } from '../limits.ts';
import type { Outlook } from '../twin/outlook.ts';
import { needsOf } from '../twin/spot-features.ts';
import type { Asker } from '../twin-service.ts';
import type { WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

/** A forecast serves until so little of it is left, ticks (60 s). */
const LEFT_TICKS_MIN = 3000;
/** How many times a world is loaded for one forecast before that fails. */
const ATTEMPTS_MAX = 4;

interface Known {
  /** Number of the last change when it was made. */
  seq: number;
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

  /** @param asker pays for the ticks that are lived ahead. Throws TwinError `rate_limited`. */
  async outlook(asker: Asker): Promise<{ outlook: Outlook; tick: number }> {
    const { seq } = this.#parts.journal;
    const known = this.#known;
    if (known?.seq === seq) {
      const outlook = await known.outlook.catch(() => undefined);
      const tick = this.#parts.world.tick();
      const isFresh = outlook && tick <= outlook.fromTick + FORECAST_TICKS - LEFT_TICKS_MIN;
      if (isFresh) return { outlook, tick };
    }
    // Somebody else may have asked anew meanwhile.
    if (this.#known === known || this.#known === undefined) {
      if (!asker.affords(FORECAST_COST_TICKS)) throw new TwinError('rate_limited');
      asker.spend(FORECAST_COST_TICKS);
      this.#known = { seq, outlook: this.#liveAhead(asker) };
    }
    const outlook = await this.#known.outlook;
    return { outlook, tick: Math.max(outlook.fromTick, this.#parts.world.tick()) };
  }

  async #liveAhead(asker: Asker): Promise<Outlook> {
    const { world, residency, shared } = this.#parts;
    const { city, cityIndex, shard } = shared;
    const needs = city.hazards.map(({ kind }) => needsOf(kind));
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      await this.#loader.query('tick', { asker });
      const order = { client: asker.client, world: world.number, cityIndex };
      const answer = await shard.forecast({ ...order, residency: residency.number, needs });
      if (answer.outcome === 'told') return answer;
    }
    throw new TwinError('world_unavailable', 'The world is being reloaded; try again.', 1);
  }
}
