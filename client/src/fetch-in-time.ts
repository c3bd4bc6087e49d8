/** What is not here after so long will not come: whoever waits for it tries again. */
const PATIENCE_MS = 15_000;

/** As `fetch`; rejects, also while the content is read, if that has not come in time. */
export function fetchInTime(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
}
