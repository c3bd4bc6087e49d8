/** When to try again after a lost connection. */

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 15_000;
/** The node restarts or hands the world over: somebody else has it already. */
const CLOSED_RESTART = 1012;
/** The node is overloaded, or this page took nothing for long. */
const CLOSED_OVERLOADED = 1013;
const PAUSE_OVERLOADED_MS = 2000;

/**
 * Milliseconds to wait before the next try.
 * @param failures tries since a frame came last, the one just lost included
 * @param code of the close; 1006 where there was none
 * @param chance 0 to 1, so that the pages of a lost node do not come back all at once
 */
export function pauseMs(failures: number, code: number, chance: number): number {
  if (code === CLOSED_RESTART && failures <= 1) return 0;
  const least = code === CLOSED_OVERLOADED ? PAUSE_OVERLOADED_MS : PAUSE_MIN_MS;
  const ceiling = Math.min(PAUSE_MAX_MS, least * 2 ** Math.max(0, failures - 1));
  return ceiling * (0.5 + chance / 2);
}
