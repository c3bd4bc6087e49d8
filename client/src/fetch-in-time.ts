import { systemPlatform } from './platform.ts';

/** What is not here after so long will not come: whoever waits for it tries again. */
const PATIENCE_MS = 15_000;

/** `reload`: what a browser has kept is passed over, and replaced. */
export type Caching = 'default' | 'reload';

/**
 * As `fetch`, and `read` of the answer. Rejects if that has not ended in time.
 * @param read what is needed of the content has to be read there: nothing bounds the time of later reads
 */
export async function fetchInTime<T>(
  url: string,
  read: (answer: Response) => T | Promise<T>,
  cache: Caching = 'default',
): Promise<T> {
  const ending = new AbortController();
  const late = Promise.withResolvers<never>();
  // Node.js can lose the signal of a request to garbage collection while its content comes: then nothing of the
  // request ever settles.
  const stop = systemPlatform.after(PATIENCE_MS, () => {
    const error = new Error(`${url} did not come within ${PATIENCE_MS / 1000} s`);
    late.reject(error);
    ending.abort(error);
  });
  // Node.js keeps nothing, and its types have no `cache`.
  const init = { cache, signal: ending.signal };
  try {
    return await Promise.race([fetch(url, init).then(read), late.promise]);
  } finally {
    stop();
  }
}
