import { orNull, type Schema } from '../../schema.ts';
import { emailFault } from './email.ts';
import type { Field } from './form.ts';

/** Default limit of texts. */
const TEXT_LENGTH_MAX = 256;
const PASSWORD_BYTES_MAX = 1024;

const YES = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const NO = new Set(['false', '0', 'no', 'off', 'f', 'n']);
/** In linear time: a digit has one place only. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;
const NOT_FINITE = /^[+-]?(?:inf|infinity|nan)$/i;

/** An error of a check, with a type of the table in form.ts. */
interface CheckError {
  type: string;
  expected?: unknown;
}

interface TextLimits {
  min?: number;
  max?: number;
  pattern?: RegExp;
}

/** A string; lengths are in code points. */
export function text({ min = 0, max = TEXT_LENGTH_MAX, pattern }: TextLimits = {}): Field<string> {
  return {
    rule: {
      type: 'string',
      ...(pattern ? { pattern } : {}),
      custom: checkString((given) => lengthError(given, min, max)),
    },
    schema: {
      type: 'string',
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: max,
      ...(pattern ? { pattern: pattern.source } : {}),
    },
  };
}

/** A string that is limited in bytes, because the cost of its hash grows with its bytes. */
export function password(min = 0): Field<string> {
  return {
    rule: { type: 'string', custom: checkString((given) => passwordError(given, min)) },
    schema: {
      type: 'string',
      format: 'password',
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: PASSWORD_BYTES_MAX,
    },
  };
}

/** A VIN; surrounding blanks are removed. */
export function vin(min = 0): Field<string> {
  const { rule, schema } = text({ min });
  return { rule: { ...rule, trim: true }, schema };
}

/** An email; surrounding blanks are removed. */
export function email(): Field<string> {
  return {
    rule: { type: 'string', trim: true, custom: checkString(emailError) },
    schema: { type: 'string', format: 'email', maxLength: TEXT_LENGTH_MAX },
  };
}

/** A boolean, or a word or number with that meaning. */
export function boolean(): Field<boolean> {
  return { rule: { type: 'boolean' }, convert: toBoolean, schema: { type: 'boolean' } };
}

/** A finite number, or a text that contains one. */
export function number(): Field<number> {
  return { rule: { type: 'number' }, convert: toNumber, schema: { type: 'number' } };
}

/** A whole number in a query, where every value is a text. */
export function whole(min: number, max: number): Field<number> {
  const check = (given: unknown, errors: CheckError[]) => {
    if (typeof given !== 'string') return given;
    const error = wholeError(given, min, max);
    if (error) errors.push(error);
    return Number(given);
  };
  return {
    rule: { type: 'string', custom: check },
    schema: { type: 'integer', minimum: min, maximum: max },
  };
}

function wholeError(given: string, min: number, max: number): CheckError | undefined {
  if (!WHOLE.test(given.trim())) return { type: 'whole' };
  if (Number(given) < min) return { type: 'wholeMin', expected: min };
  return Number(given) > max ? { type: 'wholeMax', expected: max } : undefined;
}

/** A field that may be absent or null. */
export function optional<T>(field: Field<T>): Field<T | null | undefined> {
  const { rule, schema } = field;
  return {
    ...field,
    rule: { ...rule, optional: true, nullable: true },
    schema: orNull(schema),
  };
}

/** A field that may be null, and is `value` if it is absent. */
export function byDefault<T>(field: Field<T>, value: T): Field<T | null> {
  return absentAs(optional(field) as Field<T | null>, value);
}

/** A field that may be absent, but not null. */
export function absentAs<T>(field: Field<T>, value: T): Field<T> {
  const { rule, schema } = field;
  return {
    ...field,
    rule: { ...rule, default: value },
    schema: { ...schema, default: value } as Schema,
  };
}

/** A check for a rule of type `string`. The rule itself refuses other types. */
function checkString(errorOf: (given: string) => CheckError | undefined) {
  return (given: unknown, errors: CheckError[]) => {
    if (typeof given !== 'string') return given;
    const error = given.isWellFormed() ? errorOf(given) : { type: 'stringUnicode' };
    if (error) errors.push(error);
    return given;
  };
}

function lengthError(given: string, min: number, max: number): CheckError | undefined {
  const length = given.length > 2 * max ? given.length : [...given].length;
  if (length < min) return { type: 'stringMin', expected: min };
  return length > max ? { type: 'stringMax', expected: max } : undefined;
}

function passwordError(given: string, min: number): CheckError | undefined {
  if (Buffer.byteLength(given) <= PASSWORD_BYTES_MAX) {
    return lengthError(given, min, PASSWORD_BYTES_MAX);
  }
  return { type: 'stringMax', expected: PASSWORD_BYTES_MAX };
}

function emailError(given: string): CheckError | undefined {
  const tooLong = lengthError(given, 0, TEXT_LENGTH_MAX);
  if (tooLong) return tooLong;
  const reason = emailFault(given);
  return reason === undefined ? undefined : { type: 'email', expected: reason };
}

function toBoolean(given: unknown): unknown {
  if (typeof given !== 'string' && typeof given !== 'number') return given;
  const word = String(given).toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : given;
}

function toNumber(given: unknown): unknown {
  if (typeof given === 'boolean') return Number(given);
  if (typeof given !== 'string') return given;
  const word = given.trim();
  if (DECIMAL.test(word)) return Number(word);
  return NOT_FINITE.test(word) ? Number.NaN : given;
}
