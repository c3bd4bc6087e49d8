import { LRUCache } from 'lru-cache';
import { TwinError } from '../../errors.ts';
import type { PictureTask } from '../../picture/picture.ts';
import { surroundingsOf } from '../../picture/surroundings.ts';
import { maskOf } from '../../twin/catalogue.ts';
import { best, type LinkPreview, previewOf } from '../../twin/link-preview.ts';
import type { Incident } from '../../twin/wire.ts';
import type { World } from '../../twin-service.ts';
import { tagOf } from '../server/etag.ts';
import { PRICES_US } from '../server/prices.ts';
import type { RateLimits } from '../server/rate-limits.ts';
import type { PictureThread } from './picture-thread.ts';

/** Counts how pictures look: a picture of another look has another tag. */
const LOOK = 1;
/** Of pictures that are kept, some 300 KiB each. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

/** The incident that a picture is of. */
export interface Pictured {
  world: World;
  incident: Incident;
  preview: LinkPreview;
  /** Changes whenever the picture does. */
  tag: string;
}

export function pictured(world: World, incident: Incident): Pictured {
  const preview = previewOf(incident, world.city.hazards);
  return { world, incident, preview, tag: tagOf(JSON.stringify([LOOK, preview, incident])) };
}

/** The pictures of a node's incidents: the most recently used ones are kept. */
export class IncidentPictures {
  readonly #thread: Pick<PictureThread, 'draw'>;
  readonly #limits: Pick<RateLimits, 'work' | 'replays'>;
  readonly #kept = new LRUCache<string, Uint8Array>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: ({ byteLength }) => byteLength,
  });
  readonly #underWay = new Map<string, Promise<Uint8Array>>();

  constructor(thread: Pick<PictureThread, 'draw'>, limits: Pick<RateLimits, 'work' | 'replays'>) {
    this.#thread = thread;
    this.#limits = limits;
  }

  /**
   * A PNG. The client pays for it unless it is kept, or being made for somebody else. Throws TwinError
   * `rate_limited` or `overloaded`, and as a replay does.
   * @param key the client's, in limits
   */
  async png(of: Pictured, key: string): Promise<Uint8Array> {
    const kept = this.#kept.get(of.tag) ?? this.#underWay.get(of.tag);
    if (kept !== undefined) return kept;
    const drawn = this.#draw(of, key).finally(() => this.#underWay.delete(of.tag));
    this.#underWay.set(of.tag, drawn);
    return drawn;
  }

  async #draw(of: Pictured, key: string): Promise<Uint8Array> {
    const { work } = this.#limits;
    const png = await this.#thread.draw(key, async () => {
      work?.check(key, PRICES_US.picture);
      const task = await this.#taskOf(of, key);
      // Last: a replay may need nearly all that an address has.
      work?.spend(key, PRICES_US.picture);
      return task;
    });
    this.#kept.set(of.tag, png);
    return png;
  }

  async #taskOf({ world, incident, preview }: Pictured, key: string): Promise<PictureTask> {
    const { x, y } = incident.place;
    const failures = best(incident);
    const on = maskOf(failures.map(({ feature }) => feature));
    const asItWas = await this.#replay(world, incident, 0, key);
    const would = on === 0 ? undefined : await this.#replay(world, incident, on, key);
    const vins = [...new Set(failures.map(({ vin }) => vin))];
    return {
      ...{ incident, preview, fleet: world.fleet, asItWas },
      asItWouldHaveBeen: would && { ...would, vins },
      surroundings: surroundingsOf(world.city, [x, y]),
    };
  }

  /** Undefined where the collision cannot be replayed: another kernel has recorded it. */
  async #replay(world: World, { id }: Incident, on: number, key: string) {
    const { work, replays } = this.#limits;
    const spend = (ticks: number) => work?.takeUpToBurst(key, PRICES_US.tick * ticks);
    replays?.enter(key);
    try {
      const order = { client: key, on, encoding: 'json', untilContact: true, spend } as const;
      const replay = await world.replay(id, order);
      return replay && { frames: replay.frames };
    } catch (error) {
      if (error instanceof TwinError && error.code === 'unknown_incident') return undefined;
      throw error;
    } finally {
      replays?.leave(key);
    }
  }
}
