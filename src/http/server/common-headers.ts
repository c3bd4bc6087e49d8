import { bodyless, type Header, type Reply } from './reply.ts';
import type { ServerOptions } from './server-options.ts';

const SAFETY: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
];
/** A browser that has met the service over TLS asks it over TLS only, for half a year. */
const ONLY_TLS: Header = ['Strict-Transport-Security', 'max-age=15768000'];
const EXPOSED =
  'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';
const ASKED = 'Authorization, X-VIN, Content-Type, Accept, If-None-Match, X-Request-Id';

/**
 * Prepares the headers of every answer of a server, as the lines of an HTTP head. Returns the ones for
 * a method and an origin.
 */
export function commonHeaders({
  corsOrigins,
  tls,
}: Pick<ServerOptions<unknown>, 'corsOrigins' | 'tls'>): (
  isRead: boolean,
  origin: string,
) => string {
  const safety = tls ? [...SAFETY, ONLY_TLS] : SAFETY;
  const headersByMethod = (cors: readonly Header[], dependsOnOrigin: boolean) =>
    joinedByMethod([...safety, ...cors], dependsOnOrigin);
  const listed = corsOrigins === '*' ? [] : corsOrigins;
  const isListed = listed.length > 0;
  const ofOrigin = new Map(
    listed.map((origin) => [origin, headersByMethod(allowing(origin), isListed)]),
  );
  const ofOthers = headersByMethod(corsOrigins === '*' ? allowing('*') : [], isListed);
  return (isRead, origin) => {
    const { get, other } = ofOrigin.get(origin) ?? ofOthers;
    return isRead ? get : other;
  };
}

function allowing(origin: string): readonly Header[] {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', EXPOSED],
  ];
}

/** Only a read depends on the header Accept. */
function joinedByMethod(common: readonly Header[], dependsOnOrigin: boolean) {
  return {
    get: joined([...common, ['Vary', dependsOnOrigin ? 'Accept, Origin' : 'Accept']]),
    other: joined(dependsOnOrigin ? [...common, ['Vary', 'Origin']] : common),
  };
}

function joined(headers: readonly Header[]): string {
  return headers.map((header) => header.join(': ')).join('\r\n');
}

/** The answer to a CORS preflight request. */
export function preflight(allow: string): Reply {
  return bodyless(204, [
    ['Allow', allow],
    ['Access-Control-Allow-Methods', allow],
    ['Access-Control-Allow-Headers', ASKED],
    ['Access-Control-Max-Age', '86400'],
  ]);
}
