import FastestValidator, { type RuleCustom, type ValidationError } from 'fastest-validator';
import { DealerError, type FieldFault } from '../../dealer/errors.ts';
import { like, type Properties, type Schema } from '../../schema.ts';
import { emailFault } from './email.ts';

/** Texts that have no limit of their own. */
export const TEXT_LENGTH_MAX = 256;
export const PASSWORD_BYTES_MAX = 1024;

/** What is wrong with a value: type, words, and what these are made of. */
interface Complaint {
  type: string;
  message: string;
  expected?: Record<string, unknown>;
}

type Complain = (complaint: Complaint) => void;

/** One field of a form: how it is checked, and how it is described. */
export interface Field<T> {
  readonly rule: RuleCustom;
  readonly schema: Schema;
  /** The fault of a null where there must be a value. */
  readonly whenNull: Complaint;
  /** Tells types apart; never there. */
  readonly value?: T;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

const STRING_TYPE = { type: 'string_type', message: 'Input should be a valid string' };
const BOOLEAN_TYPE = { type: 'bool_type', message: 'Input should be a valid boolean' };
const NUMBER_TYPE = { type: 'float_type', message: 'Input should be a valid number' };
const STRING_UNICODE = {
  type: 'string_unicode',
  message: 'Input should be a valid string, unable to parse raw data as a unicode string',
};
const BOOLEAN_PARSING = {
  type: 'bool_parsing',
  message: 'Input should be a valid boolean, unable to interpret input',
};
const NUMBER_PARSING = {
  type: 'float_parsing',
  message: 'Input should be a valid number, unable to parse string as a number',
};
const FINITE_NUMBER = { type: 'finite_number', message: 'Input should be a finite number' };

const YES = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const NO = new Set(['false', '0', 'no', 'off', 'f', 'n']);
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const NOT_FINITE = /^[+-]?(?:inf|infinity|nan)$/i;

/** A field with a check that returns the value as it is meant, or complains once. */
function field<T>(
  schema: Schema,
  whenNull: Complaint,
  check: (given: unknown, complain: Complain) => unknown,
): Field<T> {
  const rule: RuleCustom = {
    type: 'custom',
    check: (given: unknown, faults: unknown[]) =>
      check(given, (complaint) => faults.push(complaint)),
  };
  return { rule, schema, whenNull };
}

interface TextLimits {
  min?: number;
  max?: number;
  pattern?: RegExp;
}

/** A string; lengths are in code points. */
export function text({ min = 0, max = TEXT_LENGTH_MAX, pattern }: TextLimits = {}): Field<string> {
  const schema = {
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    maxLength: max,
    ...(pattern ? { pattern: pattern.source } : {}),
  };
  return field(schema, STRING_TYPE, (given, complain) => {
    const complaint = stringComplaint(given) ?? lengthComplaint(given as string, min, max);
    if (complaint) complain(complaint);
    else if (pattern && !pattern.test(given as string)) complain(mismatch(pattern));
    return given;
  });
}

/** A string that is limited in bytes, since these are what hashing it takes. */
export function password(min = 0): Field<string> {
  const schema = {
    type: 'string',
    format: 'password',
    ...(min > 0 ? { minLength: min } : {}),
    maxLength: PASSWORD_BYTES_MAX,
  };
  return field(schema, STRING_TYPE, (given, complain) => {
    const complaint = stringComplaint(given) ?? passwordComplaint(given as string, min);
    if (complaint) complain(complaint);
    return given;
  });
}

/** An email, without the blanks around it. */
export function email(): Field<string> {
  const schema = { type: 'string', format: 'email', maxLength: TEXT_LENGTH_MAX };
  return field(schema, STRING_TYPE, (given, complain) => {
    const complaint = stringComplaint(given) ?? lengthComplaint(given as string, 0);
    if (complaint) {
      complain(complaint);
      return given;
    }
    const trimmed = (given as string).trim();
    const reason = emailFault(trimmed);
    if (reason !== undefined) {
      const message = `value is not a valid email address: ${reason}`;
      complain({ type: 'value_error', message, expected: { reason } });
    }
    return trimmed;
  });
}

/** A boolean, or a word or number that stands for one. */
export function boolean(): Field<boolean> {
  return field({ type: 'boolean' }, BOOLEAN_TYPE, (given, complain) => {
    if (typeof given === 'boolean') return given;
    if (typeof given === 'object') {
      complain(BOOLEAN_TYPE);
      return given;
    }
    const word = String(given).toLowerCase();
    if (!YES.has(word) && !NO.has(word)) complain(BOOLEAN_PARSING);
    return YES.has(word);
  });
}

/** A finite number, or a text that says one. */
export function number(): Field<number> {
  return field({ type: 'number' }, NUMBER_TYPE, (given, complain) => {
    if (typeof given === 'boolean') return Number(given);
    if (typeof given === 'object') complain(NUMBER_TYPE);
    const isWord = typeof given === 'string';
    const word = isWord ? given.trim() : '';
    if (isWord && !DECIMAL.test(word) && !NOT_FINITE.test(word)) complain(NUMBER_PARSING);
    else if (typeof given !== 'object' && !Number.isFinite(Number(isWord ? word : given))) {
      complain(FINITE_NUMBER);
    }
    return Number(isWord ? word : given);
  });
}

/** A field that may be absent, or null; both are told apart from a value. */
export function optional<T>({ rule, schema, whenNull }: Field<T>): Field<T | null | undefined> {
  const type = [schema.type, 'null'];
  return {
    rule: { ...rule, optional: true, nullable: true },
    schema: { ...schema, type },
    whenNull,
  };
}

/** A field that may be null, and is `value` where it is absent. */
export function byDefault<T, D extends T>(inner: Field<T>, value: D): Field<T | null> {
  const { rule, schema, whenNull } = optional(inner);
  return {
    rule: { ...rule, default: value },
    schema: { ...schema, default: value },
    whenNull,
  };
}

/** A field that may be absent, but not null. */
export function absentAs<T>({ rule, schema, whenNull }: Field<T>, value: T): Field<T> {
  return { rule: { ...rule, default: value }, schema: { ...schema, default: value }, whenNull };
}

function stringComplaint(given: unknown): Complaint | undefined {
  if (typeof given !== 'string') return STRING_TYPE;
  return given.isWellFormed() ? undefined : STRING_UNICODE;
}

function lengthComplaint(given: string, min: number, max = TEXT_LENGTH_MAX): Complaint | undefined {
  const length = given.length > 2 * max ? given.length : [...given].length;
  if (length < min) return tooShort(min);
  return length > max ? tooLong(max) : undefined;
}

function passwordComplaint(given: string, min: number): Complaint | undefined {
  if ([...given].length < min) return tooShort(min);
  return Buffer.byteLength(given) > PASSWORD_BYTES_MAX ? tooLong(PASSWORD_BYTES_MAX) : undefined;
}

function tooShort(min: number): Complaint {
  const message = `String should have at least ${min} character${min === 1 ? '' : 's'}`;
  return { type: 'string_too_short', message, expected: { min_length: min } };
}

function tooLong(max: number): Complaint {
  const message = `String should have at most ${max} character${max === 1 ? '' : 's'}`;
  return { type: 'string_too_long', message, expected: { max_length: max } };
}

function mismatch({ source }: RegExp): Complaint {
  const message = `String should match pattern '${source}'`;
  return { type: 'string_pattern_mismatch', message, expected: { pattern: source } };
}

// What the package exports is the class; its types say that the class is a member of it.
const Validator = FastestValidator as unknown as typeof FastestValidator.default;
const validator = new Validator({ useNewCustomCheckerFunction: true });

type Check = (values: object) => true | ValidationError[];

/** The fields of a body, a query or a path, in the order in which faults are told. */
export class Form<F extends Fields = Fields> {
  readonly schema: Schema & { readonly properties: Properties };
  readonly fields: F;
  readonly #names: readonly string[];
  readonly #check: Check;

  /** @param example of what may be sent, field by field */
  constructor(fields: F, example: Partial<Record<keyof F, unknown>>) {
    this.fields = fields;
    this.#names = Object.keys(fields);
    const rules = this.#names.map((name) => [name, { ...fields[name]?.rule }]);
    this.#check = validator.compile(Object.fromEntries(rules)) as Check;
    const schemas = this.#names.map((name) => {
      const schema = fields[name]?.schema ?? {};
      return [name, name in example ? like(example[name], schema) : schema];
    });
    const required = this.#names.filter((name) => isRequired(fields[name]?.rule));
    this.schema = {
      type: 'object',
      properties: Object.fromEntries(schemas),
      ...(required.length > 0 ? { required } : {}),
      examples: [example],
    };
  }

  /** The values as they are meant. Throws DealerError 422 with all faults. */
  read(source: 'body' | 'query' | 'path', given: object): Values<F> {
    // Only what is named, and nothing that objects have by themselves.
    const known = this.#names
      .filter((name) => Object.hasOwn(given, name))
      .map((name) => [name, given[name as keyof object]]);
    const values = Object.fromEntries(known);
    const faults = this.#check(values);
    if (faults === true) return values as Values<F>;
    throw new DealerError(
      422,
      faults.map((fault) => this.#faultOf(source, fault)),
    );
  }

  #faultOf(source: string, { type, message = '', expected, field, actual }: ValidationError) {
    const loc = [source, field];
    if (type !== 'required') return faultOf(loc, type, message, expected);
    if (actual === undefined) return faultOf(loc, 'missing', 'Field required');
    const { whenNull } = this.fields[field] ?? { whenNull: STRING_TYPE };
    return faultOf(loc, whenNull.type, whenNull.message);
  }
}

function isRequired(rule: RuleCustom | undefined): boolean {
  return rule?.optional !== true && rule?.default === undefined;
}

function faultOf(
  loc: readonly string[],
  type: string,
  msg: string,
  ctx?: Record<string, unknown>,
): FieldFault {
  return ctx === undefined ? { type, loc, msg } : { type, loc, msg, ctx };
}
