import type { LoadedWorld } from './loaded-world.ts';

/**
 * Hot worlds whose frames are due. They come city by city, and in order within a city: its tables, about 1 MB,
 * stay in the caches of the processor while its worlds are stepped one after the other.
 */
export class DueWorlds {
  /** By index of the city. Worlds that become due while those of their city are taken wait for its next turn. */
  readonly #waiting: Set<LoadedWorld>[] = [];
  /** Those of the city whose turn it is. */
  #taken = new Set<LoadedWorld>();
  #next = this.#taken.values();
  #city = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(world: LoadedWorld): void {
    if (this.#taken.has(world)) return;
    while (this.#waiting.length <= world.cityIndex) this.#waiting.push(new Set());
    const waiting = this.#waiting[world.cityIndex];
    if (waiting === undefined || waiting.has(world)) return;
    waiting.add(world);
    this.#size++;
  }

  delete(world: LoadedWorld): void {
    if (this.#taken.delete(world) || this.#waiting[world.cityIndex]?.delete(world)) this.#size--;
  }

  /** Removes the next world and returns it; undefined: none is due. */
  take(): LoadedWorld | undefined {
    while (this.#size > 0) {
      const next = this.#next.next();
      if (!next.done) {
        this.delete(next.value);
        return next.value;
      }
      this.#turnToNextCity();
    }
    return undefined;
  }

  #turnToNextCity(): void {
    this.#city = (this.#city + 1) % this.#waiting.length;
    const empty = this.#taken;
    this.#taken = this.#waiting[this.#city] ?? empty;
    this.#waiting[this.#city] = empty;
    this.#next = this.#taken.values();
  }
}
