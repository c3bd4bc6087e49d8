import { TwinError } from '../errors.ts';
import { type Encoding, isEncoding } from './encoding.ts';

export interface StreamChoice {
  encoding: Encoding;
  /** The subprotocol to echo; empty: none. */
  protocol: Encoding | '';
}

/** The media types by which clients ask for MessagePack. The first is the one answered with. */
export const MSGPACK_TYPES: readonly string[] = [
  'application/msgpack',
  'application/x-msgpack',
  'application/vnd.msgpack',
];
export const JSON_TYPE = 'application/json';

/**
 * Encoding of a stream. The query counts before the subprotocol; JSON where neither says anything.
 * @param query what stands behind the question mark, as sent
 * @param offered the Sec-WebSocket-Protocol header, empty where there is none
 * @throws TwinError `unknown_encoding`
 */
export function streamChoice(query: string, offered: string): StreamChoice {
  const protocol = offered.split(',').map(trimmed).find(isEncoding) ?? '';
  const asked = new URLSearchParams(query).get('encoding');
  if (asked === null) return { encoding: protocol || 'json', protocol };
  if (!isEncoding(asked)) throw new TwinError('unknown_encoding');
  return { encoding: asked, protocol };
}

interface MediaRange {
  type: string;
  quality: number;
  position: number;
}

/**
 * Encoding of an answer. MessagePack only for those who name it, where they do not prefer JSON; a
 * wildcard means JSON. Of equal weight, what is named counts before a wildcard, and the first one
 * named before the second.
 * @param accept the Accept header, empty where there is none
 */
export function answerEncoding(accept: string): Encoding {
  const ranges = accept.split(',').map(mediaRange);
  const msgpack = best(ranges, MSGPACK_TYPES);
  if (msgpack === undefined || msgpack.quality === 0) return 'json';
  const json = best(ranges, [JSON_TYPE]);
  if (json === undefined) {
    const wildcard = best(ranges, ['application/*']) ?? best(ranges, ['*/*']);
    return wildcard !== undefined && wildcard.quality > msgpack.quality ? 'json' : 'msgpack';
  }
  if (json.quality !== msgpack.quality) return json.quality > msgpack.quality ? 'json' : 'msgpack';
  return json.position < msgpack.position ? 'json' : 'msgpack';
}

/** How the body of an answer is packed, in the words of HTTP. */
export type ContentCoding = 'br' | 'gzip' | 'identity';

/** Of codings that nobody names, the one that everybody understands. */
const UNNAMED_IDENTITY = Number.MIN_VALUE;

/**
 * Coding of an answer's body (RFC 9110, 12.5.3): the one of the highest weight, of equal ones the
 * first that is offered. Identity where the client takes none of them.
 * @param accept the Accept-Encoding header, empty where there is none
 * @param offered best first
 */
export function contentCoding(accept: string, offered: readonly ContentCoding[]): ContentCoding {
  if (accept === '' || offered.length === 1) return 'identity';
  const ranges = accept.split(',').map(mediaRange);
  const weightOf = (coding: ContentCoding) => {
    const names = coding === 'gzip' ? ['gzip', 'x-gzip'] : [coding];
    const standard = coding === 'identity' ? UNNAMED_IDENTITY : 0;
    return (best(ranges, names) ?? best(ranges, ['*']))?.quality ?? standard;
  };
  let chosen: ContentCoding = 'identity';
  let highest = 0;
  for (const coding of offered) {
    const weight = weightOf(coding);
    if (weight <= highest) continue;
    chosen = coding;
    highest = weight;
  }
  return chosen;
}

/** `application/msgpack; q=0.5` with its place in the header. */
function mediaRange(text: string, position: number): MediaRange {
  const [type = '', ...parameters] = text.split(';').map(trimmed);
  const weight = parameters.find((parameter) => /^q=/i.test(parameter));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return {
    type: type.toLowerCase(),
    quality: quality >= 0 && quality <= 1 ? quality : 0,
    position,
  };
}

/** The range of the highest weight that names one of the types, the first of equal ones. */
function best(ranges: readonly MediaRange[], types: readonly string[]): MediaRange | undefined {
  return ranges
    .filter(({ type }) => types.includes(type))
    .reduce<MediaRange | undefined>(
      (found, range) => (found === undefined || range.quality > found.quality ? range : found),
      undefined,
    );
}

function trimmed(text: string): string {
  return text.trim();
}
