import type { Config } from '../../config.ts';
import { bodyless, type Header, type Reply } from './reply.ts';

const SAFETY: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
];
const EXPOSED =
  'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';
const ASKED = 'Authorization, X-VIN, Content-Type, Accept, If-None-Match, X-Request-Id';

interface HeaderSets {
  /** Has `Vary: Accept`. */
  get: Header;
  other: Header;
}

/** The headers of every answer of a server, prepared and joined into one. */
export class CommonHeaders {
  readonly #ofOrigin: ReadonlyMap<string, HeaderSets>;
  readonly #ofOthers: HeaderSets;

  /** @param corsOrigins origins whose scripts may read answers */
  constructor(corsOrigins: Config['corsOrigins']) {
    if (corsOrigins === '*') {
      this.#ofOrigin = new Map();
      this.#ofOthers = headerSets(allowing('*'), ['Accept']);
      return;
    }
    const vary = corsOrigins.length > 0 ? ['Accept', 'Origin'] : ['Accept'];
    this.#ofOrigin = new Map(
      corsOrigins.map((origin) => [origin, headerSets(allowing(origin), vary)]),
    );
    this.#ofOthers = headerSets([], vary);
  }

  of(method: string, origin: string): Header {
    const sets = this.#ofOrigin.get(origin) ?? this.#ofOthers;
    return method === 'GET' ? sets.get : sets.other;
  }
}

function allowing(origin: string): readonly Header[] {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', EXPOSED],
  ];
}

function headerSets(cors: readonly Header[], vary: readonly string[]): HeaderSets {
  const others = vary.filter((name) => name !== 'Accept');
  const other: Header[] = [...SAFETY, ...cors];
  if (others.length > 0) other.push(['Vary', others.join(', ')]);
  return { get: joined([...SAFETY, ...cors, ['Vary', vary.join(', ')]]), other: joined(other) };
}

/** Several headers as one whose value contains the others: each call of the library is costly. */
function joined([first, ...rest]: readonly Header[]): Header {
  const [name, value] = first ?? ['', ''];
  return [name, [value, ...rest.map((header) => header.join(': '))].join('\r\n')];
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
