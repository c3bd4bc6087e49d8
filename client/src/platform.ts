import type { Time } from '../../src/time.ts';

/** Clock, timers and chance of a client. Tests hand in their own. */
export interface Platform extends Pick<Time, 'now' | 'after'> {
  /** From 0 to below 1. */
  random(): number;
}

/** Those of a browser or of Node.js. A timer keeps a process alive: so does whatever waits for it. */
export const systemPlatform: Platform = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Longest piece of work after which a page may draw and a process may answer, ms. */
const SLICE_MS = 6;

/** Does work that is cut in small pieces, and lets other tasks run in between. */
export async function inSlices<T>(
  work: Generator<void, T, void>,
  { now, after }: Pick<Platform, 'now' | 'after'>,
): Promise<T> {
  for (;;) {
    const endMs = now() + SLICE_MS;
    do {
      const { done, value } = work.next();
      if (done) return value;
    } while (now() < endMs);
    await new Promise<void>((resolve) => void after(0, resolve));
  }
}
