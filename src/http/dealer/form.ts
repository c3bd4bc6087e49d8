import FastestValidator, {
  type RuleBoolean,
  type RuleNumber,
  type RuleString,
  type ValidationError,
} from 'fastest-validator';
import { type FieldFault, invalid } from '../../dealer/errors.ts';
import { like, type Properties, type Schema } from '../../schema.ts';

/** One field of a form: how it is converted, checked and described. */
export interface Field<T> {
  readonly rule: RuleString | RuleNumber | RuleBoolean;
  /** Converts what the contract accepts for the type; returns anything else as it is. */
  readonly convert?: (given: unknown) => unknown;
  readonly schema: Schema;
  /** Carries the type of the value; never set. */
  readonly value?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

type Complaint = Omit<FieldFault, 'loc'>;

/**
 * The contract's faults by error type of fastest-validator. Its own rules check types and patterns.
 * Three checks are ours, because its rules cannot give the contract's answers:
 *
 * - Length: `min` and `max` count UTF-16 units. The contract counts code points, in passwords bytes.
 * - Email: its rule has one error for all faults and refuses addresses that are valid; the contract
 *   names the fault. Its patterns also take quadratic time.
 * - Conversion: `convert` takes "", [] and "0x10" for numbers and does not know "yes" and "off".
 */
const COMPLAINTS: Readonly<Record<string, (error: ValidationError) => Complaint>> = {
  string: () => ({ type: 'string_type', msg: 'Input should be a valid string' }),
  stringUnicode: () => ({
    type: 'string_unicode',
    msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
  }),
  stringMin: ({ expected }) => ({
    type: 'string_too_short',
    msg: `String should have at least ${characters(expected)}`,
    ctx: { min_length: expected },
  }),
  stringMax: ({ expected }) => ({
    type: 'string_too_long',
    msg: `String should have at most ${characters(expected)}`,
    ctx: { max_length: expected },
  }),
  stringPattern: ({ expected }) => {
    const pattern = expected.slice(1, -1);
    return {
      type: 'string_pattern_mismatch',
      msg: `String should match pattern '${pattern}'`,
      ctx: { pattern },
    };
  },
  email: ({ expected: reason }) => ({
    type: 'value_error',
    msg: `value is not a valid email address: ${reason}`,
    ctx: { reason },
  }),
  whole: () => ({
    type: 'int_parsing',
    msg: 'Input should be a valid integer, unable to parse string as an integer',
  }),
  wholeMin: ({ expected }) => ({
    type: 'greater_than_equal',
    msg: `Input should be greater than or equal to ${expected}`,
    ctx: { ge: expected },
  }),
  wholeMax: ({ expected }) => ({
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${expected}`,
    ctx: { le: expected },
  }),
  boolean: ({ actual }) =>
    typeof actual === 'object'
      ? { type: 'bool_type', msg: 'Input should be a valid boolean' }
      : {
          type: 'bool_parsing',
          msg: 'Input should be a valid boolean, unable to interpret input',
        },
  number: ({ actual }) => {
    if (typeof actual === 'object') {
      return { type: 'float_type', msg: 'Input should be a valid number' };
    }
    if (typeof actual === 'number') {
      return { type: 'finite_number', msg: 'Input should be a finite number' };
    }
    return {
      type: 'float_parsing',
      msg: 'Input should be a valid number, unable to parse string as a number',
    };
  },
};

function characters(count: number): string {
  return `${count} character${count === 1 ? '' : 's'}`;
}

// The package exports the class itself; its types declare it as a member.
const Validator = FastestValidator as unknown as typeof FastestValidator.default;
const validator = new Validator({ useNewCustomCheckerFunction: true });

type Check = (values: object) => true | ValidationError[];

/** The fields of a body, a query or a path. Faults are reported in the order of the fields. */
export class Form<F extends Fields = Fields> {
  readonly schema: Schema & { readonly properties: Properties };
  readonly fields: F;
  readonly #check: Check;
  readonly #entries: readonly [name: string, field: Fields[string]][];

  /** @param example of what a client may send, field by field */
  constructor(fields: F, example: Partial<Record<keyof F, unknown>>) {
    this.fields = fields;
    const entries = Object.entries(fields);
    this.#entries = entries;
    // If two fields share a rule object, the library finds a cycle.
    const rules = entries.map(([name, { rule }]) => [name, { ...rule }]);
    this.#check = validator.compile(Object.fromEntries(rules)) as Check;
    const properties = entries.map(([name, { schema }]) => [
      name,
      name in example ? like(example[name], schema) : schema,
    ]);
    const required = entries.filter(([, { rule }]) => !rule.optional && rule.default === undefined);
    this.schema = {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required: required.map(([name]) => name) } : {}),
      examples: [example],
    };
  }

  /** The converted values. Throws DealerError 422 with one fault for each faulty field. */
  read(source: 'body' | 'query' | 'path', given: object): Values<F> {
    const values: Record<string, unknown> = {};
    for (const [name, { convert }] of this.#entries) {
      // Inherited properties such as `constructor` are not input.
      if (!Object.hasOwn(given, name)) continue;
      const value: unknown = given[name as keyof object];
      values[name] = convert ? convert(value) : value;
    }
    const errors = this.#check(values);
    if (errors === true) return values as Values<F>;
    // The last error of a field counts: our checks run after the built-in ones, and their errors
    // (length, encoding) take precedence over an error of the pattern.
    const errorOf = new Map(errors.map((error) => [error.field, error]));
    throw invalid(
      ...[...errorOf].map(([name, error]) => {
        const { type, ...rest } = complaintAbout(error, this.fields[name]?.rule.type ?? '');
        return { type, loc: [source, name], ...rest };
      }),
    );
  }
}

/** @param ruleType the type of the field's rule; null is reported as a value of a wrong type */
function complaintAbout(error: ValidationError, ruleType: string): Complaint {
  const isMissing = error.type === 'required' && error.actual === undefined;
  const complaint = COMPLAINTS[error.type === 'required' ? ruleType : error.type];
  if (isMissing || complaint === undefined) return { type: 'missing', msg: 'Field required' };
  return complaint(error);
}
