import type { Schema } from '../../src/schema.ts';
import type { Dice } from '../../src/testing/rigs/dice.ts';
import type { Service } from './input.ts';
import { resolved } from './operations.ts';

/** What a schema cannot say: values that a field must have for the request to make sense. */
const KNOWN: Readonly<Record<string, readonly unknown[]>> = {
  city: ['old-town', 'grid'],
  start_tick: [0, 1, 90_000],
  // Ticks of a journal never fall.
  tick: [0],
  since: ['2026-03-02'],
  email: ['a@example.com', 'å.b+c@xn--rksmrgs-5wao1o.example'],
  dealer: ['nordbil', 'vastauto'],
  // The right one would change the log-in that the other inputs use.
  current_password: ['not the password'],
};
/** Texts of one to sixteen code units that are well-formed. */
const TEXTS = ['a', 'å', '漢字', '🚗🚗', 'a b', '0', 'null', '<b>&"\'', '\u202e', '\u0301', 'İ'];
const LENGTH_MAX = 300;
const WORD_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789_';

/** A value that a schema allows. */
export function valueFor(service: Service, given: Schema, dice: Dice, name = ''): unknown {
  const known = KNOWN[name];
  if (known) return dice.pick(known);
  const schema = resolved(service, given);
  const types = [schema.type ?? 'object'].flat() as string[];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return dice.pick(schema.enum as unknown[]);
  switch (dice.pick(types)) {
    case 'null':
      return null;
    case 'boolean':
      return dice.below(2) === 0;
    case 'integer':
    case 'number':
      return numberOf(schema, dice);
    case 'string':
      return textOf(schema, dice);
    case 'array':
      return Array.from({ length: dice.below(4) }, () =>
        valueFor(service, schema.items as Schema, dice),
      );
    default:
      return objectOf(service, schema, dice);
  }
}

function numberOf({ minimum = 0, maximum = 2 ** 31 }: Schema, dice: Dice): number {
  const [from, to] = [Number(minimum), Number(maximum)];
  return dice.pick([from, to, from + dice.below(to - from + 1)]);
}

function textOf(schema: Schema, dice: Dice): string {
  const { pattern, minLength = 0, maxLength = LENGTH_MAX, examples } = schema;
  if (Array.isArray(examples) && dice.below(2) === 0) return String(dice.pick(examples));
  const [from, to] = [Number(minLength), Math.min(LENGTH_MAX, Number(maxLength))];
  const length = dice.pick([from, to, from + dice.below(to - from + 1)]);
  if (pattern === '^password$') return 'password';
  if (pattern !== undefined) {
    return Array.from({ length }, () => WORD_CHARACTERS[dice.below(WORD_CHARACTERS.length)]).join(
      '',
    );
  }
  // Lengths count code points, and a password counts bytes.
  const text = schema.format === 'password' ? 'p' : dice.pick(TEXTS);
  return [...text.repeat(length)].slice(0, length).join('');
}

function objectOf(service: Service, schema: Schema, dice: Dice): Record<string, unknown> {
  const {
    properties = {},
    required = [],
    additionalProperties,
    propertyNames,
  } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
    additionalProperties?: Schema | boolean;
    propertyNames?: { enum: string[] };
  };
  const chosen = Object.entries(properties).filter(
    ([name]) => required.includes(name) || dice.below(2) === 0,
  );
  const values = chosen.map(([name, each]) => [name, valueFor(service, each, dice, name)]);
  if (propertyNames && typeof additionalProperties === 'object') {
    for (let left = 1 + dice.below(3); left > 0; left -= 1) {
      values.push([dice.pick(propertyNames.enum), valueFor(service, additionalProperties, dice)]);
    }
  }
  return Object.fromEntries(values);
}

/** Stands in JSON for a text that no value has: `@raw:1e999@` becomes `1e999`. */
const RAW = /"@raw:([^@]*)@"/g;
const raw = (text: string) => `@raw:${text}@`;
const nested = (depth: number) => raw(`${'['.repeat(depth)}${']'.repeat(depth)}`);

/** What a field gets instead of its value. */
const WRONG: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, 2 ** 31, 2 ** 32, 2 ** 53, '', 'x', 'true', '1', ' ', '\0'],
  ...[[], {}, [[]], [null], { a: 1 }, '\ud800', 'a\udc00b', 'x'.repeat(10_000), '🚗'.repeat(257)],
  ...[raw('1e999'), raw('-0'), raw(`1${'0'.repeat(400)}`), raw('01'), raw('NaN'), raw('.5')],
  ...[raw('{"a":1,"a":2}'), raw('{"__proto__":{"x":1}}'), raw('"\\u0000\\ud800"'), raw('')],
  ...[nested(10), nested(31), nested(40), nested(2000), 'a@b', '@', `${'@.'.repeat(1000)}x`],
];
const EXTRA_NAMES = ['__proto__', 'constructor', 'toString', 'x', '', '\ud800', 'y'.repeat(300)];

/** JSON of a value, changed in a few places. */
export function mutatedJson(value: unknown, dice: Dice): string {
  let text = JSON.stringify(value);
  for (let left = 1 + dice.below(2); left > 0; left -= 1) {
    text = JSON.stringify(changed(JSON.parse(text), dice));
  }
  return text.replace(RAW, (_, replaced: string) =>
    replaced.replaceAll('\\"', '"').replaceAll('\\\\', '\\'),
  );
}

function changed(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice.below(8) === 0) return dice.pick(WRONG);
  if (Array.isArray(value)) {
    const at = dice.below(value.length + 1);
    return value.toSpliced(
      at,
      dice.below(2),
      value[at] === undefined ? dice.pick(WRONG) : changed(value[at], dice),
    );
  }
  const entries = Object.entries(value);
  const at = dice.below(entries.length + 1);
  const [name, old] = entries[at] ?? [dice.pick(EXTRA_NAMES), undefined];
  const isLost = dice.below(4) === 0 && at < entries.length;
  const next = old === undefined || dice.below(3) > 0 ? dice.pick(WRONG) : changed(old, dice);
  entries.splice(at, 1, ...(isLost ? [] : [[name, next] as [string, unknown]]));
  return Object.fromEntries(entries);
}
