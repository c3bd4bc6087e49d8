import { TwinError } from '../errors.ts';
import { TRAP_WINDOW_MS, TRAPS_MAX } from '../limits.ts';

const QUARANTINE_MS = TRAP_WINDOW_MS;

/** Remembers the traps of one world, and quarantines it after TRAPS_MAX of them within a minute. */
export class CrashLoopGuard {
  #trapsMs: number[] = [];

  trapped(nowMs: number): void {
    this.#trapsMs = [...this.#recent(nowMs), nowMs];
  }

  #recent(nowMs: number): number[] {
    return this.#trapsMs.filter((trapMs) => nowMs - trapMs < TRAP_WINDOW_MS);
  }

  /** Whether any trap still counts. */
  hasRecent(nowMs: number): boolean {
    return this.#recent(nowMs).length > 0;
  }

  /** Quarantines the world from now on, whatever happened before. */
  quarantine(nowMs: number): void {
    this.#trapsMs = Array.from({ length: TRAPS_MAX }, () => nowMs);
  }

  /** Whether its image may be the cause: it trapped again after it was restored from one. */
  distrustsImage(nowMs: number): boolean {
    return this.#recent(nowMs).length > 1;
  }

  /** Throws TwinError `world_unavailable` while the world is quarantined. */
  refuseInQuarantine(nowMs: number): void {
    const untilMs = (this.#trapsMs.at(-1) ?? 0) + QUARANTINE_MS;
    if (this.#trapsMs.length < TRAPS_MAX || nowMs >= untilMs) return;
    throw new TwinError('world_unavailable', undefined, Math.ceil((untilMs - nowMs) / 1000));
  }
}
