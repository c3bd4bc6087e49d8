import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestNode } from '../../rigs/node.ts';
import { type Answer, type Ask, DealerApi, type Fault } from './dealer-api.ts';
import { EMBEDDED } from './engines.ts';

const EMAIL = 'value is not a valid email address:';
const MISSING = 'Field required';
const STRING = 'Input should be a valid string';
const NO_BOOLEAN = 'Input should be a valid boolean, unable to interpret input';
const NO_NUMBER = 'Input should be a valid number, unable to parse string as a number';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

const missing = (...loc: string[]): Fault => ({ type: 'missing', loc, msg: MISSING });
const noString = (...loc: string[]): Fault => ({ type: 'string_type', loc, msg: STRING });

const TOO_LONG = 'a'.repeat(257);
const tooLong = (...loc: string[]): Fault => ({
  type: 'string_too_long',
  loc,
  msg: 'String should have at most 256 characters',
  ctx: { max_length: 256 },
});

const dealer = { username: 'ok_1', password: 'abc', name: 'N', city: 'C' };
const customer = {
  name: 'N',
  username: 'ok_1',
  password: 'abcd',
  email: 'a@x.test',
  dealer: 'nordbil',
};

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
  post(
    'too short for three',
    { username: 'ab' },
    {
      type: 'string_too_short',
      loc: ['body', 'username'],
      msg: 'String should have at least 3 characters',
      ctx: { min_length: 3 },
    },
  ),
  post(
    'too short for one',
    { name: '' },
    {
      type: 'string_too_short',
      loc: ['body', 'name'],
      msg: 'String should have at least 1 character',
      ctx: { min_length: 1 },
    },
  ),
  post(
    'too long',
    { username: 'a'.repeat(21) },
    {
      type: 'string_too_long',
      loc: ['body', 'username'],
      msg: 'String should have at most 20 characters',
      ctx: { max_length: 20 },
    },
  ),
  post(
    'longer than any text may be',
    { city: 'c'.repeat(257) },
    {
      type: 'string_too_long',
      loc: ['body', 'city'],
      msg: 'String should have at most 256 characters',
      ctx: { max_length: 256 },
    },
  ),
  post(
    'a password of more bytes than may be',
    { password: 'ö'.repeat(513) },
    {
      type: 'string_too_long',
      loc: ['body', 'password'],
      msg: 'String should have at most 1024 characters',
      ctx: { max_length: 1024 },
    },
  ),
  post(
    'not of the pattern',
    { username: 'Not-OK' },
    {
      type: 'string_pattern_mismatch',
      loc: ['body', 'username'],
      msg: "String should match pattern '^[a-z0-9_]+$'",
      ctx: { pattern: '^[a-z0-9_]+$' },
    },
  ),
  post(
    'a line break behind what fits the pattern',
    { username: 'abc\n' },
    {
      type: 'string_pattern_mismatch',
      loc: ['body', 'username'],
      msg: "String should match pattern '^[a-z0-9_]+$'",
      ctx: { pattern: '^[a-z0-9_]+$' },
    },
  ),
  post(
    'length before pattern, one fault a field',
    { username: 'Ä!' },
    {
      type: 'string_too_short',
      loc: ['body', 'username'],
      msg: 'String should have at least 3 characters',
      ctx: { min_length: 3 },
    },
  ),
  signUp(
    'lengths in code points: two are too few',
    { password: '🚗🚗' },
    {
      type: 'string_too_short',
      loc: ['body', 'password'],
      msg: 'String should have at least 4 characters',
      ctx: { min_length: 4 },
    },
  ),
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
    {
      type: 'string_too_short',
      loc: ['body', 'name'],
      msg: 'String should have at least 1 character',
      ctx: { min_length: 1 },
    },
    noString('body', 'username'),
    {
      type: 'string_too_short',
      loc: ['body', 'password'],
      msg: 'String should have at least 4 characters',
      ctx: { min_length: 4 },
    },
    email('An email address must have an @-sign.'),
    missing('body', 'dealer'),
  ),
  [
    'the names of admins may be longer, up to 32',
    'PATCH /api/me/admin',
    { json: { current_password: 'x', username: 'a'.repeat(33), new_password: 'abc' } },
    [
      {
        type: 'string_too_long',
        loc: ['body', 'username'],
        msg: 'String should have at most 32 characters',
        ctx: { max_length: 32 },
      },
      {
        type: 'string_too_short',
        loc: ['body', 'new_password'],
        msg: 'String should have at least 4 characters',
        ctx: { min_length: 4 },
      },
    ],
  ],
  ['a path that is too long', `DELETE /api/dealers/${TOO_LONG}`, {}, [tooLong('path', 'username')]],
  [
    'path and query',
    `GET /api/customers/${TOO_LONG}?include_password=x`,
    {},
    [
      tooLong('path', 'username'),
      { type: 'bool_parsing', loc: ['query', 'include_password'], msg: NO_BOOLEAN },
    ],
  ],
  [
    'path and body',
    `PATCH /api/cars/${TOO_LONG}/owner`,
    { json: { since: 1 } },
    [tooLong('path', 'vin'), missing('body', 'email'), noString('body', 'since')],
  ],
  [
    'a path without a body',
    `PATCH /api/cars/${TOO_LONG}/state`,
    {},
    [tooLong('path', 'vin'), missing('body')],
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
      {
        type: 'bool_parsing',
        loc: ['body', 'locked'],
        msg: NO_BOOLEAN,
      },
    ),
  ),
  ...[[], {}].map((climate) =>
    state(
      `${JSON.stringify(climate)} for a boolean`,
      { climate },
      {
        type: 'bool_type',
        loc: ['body', 'climate'],
        msg: 'Input should be a valid boolean',
      },
    ),
  ),
  ...['', '2', '%20true', 'null'].map(
    (given): Case => [
      `include_password=${given}`,
      `GET /api/customers?include_password=${given}`,
      {},
      [{ type: 'bool_parsing', loc: ['query', 'include_password'], msg: NO_BOOLEAN }],
    ],
  ),
  [
    'the last of two query parameters',
    'GET /api/customers/anna?include_password=true&include_password=x',
    {},
    [{ type: 'bool_parsing', loc: ['query', 'include_password'], msg: NO_BOOLEAN }],
  ],
];

const NUMBERS: readonly Case[] = [
  ...['', 'x', '0x10', '1,5', '1e'].map((home_lat) =>
    profile(
      `${JSON.stringify(home_lat)} for a number`,
      { home_lat },
      {
        type: 'float_parsing',
        loc: ['body', 'home_lat'],
        msg: NO_NUMBER,
      },
    ),
  ),
  ...[[], {}].map((work_lng) =>
    profile(
      `${JSON.stringify(work_lng)} for a number`,
      { work_lng },
      {
        type: 'float_type',
        loc: ['body', 'work_lng'],
        msg: 'Input should be a valid number',
      },
    ),
  ),
  [
    'infinity',
    'PATCH /api/me/profile',
    { body: '{"home_lat": 1e999, "home_lng": "-inf"}', headers: JSON_TYPE },
    [
      {
        type: 'finite_number',
        loc: ['body', 'home_lat'],
        msg: 'Input should be a finite number',
      },
      {
        type: 'finite_number',
        loc: ['body', 'home_lng'],
        msg: 'Input should be a finite number',
      },
    ],
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
  raw('sixty thousand brackets', '['.repeat(60_000), notJson(60_000)),
  raw('a list of lists of lists', '['.repeat(30_000) + ']'.repeat(30_000), noObject),
];

const FORMS: readonly Case[] = [
  [
    'grant_type',
    'POST /api/token',
    { body: 'grant_type=x&username=a&password=b', headers: FORM },
    [
      {
        type: 'string_pattern_mismatch',
        loc: ['body', 'grant_type'],
        msg: "String should match pattern '^password$'",
        ctx: { pattern: '^password$' },
      },
    ],
  ],
  [
    'an empty username',
    'POST /api/token',
    { body: 'username=&password=b', headers: FORM },
    [missing('body', 'username')],
  ],
  [
    'a form without anything',
    'POST /api/token',
    {},
    [missing('body', 'username'), missing('body', 'password')],
  ],
  [
    'JSON where a form is meant',
    'POST /api/token',
    { json: { username: 'a', password: 'b' } },
    [missing('body', 'username'), missing('body', 'password')],
  ],
  [
    'a form in parts without a password',
    'POST /api/token',
    { body: parts({ username: 'a' }) },
    [missing('body', 'password')],
  ],
];

function parts(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

const UNKNOWN_DEALER = 'Value error, unknown dealer';
const wrongDealer = (source: string, field: string, msg: string): Fault => ({
  type: 'value_error',
  loc: [source, field],
  msg,
  ctx: { error: {} },
});

const RECORDS: readonly Case[] = [
  signUp('an unknown dealer', { dealer: 'nosuch' }, wrongDealer('body', 'dealer', UNKNOWN_DEALER)),
  signUp(
    'a dealer that is a customer',
    { dealer: 'anna' },
    wrongDealer('body', 'dealer', UNKNOWN_DEALER),
  ),
  profile(
    'an unknown dealer in a profile',
    { dealer: 'nosuch' },
    wrongDealer('body', 'dealer', UNKNOWN_DEALER),
  ),
  [
    'a fleet of nobody',
    'POST /api/cars/add-to-fleet',
    { json: { vin: 'X', dealer: 'nosuch' } },
    [wrongDealer('body', 'dealer', UNKNOWN_DEALER)],
  ],
  [
    'a fleet that an admin does not name',
    'POST /api/cars/add-to-fleet',
    { json: { vin: 'X' } },
    [missing('body', 'dealer')],
  ],
  [
    'a fleet that an admin names null',
    'POST /api/cars/add-to-fleet',
    { json: { vin: 'X', dealer: null } },
    [missing('body', 'dealer')],
  ],
  [
    'an unknown heir',
    'DELETE /api/dealers/nordbil?reassign_to=nosuch',
    {},
    [wrongDealer('query', 'reassign_to', UNKNOWN_DEALER)],
  ],
  [
    'an empty heir',
    'DELETE /api/dealers/nordbil?reassign_to=',
    {},
    [wrongDealer('query', 'reassign_to', UNKNOWN_DEALER)],
  ],
  [
    'a dealer as its own heir',
    'DELETE /api/dealers/nordbil?reassign_to=nordbil',
    {},
    [wrongDealer('query', 'reassign_to', 'Value error, must be another dealer')],
  ],
];

/** Fields are looked at before the store is asked: one engine is enough. */
describe.each([EMBEDDED])('on the $name store', ({ start }) => {
  let node: TestNode;
  let api: DealerApi;
  let admin: string;
  let anna: string;
  let untouched: unknown;
  beforeAll(async () => {
    node = await start();
    api = new DealerApi(node.dealerUrl);
    admin = await api.logIn('admin', 'admin');
    anna = await api.logIn('anna', 'user');
    untouched = await api.everything(admin);
  });
  afterAll(() => node.discard());

  const ask = (call: string, given: Ask): Promise<Answer> =>
    api.ask(call, { token: call.endsWith('/me/profile') ? anna : admin, ...given });

  describe.each([
    ['strings', STRINGS],
    ['emails', EMAILS],
    ['booleans', BOOLEANS],
    ['numbers', NUMBERS],
    ['bodies', BODIES],
    ['forms', FORMS],
    ['records that a field names', RECORDS],
  ])('%s', (_, cases) => {
    test.each(cases)('%s', async (_title, call, given, faults) => {
      const { status, body } = await ask(call, given);
      expect(body).toEqual({ detail: faults });
      expect(status).toBe(422);
    });
  });

  test('nothing of all that was done', async () => {
    expect(await api.everything(admin)).toEqual(untouched);
  });

  test('what was sent is never told', async () => {
    const json = { ...customer, password: 'xyz', username: 'SECRET-NAME', email: 'canary' };
    const { text } = await ask('POST /api/auth/signup', { json });
    expect(text).not.toMatch(/xyz|SECRET-NAME|canary/);
  });

  test.each([
    ['UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), JSON_TYPE],
    ['a form', new Uint8Array([0x61, 0x3d, 0xff]), FORM],
    ['parts', 'no parts', { 'Content-Type': 'multipart/form-data; boundary=b' }],
    ['parts with a boundary', '--b--', { 'Content-Type': 'multipart/form-data' }],
  ])('bytes that are no %s', async (_, body, headers) => {
    const call = headers === JSON_TYPE ? 'POST /api/auth/login' : 'POST /api/token';
    const answer = await ask(call, { body, headers });
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: 'There was an error parsing the body' },
    ]);
  });

  test('a body without a content type is read as JSON, and the last of equal keys counts', async () => {
    const body = new TextEncoder().encode(
      '{"role": 7, "role": "Super-Admin", "username": "admin", "password": "admin-demo"}',
    );
    const { status } = await ask('POST /api/auth/login', { body });
    expect(status).toBe(200);
  });

  test.each(['', '&grant_type=', '&grant_type=password', '&scope=a+b&client_id=c'])(
    'a form with "%s" gives a token',
    async (more) => {
      const body = `username=x&username=admin&password=admin-demo${more}`;
      const answer = await ask('POST /api/token', { body, headers: FORM });
      expect([answer.status, answer.body.role]).toEqual([200, 'admin']);
    },
  );

  test('a form in parts gives a token', async () => {
    const body = parts({ username: 'nordbil', password: 'dealer-demo' });
    const answer = await ask('POST /api/token', { body });
    expect([answer.status, answer.body.role]).toEqual([200, 'dealer']);
  });

  test.each([
    [['true', 'True', '1', 'yes', 'NO', 'On', 't', 'Y', 1, true], true],
    [['false', 'FALSE', '0', 'no', 'off', 'f', 'n', 0, false], false],
  ])('%j stand for a boolean', async (words, meant) => {
    const call = 'PATCH /api/cars/DEMCAR00000000001/state';
    for (const locked of words) {
      const answer = await ask(call, { json: { locked } });
      expect([locked, answer.body.locked]).toEqual([locked, locked === 'NO' ? false : meant]);
    }
  });

  test.each([
    ['1.5', 1.5],
    [' 1 ', 1],
    ['-2.5e1', -25],
    ['.5', 0.5],
    [true, 1],
    [1000, 1000],
    [null, null],
  ])('%j is the number %j', async (home_lat, meant) => {
    const answer = await ask('PATCH /api/me/profile', { json: { home_lat } });
    expect([answer.status, answer.body.home_lat]).toEqual([200, meant]);
  });

  test('an email for tests is taken, without the blanks around it', async () => {
    const answer = await ask('PATCH /api/me/profile', { json: { email: ' Anna@x.test ' } });
    expect([answer.status, answer.body.email]).toEqual([200, 'Anna@x.test']);
  });

  test('an email that keeps slow patterns busy for an hour is answered like any other', async () => {
    const { status } = await ask('POST /api/auth/signup', {
      json: { ...customer, email: '@.'.repeat(16_000) },
    });
    expect(status).toBe(422);
  });

  test('names that objects have by themselves are fields like any other: ignored', async () => {
    const body = '{"__proto__": {"role": "admin"}, "constructor": 1, "hasOwnProperty": 2}';
    const answer = await ask('POST /api/auth/login', { body, headers: JSON_TYPE });
    expect(answer.body.detail).toEqual([
      missing('body', 'role'),
      missing('body', 'username'),
      missing('body', 'password'),
    ]);
  });
});
