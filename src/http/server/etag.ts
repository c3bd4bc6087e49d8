/**
 * Whether an If-None-Match header names what the client would get (RFC 9110, 13.1.2): the answer
 * is then 304. The comparison is weak, so a `W/` that a proxy has put before the tag is no matter.
 * @param etag in quotes
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
