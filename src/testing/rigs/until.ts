import { systemTime } from '../../time.ts';

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/**
 * Polls until `holds`. Throws, naming what it waited for, if that takes longer than `patienceMs`.
 * What it waits for must come about by itself, never because a lease, a token or a limit expires.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const endMs = systemTime.now() + patienceMs;
  while (!(await holds())) {
    if (systemTime.now() > endMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await systemTime.sleep(POLL_MS);
  }
}
