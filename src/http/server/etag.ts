import { createHash } from 'node:crypto';
import type { Reply, WholeReply } from './reply.ts';

/** An answer with an entity tag, and the answer to a client that has it. */
export interface TaggedReply {
  /** In quotes. */
  etag: string;
  whole: WholeReply;
  notModified: Reply;
}

/** The text of an entity tag for a body. */
export function tagOf(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22);
}

/** The complete answer, or 304 if the client has this version. */
export function freshReply({ etag, whole, notModified }: TaggedReply, ifNoneMatch: string): Reply {
  return matchesEtag(ifNoneMatch, etag) ? notModified : whole;
}

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
