import { DealerError, type FieldFault, invalid } from '../../dealer/errors.ts';
import { excessIn } from '../../json.ts';
import { largestPiece } from '../../largest-piece.ts';
import { type JsonFault, jsonFault } from './json-fault.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
export const MULTIPART_TYPE = /^multipart\/form-data\s*(?:;|$)/i;

/** Fields of a form. Beyond it the parser would work for milliseconds. */
const FORM_FIELDS_MAX = 64;
const AMPERSAND = 38;
const DASH = 45;
const LINE_FEED = 10;

const REASONS = { depth: 'Too deeply nested', fields: 'Too many fields' };
const BODY_MISSING: FieldFault = { type: 'missing', loc: ['body'], msg: 'Field required' };
const NO_OBJECT: FieldFault = {
  type: 'model_attributes_type',
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from',
};

export interface Given {
  body: Uint8Array;
  contentType: string;
  /** The body is to be a web form, not JSON. */
  isForm: boolean;
}

/** As it leaves a thread, where an error loses its status. */
export type Parsed = { value: unknown } | { refusal: Pick<DealerError, 'status' | 'detail'> };

/** See `readForm` and `readJson`. */
export async function readBody({ body, contentType, isForm }: Given): Promise<unknown> {
  return isForm ? readForm(body, contentType) : readJson(body, contentType);
}

/** The same in a thread. */
export async function parseInThread(given: Given): Promise<Parsed> {
  try {
    return { value: withoutDepth(await readBody(given)) };
  } catch (error) {
    if (!(error instanceof DealerError)) throw error;
    return { refusal: { status: error.status, detail: error.detail } };
  }
}

/**
 * A field is a text, a number or a boolean, and an empty object is refused as any other. To copy
 * thousands of objects from the thread would take the main thread as long as to parse them.
 */
function withoutDepth(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return [];
  const fields = Object.entries(value).map(([name, each]) => [name, isObject(each) ? {} : each]);
  return Object.fromEntries(fields);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * The value of a JSON body; undefined if it is empty. A body of another content type counts as a
 * string. Throws DealerError 422 if it is not JSON, nests too deep or has too many fields, 400 if it is
 * not UTF-8.
 */
export function readJson(body: Uint8Array, contentType: string): unknown {
  if (body.byteLength === 0) return undefined;
  if (contentType !== '' && !JSON_TYPE.test(contentType)) return '';
  largestPiece.count(body.byteLength);
  const text = decoded(body);
  const excess = excessIn(body);
  if (excess !== undefined) {
    const offset = [...decoded(body.subarray(0, excess.offset))].length;
    throw notJson({ offset, reason: REASONS[excess.of] });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(jsonFault(text));
  }
}

function notJson({ offset, reason }: JsonFault): DealerError {
  return invalid({
    type: 'json_invalid',
    loc: ['body', offset],
    msg: 'JSON decode error',
    ctx: { error: reason },
  });
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
  largestPiece.count(body.byteLength);
  const isKnown = FORM_TYPE.test(contentType) || MULTIPART_TYPE.test(contentType);
  if (isKnown && hasManyFields(body, contentType)) {
    const most = `Maximum number of fields is ${FORM_FIELDS_MAX}.`;
    throw new DealerError(400, `Too many fields. ${most}`);
  }
  const entries = FORM_TYPE.test(contentType)
    ? [...new URLSearchParams(decoded(body))]
    : MULTIPART_TYPE.test(contentType)
      ? await readParts(body, contentType)
      : [];
  const last = Object.entries(Object.fromEntries(entries));
  return Object.fromEntries(last.filter(([, value]) => value !== ''));
}

/** Counts what separates fields: `&`, or lines that begin with two dashes. */
function hasManyFields(body: Uint8Array, contentType: string): boolean {
  const isForm = FORM_TYPE.test(contentType);
  let count = 0;
  for (let i = 0; i < body.length && count <= FORM_FIELDS_MAX; i++) {
    const isLineStart = i === 0 || body[i - 1] === LINE_FEED;
    const isBoundary = isLineStart && body[i] === DASH && body[i + 1] === DASH;
    if (isForm ? body[i] === AMPERSAND : isBoundary) count++;
  }
  return count > FORM_FIELDS_MAX;
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
