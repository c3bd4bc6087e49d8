import { TwinError } from './errors.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A megabyte of brackets would occupy the parser for a quarter of a second. */
const DEPTH_MAX = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/**
 * Parses a body. Throws TwinError `invalid_json` if it is not JSON, not UTF-8, or nested too
 * deep.
 */
export function parseJson(body: Uint8Array): unknown {
  if (tooDeepAt(body) !== undefined) {
    throw new TwinError('invalid_json', `Nest objects and lists at most ${DEPTH_MAX} deep.`);
  }
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

/** Where the brackets outside strings nest too deep, as an offset in bytes. */
export function tooDeepAt(body: Uint8Array): number | undefined {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPENING.has(byte)) {
      if (++depth > DEPTH_MAX) return i;
    } else if (CLOSING.has(byte)) depth--;
  }
  return undefined;
}
