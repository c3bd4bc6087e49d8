import { HANDLES_MAX } from '../limits.ts';
import type { OwnedWorld } from './owned-world.ts';

const EVICTION_CHECKS = 8;
/** A request may still use a world that was called within this time. */
const IN_USE_MS = 10_000;

/**
 * The worlds at hand: about HANDLES_MAX, or more if more are in use. Each new world checks a few
 * others for eviction, in turn, so the cost of eviction is constant.
 */
export class WorldHandles {
  /** By number, in the order in which they were added. */
  readonly #worlds = new Map<number, OwnedWorld>();
  /**
   * The next candidates, while there are too many worlds. V8 keeps whatever was deleted since the last
   * step of an iterator.
   */
  #hand: MapIterator<OwnedWorld> | undefined;

  get size(): number {
    return this.#worlds.size;
  }

  get(number: number): OwnedWorld | undefined {
    return this.#worlds.get(number);
  }

  all(): readonly OwnedWorld[] {
    return [...this.#worlds.values()];
  }

  ofShard(shard: OwnedWorld['shard']): readonly OwnedWorld[] {
    return this.all().filter((world) => world.shard === shard);
  }

  add(world: OwnedWorld, nowMs: number): void {
    this.#worlds.set(world.number, world);
    if (this.size <= HANDLES_MAX) this.#hand = undefined;
    for (let checks = 0; this.size > HANDLES_MAX && checks < EVICTION_CHECKS; checks++) {
      const hand = this.#hand ?? this.#worlds.values();
      const { value: next } = hand.next();
      this.#hand = next && hand;
      if (next !== undefined) this.#evict(next, nowMs);
    }
  }

  delete(number: number): void {
    this.#worlds.delete(number);
  }

  /** Evicts unused worlds down to HANDLES_MAX. */
  trim(nowMs: number): void {
    for (const world of this.#worlds.values()) {
      if (this.size <= HANDLES_MAX) return;
      this.#evict(world, nowMs);
    }
  }

  #evict(world: OwnedWorld, nowMs: number): void {
    if (isInUse(world, nowMs)) return;
    this.#worlds.delete(world.number);
    // Whoever still holds the object must not load the world beside a new object.
    void world.retire();
  }
}

function isInUse(world: OwnedWorld, nowMs: number): boolean {
  return nowMs - world.lastTouchMs < IN_USE_MS || world.isBusy;
}
