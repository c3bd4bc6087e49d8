/**
 * Whether an If-None-Match header contains the tag (RFC 9110, 13.1.2), so that the answer is 304.
 * The comparison is weak: proxies may have added `W/`.
 * @param etag in quotes
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
