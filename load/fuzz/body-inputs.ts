import type { Schema } from '../../src/schema.ts';
import type { Dice } from '../../src/testing/rigs/dice.ts';
import { PARAMETERS } from './http-inputs.ts';
import { type Input, TOKEN, VIN } from './input.ts';
import { type Operation, operationsOf, SERVICES, validatorOf } from './operations.ts';
import { mutatedJson, valueFor } from './schema-values.ts';

const FORM = 'application/x-www-form-urlencoded';

interface Checked extends Operation {
  isValid: (value: unknown) => boolean;
}

/** What reads a body or a query. */
const operations: readonly Checked[] = SERVICES.flatMap(operationsOf)
  .filter(({ body, query, id }) => (body || Object.keys(query).length > 0) && id !== 'openStream')
  .map((operation) => {
    const schema = operation.body?.schema;
    const isValid = schema ? validatorOf(operation.service, schema) : () => true;
    return { ...operation, isValid };
  });

/** A body, and what the document says of it. */
function bodyOf(
  { service, body, isValid }: Checked,
  dice: Dice,
): { text: string; expects: Input['expects'] & string } {
  if (body === undefined) return { text: '', expects: 'answer' };
  const value = valueFor(service, body.schema, dice) as Record<string, unknown>;
  // A journal has its own.
  if ('journal' in value) for (const name of ['seed', 'city']) delete value[name];
  if (body.type === FORM) {
    const form = new URLSearchParams();
    for (const [name, each] of Object.entries(value)) {
      // An empty field of a form counts as missing.
      if (each !== null) form.append(name, String(each) || 'x');
    }
    return { text: String(form), expects: 'acceptance' };
  }
  if (dice.below(4) === 0) return { text: JSON.stringify(value), expects: 'acceptance' };
  const text = mutatedJson(value, dice);
  // The dealer platform takes `"yes"` for true, and ignores unknown fields.
  const isForbidden = service === 'twin' && text !== '' && !isValid(parsed(text));
  return { text, expects: isForbidden ? 'refusal' : 'answer' };
}

/** Undefined where a text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function queryOf({ query, service }: Operation, dice: Dice): string {
  const given = Object.entries(query).map(([name, schema]: [string, Schema]) => {
    const isWrong = dice.below(2) === 0;
    const value = isWrong ? mutatedJson('x', dice) : String(valueFor(service, schema, dice, name));
    return `${name}=${encodeURIComponent(value.toWellFormed())}`;
  });
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** A well-formed request whose body or query is as its document says, or wrong in a few places. */
export function bodyInput(dice: Dice): Input {
  const operation = dice.pick(operations);
  const { service, method, path, body, needsToken, needsVin } = operation;
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => PARAMETERS[name] ?? name);
  const { text, expects } = bodyOf(operation, dice);
  const bytes = Buffer.from(text).toString('latin1');
  const lines = [
    `${method} ${target}${queryOf(operation, dice)} HTTP/1.1`,
    'Host: x',
    ...(needsToken ? [`Authorization: Bearer ${TOKEN}`] : []),
    ...(needsVin ? [`X-VIN: ${VIN}`] : []),
    ...(body ? [`Content-Type: ${body.type}`] : []),
    `Content-Length: ${bytes.length}`,
  ];
  const parts = [`${lines.join('\r\n')}\r\n\r\n${bytes}`];
  return { service, parts, leaves: false, expects };
}
