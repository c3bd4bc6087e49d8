import type { Schema } from '../../src/schema.ts';
import type { Dice } from '../../src/testing/rigs/dice.ts';
import { type Caller, type Input, SERVICES, TOKENS, VIN } from './input.ts';
import { mutated } from './mutations.ts';
import { type Operation, operationsOf, validatorOf } from './operations.ts';
import { mutatedJson, valueFor } from './schema-values.ts';

const FORM = 'application/x-www-form-urlencoded';
/** In no value: Node.js takes it for the end of a part wherever it stands. */
const BOUNDARY = '5f3759df';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const CALLERS = Object.keys(TOKENS) as Caller[];

interface Checked extends Operation {
  isValid: (value: unknown) => boolean;
}

/** What reads a body or a query. */
export const operations: readonly Checked[] = SERVICES.flatMap(operationsOf)
  .filter(({ body, query, id }) => (body || Object.keys(query).length > 0) && id !== 'openStream')
  .map((operation) => {
    const schema = operation.body?.schema;
    const isValid = schema ? validatorOf(operation.service, schema) : () => true;
    return { ...operation, isValid };
  });

interface Body {
  /** Undefined: no body. */
  type?: string;
  /** As latin1. */
  bytes: string;
  /** What the document says of it. */
  expects: Input['expects'] & string;
}

const bytesOf = (text: string) => Buffer.from(text).toString('latin1');

function bodyOf({ service, body, isValid }: Checked, dice: Dice): Body {
  if (body === undefined) return { bytes: '', expects: 'answer' };
  const isExample = dice.below(4) === 0;
  const made = isExample ? structuredClone(body.example) : valueFor(service, body.schema, dice);
  const value = made as Record<string, unknown>;
  // A journal has its own.
  if ('journal' in value) for (const name of ['seed', 'city']) delete value[name];
  if ('fork' in value) keepFork(value);
  if (body.type === FORM) return formOf(value, dice);
  const { type } = body;
  if (dice.below(4) === 0) {
    return { type, bytes: bytesOf(JSON.stringify(value)), expects: 'acceptance' };
  }
  const text = mutatedJson(value, dice);
  // The dealer platform takes `"yes"` for true, and ignores unknown fields.
  const isForbidden = service === 'twin' && text !== '' && !isValid(parsed(text));
  return { type, bytes: bytesOf(text), expects: isForbidden ? 'refusal' : 'answer' };
}

/** All else follows from a fork, whose own changes come after it. */
function keepFork(value: Record<string, unknown>): void {
  for (const name of Object.keys(value)) if (name !== 'fork') delete value[name];
  const fork = value.fork as { tick: number; changes?: { tick: number }[] };
  if (fork.changes) fork.changes = fork.changes.filter(({ tick }) => tick > fork.tick);
}

/** Its fields, urlencoded or in parts, which may be broken. */
function formOf(value: Record<string, unknown>, dice: Dice): Body {
  // An empty field of a form counts as missing.
  const fields = Object.entries(value)
    .filter(([, each]) => each !== null)
    .map(([name, each]): [string, string] => [name, String(each) || 'x']);
  if (dice.below(2) === 0) {
    return { type: FORM, bytes: String(new URLSearchParams(fields)), expects: 'acceptance' };
  }
  const parts = fields.map(
    ([name, each]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${each}\r\n`,
  );
  const bytes = bytesOf(`${parts.join('')}--${BOUNDARY}--\r\n`);
  if (dice.below(3) === 0) return { type: MULTIPART, bytes, expects: 'acceptance' };
  return { type: MULTIPART, bytes: mutated(bytes, dice), expects: 'answer' };
}

/** Undefined where a text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each parameter is left out, as its schema has it, or wrong. */
function queryOf({ query, service }: Operation, dice: Dice): string {
  const given = Object.entries(query).flatMap(([name, schema]: [string, Schema]) => {
    const choice = dice.below(3);
    if (choice === 0) return [];
    const value = choice === 1 ? valueFor(service, schema, dice, name) : mutatedJson('x', dice);
    return [`${name}=${encodeURIComponent(String(value).toWellFormed())}`];
  });
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** A well-formed request whose body or query is as its document says, or wrong in a few places. */
export function bodyInput(dice: Dice): Input {
  const operation = dice.pick(operations);
  const { service, id, method, target, needsVin } = operation;
  const { type, bytes, expects } = bodyOf(operation, dice);
  const caller = operation.caller && (dice.below(4) > 0 ? operation.caller : dice.pick(CALLERS));
  const lines = [
    `${method} ${target}${queryOf(operation, dice)} HTTP/1.1`,
    'Host: x',
    ...(caller ? [`Authorization: Bearer ${TOKENS[caller]}`] : []),
    ...(needsVin ? [`X-VIN: ${VIN}`] : []),
    ...(type ? [`Content-Type: ${type}`] : []),
    `Content-Length: ${bytes.length}`,
  ];
  const parts = [`${lines.join('\r\n')}\r\n\r\n${bytes}`];
  // What others may call asks more of some fields: an admin has to name a fleet.
  const isForOthers = expects === 'acceptance' && caller !== operation.caller;
  return {
    service,
    parts,
    leaves: false,
    expects: isForOthers ? 'answer' : expects,
    operation: id,
  };
}
