import { TwinError } from './errors.ts';
import { largestPiece } from './largest-piece.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A megabyte of brackets would occupy the parser for a quarter of a second. */
const DEPTH_MAX = 32;
/** Of all objects of a body together. The parser takes up to a microsecond for each. */
export const FIELDS_MAX = 256;
const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

const HINTS = {
  depth: `Nest objects and lists at most ${DEPTH_MAX} deep.`,
  fields: `Send at most ${FIELDS_MAX} fields.`,
};

/**
 * Parses a body. Throws TwinError `invalid_json` if it is not JSON, not UTF-8, nested too deep, or
 * has too many fields.
 */
export function parseJson(body: Uint8Array, fieldsMax = FIELDS_MAX): unknown {
  largestPiece.count(body.byteLength);
  const excess = excessIn(body, fieldsMax);
  if (excess !== undefined) throw new TwinError('invalid_json', HINTS[excess.of]);
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw new TwinError('invalid_json');
  }
}

/**
 * The fields of a body that must be a JSON object; a Map, because a client may send `__proto__`.
 * Throws TwinError `invalid_json` or `invalid_body`.
 */
export function parseObject(body: Uint8Array): ReadonlyMap<string, unknown> {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TwinError('invalid_body');
  }
  return new Map(Object.entries(value));
}

/** What a body of JSON has too much of, and where, as an offset in bytes; found without parsing it. */
export function excessIn(
  body: Uint8Array,
  fieldsMax = FIELDS_MAX,
): { of: 'depth' | 'fields'; offset: number } | undefined {
  let depth = 0;
  let fields = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPENING.has(byte)) {
      if (++depth > DEPTH_MAX) return { of: 'depth', offset: i };
    } else if (CLOSING.has(byte)) depth--;
    else if (byte === COLON && ++fields > fieldsMax) return { of: 'fields', offset: i };
  }
  return undefined;
}
