/** When to try again after a lost connection. */

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 15_000;
/** The node restarts or hands the world over: another node may already serve it. */
const CLOSED_RESTART = 1012;
/** The node is overloaded, or this page did not read for too long. */
const CLOSED_OVERLOADED = 1013;
const PAUSE_OVERLOADED_MS = 2000;

/**
 * Milliseconds to wait before the next try.
 * @param failures connections lost since the last frame, this one included
 * @param code close code; 1006 where there was none
 * @param chance random, 0 to 1: the pages of a lost node must not reconnect all at once
 */
export function pauseMs(failures: number, code: number, chance: number): number {
  if (code === CLOSED_RESTART && failures <= 1) return 0;
  const least = code === CLOSED_OVERLOADED ? PAUSE_OVERLOADED_MS : PAUSE_MIN_MS;
  const ceiling = Math.min(PAUSE_MAX_MS, least * 2 ** Math.max(0, failures - 1));
  return ceiling * (0.5 + chance / 2);
}
