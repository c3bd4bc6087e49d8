import { DealerError, type FieldFault, invalid } from '../../dealer/errors.ts';
import { jsonFault } from './json-fault.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const MULTIPART_TYPE = /^multipart\/form-data\s*(?:;|$)/i;

const BODY_MISSING: FieldFault = { type: 'missing', loc: ['body'], msg: 'Field required' };
const NO_OBJECT: FieldFault = {
  type: 'model_attributes_type',
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from',
};

/**
 * The value of a JSON body; undefined if it is empty. A body of another content type counts as a
 * string. Throws DealerError 422 if it is not JSON, 400 if it is not UTF-8.
 */
export function readJson(body: Uint8Array, contentType: string): unknown {
  if (body.byteLength === 0) return undefined;
  if (contentType !== '' && !JSON_TYPE.test(contentType)) return '';
  const text = decoded(body);
  try {
    return JSON.parse(text);
  } catch {
    const { offset, reason } = jsonFault(text);
    throw invalid({
      type: 'json_invalid',
      loc: ['body', offset],
      msg: 'JSON decode error',
      ctx: { error: reason },
    });
  }
}

/** Throws DealerError 422 if the value is not an object. */
export function asObject(value: unknown): object {
  if (value === undefined || value === null) throw invalid(BODY_MISSING);
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid(NO_OBJECT);
  return value;
}

/**
 * The fields of a form, urlencoded or multipart. Of repeated fields the last counts, and an empty
 * field counts as absent. A body of another type has no fields. Throws DealerError 400.
 */
export async function readForm(body: Uint8Array, contentType: string): Promise<object> {
  const entries = FORM_TYPE.test(contentType)
    ? [...new URLSearchParams(decoded(body))]
    : MULTIPART_TYPE.test(contentType)
      ? await readParts(body, contentType)
      : [];
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

async function readParts(body: Uint8Array, contentType: string): Promise<[string, unknown][]> {
  const headers = { 'Content-Type': contentType };
  try {
    const form = await new Response(Buffer.from(body), { headers }).formData();
    return [...form.entries()];
  } catch {
    throw unreadable();
  }
}

function decoded(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw unreadable();
  }
}

function unreadable(): DealerError {
  return new DealerError(400, 'There was an error parsing the body');
}
