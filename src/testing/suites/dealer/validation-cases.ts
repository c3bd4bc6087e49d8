/** Requests with faulty fields, and the faults that the answer must list. */
import { expect } from 'vitest';
import { type Ask, type Fault, signUpOf } from './dealer-api.ts';

const EMAIL = 'value is not a valid email address:';
const MISSING = 'Field required';
const STRING = 'Input should be a valid string';
const NO_BOOLEAN = 'Input should be a valid boolean, unable to interpret input';
const NO_NUMBER = 'Input should be a valid number, unable to parse string as a number';
export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
export const JSON_TYPE = { 'Content-Type': 'application/json' };

export const missing = (...loc: string[]): Fault => ({ type: 'missing', loc, msg: MISSING });
const noString = (...loc: string[]): Fault => ({ type: 'string_type', loc, msg: STRING });

const TOO_LONG = 'a'.repeat(257);
const tooLong = (loc: readonly string[], max_length = 256): Fault => ({
  type: 'string_too_long',
  loc: [...loc],
  msg: `String should have at most ${max_length} characters`,
  ctx: { max_length },
});
const tooShort = (field: string, min_length: number): Fault => ({
  type: 'string_too_short',
  loc: ['body', field],
  msg: `String should have at least ${min_length} character${min_length === 1 ? '' : 's'}`,
  ctx: { min_length },
});
const mismatch = (field: string, pattern: string): Fault => ({
  type: 'string_pattern_mismatch',
  loc: ['body', field],
  msg: `String should match pattern '${pattern}'`,
  ctx: { pattern },
});
const infinite = (field: string): Fault => ({
  type: 'finite_number',
  loc: ['body', field],
  msg: 'Input should be a finite number',
});
const noIncludePassword: Fault = {
  type: 'bool_parsing',
  loc: ['query', 'include_password'],
  msg: NO_BOOLEAN,
};

const noLimit: Fault = {
  type: 'int_parsing',
  loc: ['query', 'limit'],
  msg: 'Input should be a valid integer, unable to parse string as an integer',
};
const outside = (type: string, than: string, ctx: Record<string, number>): Fault => ({
  type,
  loc: ['query', 'limit'],
  msg: `Input should be ${than} than or equal to ${Object.values(ctx)[0]}`,
  ctx,
});

const dealer = { username: 'ok_1', password: 'abc', name: 'N', city: 'C' };
export const customer = signUpOf('ok_1');

type Case = readonly [title: string, call: string, ask: Ask, faults: readonly Fault[]];

const post = (title: string, change: object, ...faults: Fault[]): Case => [
  title,
  'POST /api/dealers',
  { json: { ...dealer, ...change } },
  faults,
];
const signUp = (title: string, change: object, ...faults: Fault[]): Case => [
  title,
  'POST /api/auth/signup',
  { json: { ...customer, ...change } },
  faults,
];
const raw = (title: string, body: string, ...faults: Fault[]): Case => [
  title,
  'POST /api/auth/login',
  { body, headers: JSON_TYPE },
  faults,
];
const profile = (title: string, json: object, ...faults: Fault[]): Case => [
  title,
  'PATCH /api/me/profile',
  { json },
  faults,
];
const state = (title: string, json: unknown, ...faults: Fault[]): Case => [
  title,
  'PATCH /api/cars/DEMCAR00000000001/state',
  { json },
  faults,
];

const email = (reason: string): Fault => ({
  type: 'value_error',
  loc: ['body', 'email'],
  msg: `${EMAIL} ${reason}`,
  ctx: { reason },
});

const notJson = (offset: number): Fault => ({
  type: 'json_invalid',
  loc: ['body', offset],
  msg: 'JSON decode error',
  ctx: { error: expect.stringMatching(/^.{1,60}$/) as unknown as string },
});

const noObject: Fault = {
  type: 'model_attributes_type',
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from',
};

const STRINGS: readonly Case[] = [
  post(
    'absent fields, in their order',
    { username: undefined, city: undefined },
    ...[missing('body', 'username'), missing('body', 'city')],
  ),
  post('too short for three', { username: 'ab' }, tooShort('username', 3)),
  post('too short for one', { name: '' }, tooShort('name', 1)),
  post('too long', { username: 'a'.repeat(21) }, tooLong(['body', 'username'], 20)),
  post('longer than any text may be', { city: 'c'.repeat(257) }, tooLong(['body', 'city'], 256)),
  post(
    'a password of more bytes than may be',
    { password: 'ö'.repeat(513) },
    tooLong(['body', 'password'], 1024),
  ),
  post('not of the pattern', { username: 'Not-OK' }, mismatch('username', '^[a-z0-9_]+$')),
  post(
    'a line break behind what fits the pattern',
    { username: 'abc\n' },
    mismatch('username', '^[a-z0-9_]+$'),
  ),
  post('length before pattern, one fault a field', { username: 'Ä!' }, tooShort('username', 3)),
  signUp('lengths in code points: two are too few', { password: '🚗🚗' }, tooShort('password', 4)),
  post('a number for a string', { name: 5 }, noString('body', 'name')),
  post('null for a string', { name: null }, noString('body', 'name')),
  post('a list for a string', { name: [] }, noString('body', 'name')),
  signUp('an object for a string that may be null', { phone: {} }, noString('body', 'phone')),
  post(
    'a lone surrogate',
    { name: '\ud83d' },
    {
      type: 'string_unicode',
      loc: ['body', 'name'],
      msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
    },
  ),
  signUp(
    'every faulty field in one answer, in the order of the form',
    { dealer: undefined, email: 'x', password: 'abc', username: 7, name: '' },
    tooShort('name', 1),
    noString('body', 'username'),
    tooShort('password', 4),
    email('An email address must have an @-sign.'),
    missing('body', 'dealer'),
  ),
  [
    'the names of admins may be longer, up to 32',
    'PATCH /api/me/admin',
    { json: { current_password: 'x', username: 'a'.repeat(33), new_password: 'abc' } },
    [tooLong(['body', 'username'], 32), tooShort('new_password', 4)],
  ],
  [
    'a path that is too long',
    `DELETE /api/dealers/${TOO_LONG}`,
    {},
    [tooLong(['path', 'username'])],
  ],
  [
    'path and query',
    `GET /api/customers/${TOO_LONG}?include_password=x`,
    {},
    [tooLong(['path', 'username']), noIncludePassword],
  ],
  [
    'path and body',
    `PATCH /api/cars/${TOO_LONG}/owner`,
    { json: { since: 1 } },
    [tooLong(['path', 'vin']), missing('body', 'email'), noString('body', 'since')],
  ],
  [
    'a path without a body',
    `PATCH /api/cars/${TOO_LONG}/state`,
    {},
    [tooLong(['path', 'vin']), missing('body')],
  ],
];

const EMAILS: readonly Case[] = [
  ['x', 'An email address must have an @-sign.'],
  ['', 'An email address must have an @-sign.'],
  ['a@nodot', 'The part after the @-sign is not valid. It should have a period.'],
  ['@x.test', 'There must be something before the @-sign.'],
  ['a@', 'There must be something after the @-sign.'],
  ['a..b@x.test', 'An email address cannot have two periods in a row.'],
  ['a@x..test', 'An email address cannot have two periods in a row.'],
  ['a b@x.test', 'The email address contains invalid characters before the @-sign: SPACE.'],
  ['a(b)@x.test', "The email address contains invalid characters before the @-sign: '(', ')'."],
  ['a@b@x.test', "The part after the @-sign contains invalid characters: '@'."],
  ['.a@x.test', 'An email address cannot start with a period.'],
  ['a.@x.test', 'An email address cannot have a period immediately before the @-sign.'],
  ['a@x.test.', 'An email address cannot end with a period.'],
  ['a@.x.test', 'An email address cannot have a period immediately after the @-sign.'],
  ['a@x.1', 'The part after the @-sign is not valid. It is not within a valid top-level domain.'],
].map(([given = '', reason = '']) =>
  signUp(`the email "${given}"`, { email: given }, email(reason)),
);

const BOOLEANS: readonly Case[] = [
  ...[' true', '2', 'maybe', '', 2, -1, 0.5].map((locked) =>
    state(
      `${JSON.stringify(locked)} for a boolean`,
      { locked },
      { type: 'bool_parsing', loc: ['body', 'locked'], msg: NO_BOOLEAN },
    ),
  ),
  ...[[], {}].map((climate) =>
    state(
      `${JSON.stringify(climate)} for a boolean`,
      { climate },
      { type: 'bool_type', loc: ['body', 'climate'], msg: 'Input should be a valid boolean' },
    ),
  ),
  ...['', '2', '%20true', 'null'].map(
    (given): Case => [
      `include_password=${given}`,
      `GET /api/customers?include_password=${given}`,
      {},
      [noIncludePassword],
    ],
  ),
  ...(['dealers', 'cars', 'customers'] as const).map(
    (list): Case => [
      `a page of ${list}`,
      `GET /api/${list}?after=${TOO_LONG}&limit=1.5`,
      {},
      [tooLong(['query', 'after']), noLimit],
    ],
  ),
  ...['', 'x', '0x10', '1e2'].map(
    (given): Case => [`limit=${given}`, `GET /api/cars?limit=${given}`, {}, [noLimit]],
  ),
  ['limit=0', 'GET /api/cars?limit=0', {}, [outside('greater_than_equal', 'greater', { ge: 1 })]],
  [
    'limit=1001',
    'GET /api/cars?limit=1001',
    {},
    [outside('less_than_equal', 'less', { le: 1000 })],
  ],
  [
    'the last of two query parameters',
    'GET /api/customers/anna?include_password=true&include_password=x',
    {},
    [noIncludePassword],
  ],
];

const NUMBERS: readonly Case[] = [
  ...['', 'x', '0x10', '1,5', '1e'].map((home_lat) =>
    profile(
      `${JSON.stringify(home_lat)} for a number`,
      { home_lat },
      { type: 'float_parsing', loc: ['body', 'home_lat'], msg: NO_NUMBER },
    ),
  ),
  ...[[], {}].map((work_lng) =>
    profile(
      `${JSON.stringify(work_lng)} for a number`,
      { work_lng },
      { type: 'float_type', loc: ['body', 'work_lng'], msg: 'Input should be a valid number' },
    ),
  ),
  [
    'infinity',
    'PATCH /api/me/profile',
    { body: '{"home_lat": 1e999, "home_lng": "-inf"}', headers: JSON_TYPE },
    [infinite('home_lat'), infinite('home_lng')],
  ],
];

const BODIES: readonly Case[] = [
  ['no body', 'POST /api/auth/login', {}, [missing('body')]],
  raw('an empty body', '', missing('body')),
  raw('null', 'null', missing('body')),
  raw('a list', '[]', noObject),
  raw('a string', '"x"', noObject),
  raw('a number', '7', noObject),
  [
    'a body of another type',
    'POST /api/auth/login',
    { body: '{}', headers: { 'Content-Type': 'text/plain' } },
    [noObject],
  ],
  [
    'a form where JSON is meant',
    'POST /api/auth/login',
    { body: 'role=admin', headers: FORM },
    [noObject],
  ],
  raw('blanks', '   ', notJson(3)),
  raw('a word', 'x', notJson(0)),
  raw('a body that ends in the middle', '{"role": "a', notJson(11)),
  raw('a body that ends before a value', '{"role":', notJson(8)),
  raw('NaN', '{"role": NaN}', notJson(9)),
  raw('Infinity', '{"role": Infinity}', notJson(9)),
  raw('a comma too many', '{"role": "a",}', notJson(13)),
  raw('a comma too few', '{"role": "a" "b"}', notJson(13)),
  raw('a name without quotes', '{role: 1}', notJson(1)),
  raw('something behind the end', '{} x', notJson(3)),
  raw('a line break in a string', '{"a": "\n"}', notJson(7)),
  raw('an escape that is none', '{"a": "\\x"}', notJson(7)),
  raw('a fault behind characters of several bytes', '{"å🚗": x}', notJson(7)),
  raw('sixty thousand brackets', '['.repeat(60_000), notJson(32)),
  raw('lists that nest 32 deep', '['.repeat(32) + ']'.repeat(32), noObject),
  raw('lists that nest 33 deep', '['.repeat(33) + ']'.repeat(33), notJson(32)),
  raw('objects with 256 fields', `[${'{"a":1},'.repeat(255)}{"a":1}]`, noObject),
  raw('objects with 257 fields', `[${'{"a":1},'.repeat(256)}{"a":1}]`, notJson(8 * 256 + 5)),
];

const token = (title: string, ask: Ask, ...faults: Fault[]): Case => [
  title,
  'POST /api/token',
  ask,
  faults,
];
const form = (body: string): Ask => ({ body, headers: FORM });
const NO_USERNAME = missing('body', 'username');
const NO_PASSWORD = missing('body', 'password');

const FORMS: readonly Case[] = [
  token(
    'grant_type',
    form('grant_type=x&username=a&password=b'),
    mismatch('grant_type', '^password$'),
  ),
  token('an empty username', form('username=&password=b'), NO_USERNAME),
  token('a form without anything', {}, NO_USERNAME, NO_PASSWORD),
  token(
    'JSON where a form is meant',
    { json: { username: 'a', password: 'b' } },
    NO_USERNAME,
    NO_PASSWORD,
  ),
  token('a form in parts without a password', { body: parts({ username: 'a' }) }, NO_PASSWORD),
];

export function parts(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

const wrongDealer = (
  source: string,
  field: string,
  msg = 'Value error, unknown dealer',
): Fault => ({ type: 'value_error', loc: [source, field], msg, ctx: { error: {} } });
const addToFleet = (title: string, json: object, fault: Fault): Case => [
  title,
  'POST /api/cars/add-to-fleet',
  { json },
  [fault],
];
const removal = (title: string, heir: string, msg?: string): Case => [
  title,
  `DELETE /api/dealers/nordbil?reassign_to=${heir}`,
  {},
  [wrongDealer('query', 'reassign_to', msg)],
];

const RECORDS: readonly Case[] = [
  signUp('an unknown dealer', { dealer: 'nosuch' }, wrongDealer('body', 'dealer')),
  signUp('a dealer that is a customer', { dealer: 'anna' }, wrongDealer('body', 'dealer')),
  profile('an unknown dealer in a profile', { dealer: 'nosuch' }, wrongDealer('body', 'dealer')),
  addToFleet('a fleet of nobody', { vin: 'X', dealer: 'nosuch' }, wrongDealer('body', 'dealer')),
  addToFleet('a fleet that an admin does not name', { vin: 'X' }, missing('body', 'dealer')),
  addToFleet(
    'a fleet that an admin names null',
    { vin: 'X', dealer: null },
    missing('body', 'dealer'),
  ),
  removal('an unknown heir', 'nosuch'),
  removal('an empty heir', ''),
  removal('a dealer as its own heir', 'nordbil', 'Value error, must be another dealer'),
];

export const FAULTY: readonly (readonly [topic: string, cases: readonly Case[]])[] = [
  ['strings', STRINGS],
  ['emails', EMAILS],
  ['booleans', BOOLEANS],
  ['numbers', NUMBERS],
  ['bodies', BODIES],
  ['forms', FORMS],
  ['records that a field names', RECORDS],
];
