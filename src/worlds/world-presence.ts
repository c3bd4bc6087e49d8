import type { Clock } from '../clock.ts';
import { TwinError } from '../errors.ts';
import { lruCache } from '../lru-cache.ts';
import type { Store } from '../store/contract.ts';
import { fleetOf } from '../twin/fleet.ts';
import { worldIdOf } from '../twin/ids.ts';
import type { FleetEntry } from '../twin/wire.ts';
import type { Absence, Presence, PresentWorld } from '../twin-service.ts';
import type { IdleIndex } from './idle-index.ts';
import { storedLife } from './records.ts';

/** Number of deleted worlds that are remembered; their numbers are never reused. */
const GONE_MAX = 10_000;
/** Worlds of other nodes that are remembered. */
const ELSEWHERE_MAX = 20_000;
/** A world that is not due is looked up again after this time: the store may have lost its last writes. */
const LIVING_MS = 60_000;
/** The same for a world that is due: its node may have deleted it, or may note that it was used. */
const DUE_MS = 5000;

/** The worlds of this node, as far as their presence depends on them. */
export interface ServedWorlds {
  /** Whether this node serves a world if it exists. */
  serves(worldNumber: number): boolean;
  atHand(worldNumber: number): PresentWorld | undefined;
  load(worldNumber: number): Promise<PresentWorld | undefined>;
}

interface PresenceDependencies {
  store: Store;
  clock: Clock;
  idle: Pick<IdleIndex, 'endOfSlotMs'>;
  worlds: ServedWorlds;
}

/** A world of another node. It has few fields: thousands of them are remembered. */
class WorldElsewhere implements PresentWorld {
  readonly #number: number;
  readonly #seed: number;

  constructor(number: number, seed: number) {
    this.#number = number;
    this.#seed = seed;
  }

  get id(): string {
    return worldIdOf(this.#number);
  }

  get fleet(): readonly FleetEntry[] {
    return fleetOf(this.#seed, this.#number);
  }
}

/** What was found of a world of another node, and until when it counts. */
interface Known {
  found: PresentWorld | 'due';
  untilMs: number;
}

/**
 * Finds living worlds. What this node serves it knows exactly; of other nodes' worlds it reads the
 * record and the slot of the idle index from the store.
 */
export class WorldPresence implements Presence {
  readonly #dependencies: PresenceDependencies;
  readonly #gone = lruCache<number, true>(GONE_MAX);
  readonly #elsewhere = lruCache<number, Known>(ELSEWHERE_MAX);

  constructor(dependencies: PresenceDependencies) {
    this.#dependencies = dependencies;
  }

  isKnown(worldNumber: number): boolean {
    const { worlds } = this.#dependencies;
    if (worlds.serves(worldNumber)) return worlds.atHand(worldNumber) !== undefined;
    const found = this.#known(worldNumber);
    return found !== undefined && found !== 'due';
  }

  find(worldNumber: number): PresentWorld | Absence | Promise<PresentWorld | Absence> {
    const { worlds } = this.#dependencies;
    if (this.#gone.has(worldNumber)) return 'gone';
    if (worlds.serves(worldNumber)) return worlds.atHand(worldNumber) ?? this.#load(worldNumber);
    return this.#known(worldNumber) ?? this.#read(worldNumber);
  }

  #known(worldNumber: number): Known['found'] | undefined {
    const known = this.#elsewhere.get(worldNumber);
    return known && known.untilMs > this.#dependencies.clock.now() ? known.found : undefined;
  }

  async #load(worldNumber: number): Promise<PresentWorld | Absence> {
    const { worlds } = this.#dependencies;
    try {
      const world = await worlds.load(worldNumber);
      if (world !== undefined) return world;
    } catch (error) {
      // It lives until it is deleted, also where this node cannot show it.
      const isHidden = error instanceof TwinError && error.code === 'world_unavailable';
      if (isHidden) return this.#read(worldNumber);
      if (worlds.serves(worldNumber)) throw error;
    }
    // Its partition may have been given to another node meanwhile, which knows how it was used last.
    return worlds.serves(worldNumber) ? this.#noteGone(worldNumber) : this.#read(worldNumber);
  }

  async #read(worldNumber: number): Promise<PresentWorld | Absence> {
    const { store, clock, idle } = this.#dependencies;
    const life = await storedLife(store, worldNumber);
    if (life === undefined) return this.#noteGone(worldNumber);
    const nowMs = clock.now();
    const dueMs = idle.endOfSlotMs(life.due);
    // Its node writes within a slot how it was used last, and deletes it within a slot otherwise.
    const isLiving = nowMs < idle.endOfSlotMs(life.due + 1);
    const found = isLiving ? new WorldElsewhere(worldNumber, life.seed) : 'due';
    const untilMs = nowMs < dueMs ? Math.min(dueMs, nowMs + LIVING_MS) : nowMs + DUE_MS;
    this.#elsewhere.set(worldNumber, { found, untilMs });
    return found;
  }

  #noteGone(worldNumber: number): 'gone' {
    this.#elsewhere.delete(worldNumber);
    this.#gone.set(worldNumber, true);
    return 'gone';
  }
}
