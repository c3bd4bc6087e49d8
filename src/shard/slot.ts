import type { LoadedWorld } from './loaded-world.ts';

/** The hot worlds whose frames are due in the same ms of the frame period. */
export class Slot {
  readonly #worlds: LoadedWorld[] = [];
  /** Index of the one that comes first. */
  #first = 0;

  get size(): number {
    return this.#worlds.length;
  }

  add(world: LoadedWorld): void {
    this.#worlds.push(world);
  }

  /** Returns whether it was one of them. */
  delete(world: LoadedWorld): boolean {
    const index = this.#worlds.indexOf(world);
    if (index < 0) return false;
    this.#worlds.splice(index, 1);
    return true;
  }

  /**
   * Calls `take` with each, in turn. If a shard is too slow for all, those that had to wait in the last period
   * come first in the next one: otherwise it would always be the same.
   */
  each(take: (world: LoadedWorld) => void): void {
    const count = this.#worlds.length;
    const first = this.#first;
    let hasWaiting = false;
    for (let i = 0; i < count; i++) {
      const index = (first + i) % count;
      const world = this.#worlds[index] as LoadedWorld;
      if (world.isDue && !hasWaiting) {
        hasWaiting = true;
        this.#first = index;
      }
      take(world);
    }
  }
}
