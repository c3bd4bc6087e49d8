/** What is not here after so long will not come: whoever waits for it tries again. */
const PATIENCE_MS = 15_000;

/** `reload`: what a browser has kept is passed over, and replaced. */
export type Caching = 'default' | 'reload';

/** As `fetch`; rejects, also while the content is read, if that has not come in time. */
export function fetchInTime(url: string, cache: Caching = 'default'): Promise<Response> {
  // Node.js keeps nothing, and its types have no `cache`.
  const init = { cache, signal: AbortSignal.timeout(PATIENCE_MS) };
  return fetch(url, init);
}
