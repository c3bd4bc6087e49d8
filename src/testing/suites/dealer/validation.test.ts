import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Ask, useDealer } from './dealer-api.ts';
import { customer, FAULTY, FORM, JSON_TYPE, missing, parts } from './validation-cases.ts';

describe('[D21] fields', () => {
  const api = useDealer();
  let admin: string;
  let anna: string;
  let untouched: unknown;
  beforeAll(async () => {
    admin = await api.logIn('admin', 'admin');
    anna = await api.logIn('anna', 'user');
    untouched = await api.everything(admin);
  });

  const ask = (call: string, given: Ask): Promise<Answer> =>
    api.ask(call, { token: call.endsWith('/me/profile') ? anna : admin, ...given });

  describe.each(FAULTY)('%s', (_, cases) => {
    test.each(cases)('%s', async (_title, call, given, faults) => {
      const { status, body } = await ask(call, given);
      expect(body).toEqual({ detail: faults });
      expect(status).toBe(422);
    });
  });

  test('[D2] no faulty request changed anything', async () => {
    expect(await api.everything(admin)).toEqual(untouched);
  });

  test('[D22] an answer never repeats what was sent', async () => {
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
    '[D23] a form with "%s" gives a token',
    async (more) => {
      const body = `username=x&username=admin&password=admin-demo${more}`;
      const answer = await ask('POST /api/token', { body, headers: FORM });
      expect([answer.status, answer.body.role]).toEqual([200, 'admin']);
    },
  );

  test('[L12] a form has 64 fields at most, in parts or not', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => [`f${i}`, 'x']);
    const detail = 'Too many fields. Maximum number of fields is 64.';
    const known = { username: 'nordbil', password: 'dealer-demo' };
    const enough = { ...Object.fromEntries(fields(61)), ...known };
    const tooMany = { ...Object.fromEntries(fields(64)), ...known };
    for (const form of [parts, (given: Record<string, string>) => new URLSearchParams(given)]) {
      expect((await ask('POST /api/token', { body: form(enough) })).status).toBe(200);
      const refused = await ask('POST /api/token', { body: form(tooMany) });
      expect([refused.status, refused.body]).toEqual([400, { detail }]);
    }
  });

  test('[D23] a form in parts gives a token', async () => {
    const body = parts({ username: 'nordbil', password: 'dealer-demo' });
    const answer = await ask('POST /api/token', { body });
    expect([answer.status, answer.body.role]).toEqual([200, 'dealer']);
  });

  test.each([
    [['true', 'True', '1', 'yes', 'NO', 'On', 't', 'Y', 1, true], true],
    [['false', 'FALSE', '0', 'no', 'off', 'f', 'n', 0, false], false],
  ])('[D23] %j stand for a boolean', async (words, meant) => {
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
  ])('[D23] %j is the number %j', async (home_lat, meant) => {
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

  test('[D24] names that objects have by themselves are fields like any other: ignored', async () => {
    const body = '{"__proto__": {"role": "admin"}, "constructor": 1, "hasOwnProperty": 2}';
    const answer = await ask('POST /api/auth/login', { body, headers: JSON_TYPE });
    expect(answer.body.detail).toEqual([
      missing('body', 'role'),
      missing('body', 'username'),
      missing('body', 'password'),
    ]);
  });
});
