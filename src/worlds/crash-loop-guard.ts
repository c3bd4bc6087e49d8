import { TwinError } from '../errors.ts';
import { TRAP_WINDOW_MS, TRAPS_MAX } from '../limits.ts';

const QUARANTINE_MS = TRAP_WINDOW_MS;

/** Counts the traps of a world. Quarantines it after TRAPS_MAX traps within TRAP_WINDOW_MS. */
export class CrashLoopGuard {
  #trapsMs: readonly number[] = [];

  /** When it trapped: another node goes on counting from there. */
  get trapsMs(): readonly number[] {
    return this.#trapsMs;
  }

  set trapsMs(trapsMs: readonly number[]) {
    this.#trapsMs = trapsMs;
  }

  trapped(nowMs: number): void {
    this.#trapsMs = [...this.#recent(nowMs), nowMs];
  }

  #recent(nowMs: number): number[] {
    return this.#trapsMs.filter((trapMs) => nowMs - trapMs < TRAP_WINDOW_MS);
  }

  /** Whether it trapped within TRAP_WINDOW_MS. */
  hasRecent(nowMs: number): boolean {
    return this.#recent(nowMs).length > 0;
  }

  /** Quarantines the world, even if it did not trap. */
  quarantine(fromMs: number): void {
    this.#trapsMs = Array.from({ length: TRAPS_MAX }, () => fromMs);
  }

  /** Whether its image may cause the traps: it trapped again after a restore. */
  distrustsImage(nowMs: number): boolean {
    return this.#recent(nowMs).length > 1;
  }

  /** Until when it is quarantined; -Infinity: it is not. */
  get untilMs(): number {
    const lastMs = this.#trapsMs.length < TRAPS_MAX ? undefined : this.#trapsMs.at(-1);
    return lastMs === undefined ? Number.NEGATIVE_INFINITY : lastMs + QUARANTINE_MS;
  }

  /** Throws TwinError `world_unavailable` while the world is quarantined. */
  refuseInQuarantine(nowMs: number): void {
    const { untilMs } = this;
    if (nowMs >= untilMs) return;
    throw new TwinError('world_unavailable', undefined, Math.ceil((untilMs - nowMs) / 1000));
  }
}
