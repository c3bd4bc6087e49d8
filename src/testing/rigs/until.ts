import { systemTime } from '../../time.ts';

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/**
 * Polls until something is there, and gives it. Throws, naming what it waited for, if that takes
 * longer than `patienceMs`.
 * What it waits for must come about by itself, never because a lease, a token or a limit expires.
 */
export async function until<Found>(
  what: string,
  look: () => Found | Promise<Found>,
  patienceMs = PATIENCE_MS,
): Promise<NonNullable<Found>> {
  const endMs = systemTime.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (systemTime.now() > endMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await systemTime.sleep(POLL_MS);
  }
}
