import { TwinError } from '../errors.ts';
import { TRAP_WINDOW_MS, TRAPS_MAX } from '../limits.ts';

/** How long a world rests after it failed again and again. */
const REST_MS = TRAP_WINDOW_MS;

/** Remembers the traps of one world, and when it has to rest for them. */
export class Traps {
  #atMs: number[] = [];

  trapped(nowMs: number): void {
    this.#atMs = [...this.#atMs.filter((at) => nowMs - at < TRAP_WINDOW_MS), nowMs];
  }

  /** Whether any of it still counts. */
  remembers(nowMs: number): boolean {
    return this.#atMs.some((at) => nowMs - at < TRAP_WINDOW_MS);
  }

  /** Rests from now on, whatever was before. */
  quarantine(nowMs: number): void {
    this.#atMs = Array.from({ length: TRAPS_MAX }, () => nowMs);
  }

  /** Whether its image may be what makes it trap: it trapped after it was restored from one. */
  distrustImage(nowMs: number): boolean {
    return this.#atMs.filter((at) => nowMs - at < TRAP_WINDOW_MS).length > 1;
  }

  /** Throws TwinError `world_unavailable` while the world rests. */
  refuseWhileResting(nowMs: number): void {
    const restUntilMs = (this.#atMs.at(-1) ?? 0) + REST_MS;
    if (this.#atMs.length < TRAPS_MAX || nowMs >= restUntilMs) return;
    throw new TwinError('world_unavailable', undefined, Math.ceil((restUntilMs - nowMs) / 1000));
  }
}
