import { TwinError } from '../errors.ts';
import { type Encoding, isEncoding, STREAM_ENCODINGS, type StreamEncoding } from './encoding.ts';

export interface StreamChoice {
  encoding: StreamEncoding;
  /** The subprotocol to echo; empty: none. */
  protocol: Encoding | '';
}

/** The media types with which clients request MessagePack. Answers have the first one. */
export const MSGPACK_TYPES: readonly string[] = [
  'application/msgpack',
  'application/x-msgpack',
  'application/vnd.msgpack',
];
export const JSON_TYPE = 'application/json';
const HTML_TYPE = 'text/html';

/**
 * The encoding of a stream: from the query, else from the subprotocol, else JSON.
 * @param query the part of the URL after the question mark, as sent
 * @param offered the Sec-WebSocket-Protocol header; empty if there is none
 * @throws TwinError `unknown_encoding`
 */
export function streamChoice(query: string, offered: string): StreamChoice {
  const protocol = offered.split(',').map(trimmed).find(isEncoding) ?? '';
  const asked = new URLSearchParams(query).get('encoding');
  if (asked === null) return { encoding: protocol || 'json', protocol };
  const encoding = STREAM_ENCODINGS.find((name) => name === asked);
  if (encoding === undefined) throw new TwinError('unknown_encoding');
  return { encoding, protocol };
}

interface MediaRange {
  type: string;
  quality: number;
  position: number;
}

/**
 * The encoding of an answer: MessagePack only if the client names it and does not prefer JSON. A
 * wildcard means JSON. With equal weights, a named type wins over a wildcard, and the first named
 * type over the second.
 * @param accept the Accept header; empty if there is none
 */
export function answerEncoding(accept: string): Encoding {
  const ranges = rangesOf(accept);
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

/**
 * Whether a client asks for a page: it names HTML, and does not prefer JSON to it.
 * @param accept the Accept header; empty if there is none
 */
export function prefersHtml(accept: string): boolean {
  const ranges = rangesOf(accept);
  const html = best(ranges, [HTML_TYPE])?.quality ?? 0;
  return html > 0 && html >= (best(ranges, [JSON_TYPE])?.quality ?? 0);
}

/** The content codings of HTTP that answers may have. */
export type ContentCoding = 'br' | 'gzip' | 'identity';

/** Weight of `identity` if the client does not name it: every client understands it. */
const UNNAMED_IDENTITY = Number.MIN_VALUE;

/**
 * The content coding of an answer (RFC 9110, 12.5.3): the offered one with the highest weight; with
 * equal weights the first. Identity if the client accepts none of them.
 * @param accept the Accept-Encoding header; empty if there is none
 * @param offered best first
 */
export function contentCoding(accept: string, offered: readonly ContentCoding[]): ContentCoding {
  if (accept === '' || offered.length === 1) return 'identity';
  const ranges = rangesOf(accept);
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

/** Longer headers than any client has count as absent: each range costs time. */
const ACCEPT_LENGTH_MAX = 1024;

function rangesOf(accept: string): MediaRange[] {
  return accept.length > ACCEPT_LENGTH_MAX ? [] : accept.split(',').map(mediaRange);
}

/** A range such as `application/msgpack; q=0.5`, with its position in the header. */
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

/** The range with the highest weight among those of the given types; the first of equal ones. */
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
