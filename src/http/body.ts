import { TwinError } from '../errors.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The JSON of a body. Throws TwinError `invalid_json` for what is none, or no UTF-8. */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw new TwinError('invalid_json');
  }
}

/**
 * The own fields of a body that must be a JSON object. A Map, since a client may name a field
 * `__proto__`. Throws TwinError `invalid_json` or `invalid_body`.
 */
export function parseObject(body: Uint8Array): ReadonlyMap<string, unknown> {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TwinError('invalid_body');
  }
  return new Map(Object.entries(value));
}
