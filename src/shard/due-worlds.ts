import type { LoadedWorld } from './loaded-world.ts';

/**
 * Hot worlds whose frames are due. They come city by city, and in order within a city: its tables, about 1 MB,
 * stay in the caches of the processor while its worlds are stepped one after the other.
 */
export class DueWorlds {
  /**
   * By index of the city. Worlds that become due while those of their city are taken wait for its next turn.
   * One that is no longer due stays in its list until it is passed.
   */
  readonly #waiting: LoadedWorld[][] = [];
  /** Those of the city whose turn it is. */
  #taken: LoadedWorld[] = [];
  /** Of those, the index of the first that was not passed. */
  #next = 0;
  #city = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(world: LoadedWorld): void {
    if (world.isDue) return;
    world.isDue = true;
    this.#size++;
    while (this.#waiting.length <= world.cityIndex) this.#waiting.push([]);
    this.#waiting[world.cityIndex]?.push(world);
  }

  delete(world: LoadedWorld): void {
    if (!world.isDue) return;
    world.isDue = false;
    this.#size--;
    if (this.#size === 0) this.#clear();
  }

  /** Removes the next world and returns it; undefined: none is due. */
  take(): LoadedWorld | undefined {
    while (this.#size > 0) {
      const world = this.#taken[this.#next++];
      if (world === undefined) this.#turnToNextCity();
      else if (world.isDue) {
        this.delete(world);
        return world;
      }
    }
    return undefined;
  }

  #turnToNextCity(): void {
    const empty = this.#taken;
    empty.length = 0;
    this.#next = 0;
    this.#city = (this.#city + 1) % this.#waiting.length;
    this.#taken = this.#waiting[this.#city] ?? empty;
    this.#waiting[this.#city] = empty;
  }

  /** Forgets the worlds that are not due any more. */
  #clear(): void {
    for (const worlds of [this.#taken, ...this.#waiting]) worlds.length = 0;
    this.#next = 0;
  }
}
