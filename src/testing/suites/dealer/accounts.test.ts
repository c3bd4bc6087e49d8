import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { type Answer, type Body, DealerApi, type Role, signUpOf, useDealer } from './dealer-api.ts';

/** Headers that differ from answer to answer. */
const OF_THE_MOMENT = new Set(['date', 'x-request-id']);

function headersOf({ headers }: Answer): [string, string][] {
  return [...headers].filter(([name]) => !OF_THE_MOMENT.has(name));
}

describe.each(ENGINES)('on the $name store', (engine) => {
  const api = useDealer(engine.start);
  const nodes = useNodes(engine);
  let admin: string;
  beforeAll(async () => {
    admin = await api.logIn('admin', 'admin');
  });

  let count = 0;
  /** A new customer of Nordbil. */
  async function signUp(more: Body = {}): Promise<{ username: string; token: string }> {
    const username = `customer${++count}`;
    const json = { ...signUpOf(username), ...more };
    const { access_token } = await api.get('POST /api/auth/signup', { json });
    return { username, token: String(access_token) };
  }

  describe('a log-in', () => {
    test.each<[role: string, username: string, as: Role]>([
      ['admin', 'admin', 'admin'],
      ['super-admin', 'admin', 'admin'],
      ['SuperAdmin', 'admin', 'admin'],
      ['SUPER_ADMIN', 'admin', 'admin'],
      ['Dealer', 'nordbil', 'dealer'],
      ['customer', 'anna', 'user'],
      ['USER', 'anna', 'user'],
    ])('as %s is one of %s', async (role, username, as) => {
      const password = { admin: 'admin-demo', dealer: 'dealer-demo', user: 'customer-demo' }[as];
      const json = { role, username, password };
      const answer = await api.ask('POST /api/auth/login', { json });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'bearer',
        expires_in: 28_800,
        role: as,
        username,
      });
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
    });

    const WRONG = [
      ['a wrong password', 'admin', 'wrong', 'admin'],
      ['an unknown name', 'nosuch', 'admin-demo', 'admin'],
      ['the wrong role', 'nordbil', 'dealer-demo', 'admin'],
      ['a role that there is not', 'admin', 'admin-demo', 'king'],
      ['a password in another case', 'admin', 'ADMIN-DEMO', 'admin'],
      ['a name in another case', 'Admin', 'admin-demo', 'admin'],
      ['an empty password', 'admin', '', 'admin'],
      ['a name of all objects', '__proto__', 'x', 'admin'],
    ] as const;

    test('[D3] that fails says the same at every door, whatever was wrong', async () => {
      const answers: Answer[] = [];
      for (const [, username, password, role] of WRONG) {
        const json = { role, username, password };
        answers.push(await api.ask('POST /api/auth/login', { json }));
        answers.push(await api.ask('POST /api/auth/admin-login', { json: { ...json, role: 'x' } }));
        if (password === '' || role === 'king' || username === 'nordbil') continue;
        const body = new URLSearchParams({ username, password });
        answers.push(await api.ask('POST /api/token', { body }));
      }
      const refused = answers.filter(({ status }) => status !== 200);
      // The wrong role and the role that there is not are right at the door for admins.
      expect(answers.length - refused.length).toBe(1);
      const [first] = refused;
      expect(first?.body).toEqual({ detail: 'Incorrect username or password' });
      for (const answer of refused) {
        expect([answer.status, answer.text]).toEqual([401, first?.text]);
        expect(headersOf(answer)).toEqual(first && headersOf(first));
      }
    });
  });

  describe('a token', () => {
    test.each([
      ['is no token', 'x'],
      ['is empty', ''],
      ['has another signature', 'x.y.z'],
      ['is not signed', `${btoa('{"alg":"none","typ":"at+jwt"}')}.${btoa('{"sub":"admin:x"}')}.`],
    ])('[D4] that %s is refused', async (_, token) => {
      const answer = await api.ask('GET /api/auth/me', {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect([answer.status, answer.body]).toEqual([
        401,
        { detail: 'Could not validate credentials' },
      ]);
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
    });

    test.each(['', 'Basic YTpi', 'VIN x', 'Bearerx y'])(
      'is missing where there is "%s"',
      async (Authorization) => {
        const { status, body } = await api.ask('GET /api/auth/me', { headers: { Authorization } });
        expect([status, body]).toEqual([401, { detail: 'Not authenticated' }]);
      },
    );

    test('[D4] with one character changed is refused, wherever that is', async () => {
      for (let at = 0; at < admin.length; at += 7) {
        const other = admin[at] === 'A' ? 'B' : 'A';
        const token = admin.slice(0, at) + other + admin.slice(at + 1);
        expect((await api.ask('GET /api/auth/me', { token })).status).toBe(401);
      }
    });

    test('[D4] is taken with its scheme in any case', async () => {
      const headers = { Authorization: `bEARER ${admin}` };
      expect((await api.ask('GET /api/auth/me', { headers })).status).toBe(200);
    });

    test('[D5] ends with its logout, which may be said twice, and no other does', async () => {
      const [one, other] = [await api.logIn('anna', 'user'), await api.logIn('anna', 'user')];
      for (let i = 0; i < 2; i++) {
        const { status, body } = await api.ask('POST /api/auth/logout', { token: one });
        expect([status, body]).toEqual([200, { ok: true }]);
      }
      expect((await api.ask('GET /api/auth/me', { token: one })).status).toBe(401);
      expect((await api.ask('GET /api/auth/me', { token: other })).status).toBe(200);
      const nobody = await api.ask('POST /api/auth/logout');
      expect([nobody.status, nobody.body]).toEqual([200, { ok: true }]);
    });

    test('[D5] ends with its account, and the name may be given to another', async () => {
      const json = { username: 'shortlived', password: 'abc', name: 'S', city: 'C' };
      await api.get('POST /api/dealers', { token: admin, json });
      const token = await api.logIn('shortlived', 'dealer', 'abc');
      await api.get('DELETE /api/dealers/shortlived', { token: admin });
      expect((await api.ask('GET /api/cars', { token })).status).toBe(401);
      const other = await signUp({ username: 'shortlived' });
      expect((await api.ask('GET /api/cars', { token })).status).toBe(401);
      expect((await api.ask('GET /api/cars', { token: other.token })).status).toBe(200);
    });

    test('[D6] survives a restart', async () => {
      const first = await nodes.inProcess();
      const token = await new DealerApi(first.dealerUrl).logIn('admin', 'admin');
      await first.stop();
      const again = await nodes.inProcess({ DATA_DIR: first.dataDir });
      const { status } = await new DealerApi(again.dealerUrl).ask('GET /api/me/admin', { token });
      expect(status).toBe(200);
    });
  });

  describe('who one is', () => {
    test.each<[string, Role, Body]>([
      ['admin', 'admin', { role: 'admin', name: null, email: null, dealer: null }],
      ['nordbil', 'dealer', { role: 'dealer', name: 'Nordbil', email: null, dealer: 'nordbil' }],
      [
        'erik',
        'user',
        { role: 'user', name: 'Erik Berg', email: 'erik@example.com', dealer: 'vastauto' },
      ],
    ])('%s is told', async (username, role, told) => {
      const token = await api.logIn(username, role);
      expect(await api.get('GET /api/auth/me', { token })).toEqual({ username, ...told });
    });
  });

  describe('an admin', () => {
    test('[D7] a new password ends all tokens but the one that made the change, a new name ends none', async () => {
      const other = await api.logIn('admin', 'admin');
      const change = (json: Body, token = admin) => api.ask('PATCH /api/me/admin', { token, json });
      const wrong = await change({ current_password: 'wrong', username: 'chief' });
      expect([wrong.status, wrong.body]).toEqual([
        403,
        { detail: 'The current password is wrong' },
      ]);
      const taken = await change({ current_password: 'admin-demo', username: 'anna' });
      expect(taken.status).toBe(409);

      const named = await change({ current_password: 'admin-demo', username: 'chief' });
      expect(named.body).toEqual({
        username: 'chief',
        role: 'admin',
        created_at: '2026-01-05T08:00:00.000Z',
        updated_at: expect.stringMatching(/^20.*Z$/),
      });
      for (const token of [admin, other]) {
        expect((await api.get('GET /api/auth/me', { token })).username).toBe('chief');
      }
      await expect(api.logIn('admin', 'admin')).rejects.toThrow('401');

      const json = { current_password: 'admin-demo', username: 'admin', new_password: 'newer' };
      expect((await change(json)).status).toBe(200);
      expect((await api.ask('GET /api/auth/me', { token: other })).status).toBe(401);
      expect((await api.ask('GET /api/auth/me', { token: admin })).status).toBe(200);
      await expect(api.logIn('admin', 'admin')).rejects.toThrow('401');

      // Whoever changes it next keeps the own token alone.
      const third = await api.logIn('admin', 'admin', 'newer');
      const back = { current_password: 'newer', new_password: 'admin-demo' };
      expect((await change(back, third)).status).toBe(200);
      expect((await api.ask('GET /api/auth/me', { token: admin })).status).toBe(401);
      admin = third;
    });
  });

  describe('a sign-up', () => {
    test('[D8] gives a token and the new profile, with what was left out empty', async () => {
      const who = { name: 'Nora', email: 'Nora@X.test', address: null, dealer: 'sydmotor' };
      const json = { ...signUpOf('nora'), ...who, role: 'admin' };
      const { status, body } = await api.ask('POST /api/auth/signup', { json });
      expect(status).toBe(200);
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: 28_800,
        role: 'user',
        username: 'nora',
        profile: {
          username: 'nora',
          role: 'user',
          name: 'Nora',
          email: 'Nora@X.test',
          phone: '',
          address: null,
          personnummer: null,
          emergency_contact: null,
          emergency_phone: null,
          insurance_policy: null,
          iban: null,
          charging_card_rfid: null,
          home_lat: null,
          home_lng: null,
          work_lat: null,
          work_lng: null,
          dealer: 'sydmotor',
          cars: [],
          created_at: expect.stringMatching(/^20.*Z$/),
        },
      });
      expect(await api.get('GET /api/me/profile', { token: String(body.access_token) })).toEqual(
        body.profile,
      );
    });

    test.each([
      ['a customer', { username: 'anna' }],
      ['a dealer', { username: 'nordbil' }],
      ['an admin', { username: 'admin' }],
      ['the email of another', { email: 'anna@example.com' }],
      ['the email of another in capitals', { email: 'ANNA@EXAMPLE.COM' }],
      ['the email of another in full width', { email: 'ａｎｎａ@example.com' }],
      ['the email of another with a domain in full width', { email: 'anna@ｅｘａｍｐｌｅ.com' }],
    ])('[D8] does not take what belongs to %s', async (_, more) => {
      await expect(signUp(more)).rejects.toThrow('409');
    });

    test('[D8] of many at once with one name or one email succeeds once', async () => {
      const attempts = (more: Body) =>
        Promise.allSettled(Array.from({ length: 8 }, () => signUp(more)));
      const byName = await attempts({ username: 'wanted' });
      const byEmail = await attempts({ email: 'wanted@y.test' });
      for (const results of [byName, byEmail]) {
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      }
    });
  });

  describe('a profile', () => {
    test('[D9] takes what is given, clears what is null, and keeps the rest', async () => {
      const { token } = await signUp({ phone: '1' });
      const patch = (json: Body) => api.get('PATCH /api/me/profile', { token, json });
      const changed = await patch({ address: 'B', home_lat: '59.5', dealer: 'sydmotor' });
      expect(changed).toMatchObject({ phone: '1', address: 'B', home_lat: 59.5 });
      expect(changed).toMatchObject({ dealer: 'sydmotor', name: 'A Customer' });
      const cleared = await patch({ phone: null, name: null, dealer: null, email: null });
      expect(cleared).toMatchObject({ phone: null, name: null, dealer: null, email: null });
      expect(cleared).toMatchObject({ address: 'B', home_lat: 59.5 });
      expect(await api.get('GET /api/me/profile', { token })).toEqual(cleared);
      // Null is no email that only one could have.
      const other = await signUp();
      const json = { email: null, username: 'admin', role: 'admin', password: 'x' };
      expect(await api.get('PATCH /api/me/profile', { token: other.token, json })).toMatchObject({
        email: null,
        username: other.username,
        role: 'user',
      });
    });

    test('[D8] does not take the email of another, in any case, and gives up its own', async () => {
      const [one, other] = [await signUp(), await signUp()];
      const take = (token: string, email: string) =>
        api.ask('PATCH /api/me/profile', { token, json: { email } });
      expect((await take(one.token, `${other.username}@X.TEST`)).status).toBe(409);
      expect((await take(one.token, `${one.username}@X.TEST`)).status).toBe(200);
      expect((await take(one.token, 'elsewhere@x.test')).status).toBe(200);
      expect((await take(other.token, `${one.username}@x.test`)).status).toBe(200);
      expect((await take(one.token, `${other.username}@x.test`)).status).toBe(200);
    });

    test('[D10] shows its secrets to the customer and to admins, not to the dealer', async () => {
      const { token, username } = await signUp();
      const secrets = { personnummer: '900101-0000', iban: 'SE00', charging_card_rfid: '04AB' };
      const hidden = { personnummer: null, iban: null, charging_card_rfid: null };
      expect(await api.get('PATCH /api/me/profile', { token, json: secrets })).toMatchObject(
        secrets,
      );
      const dealer = await api.logIn('nordbil', 'dealer');
      const call = `GET /api/customers/${username}`;
      expect(await api.get(call, { token: admin })).toMatchObject(secrets);
      expect(await api.get(call, { token: dealer })).toMatchObject(hidden);
      const listed = await api.get<Body[]>('GET /api/customers', { token: dealer });
      expect(listed.find((each) => each.username === username)).toMatchObject(hidden);
    });

    // What Redis keeps on its disk is its own affair; what it is given is the same.
    if (engine.name === 'embedded') {
      test('[D10] has its secrets on the disk in no readable form', async () => {
        const { token } = await signUp();
        const json = { iban: 'CANARY-IBAN', personnummer: 'CANARY-PN', phone: 'CANARY-PHONE' };
        await api.get('PATCH /api/me/profile', { token, json });
        const disk = readFileSync(join(api.node.dataDir, 'data.mdb')).toString('latin1');
        expect(disk).toContain('CANARY-PHONE');
        expect(disk).not.toMatch(/CANARY-IBAN|CANARY-PN/);
      });
    }

    test('of another role cannot be changed here, and admins are told where', async () => {
      const { status, body } = await api.ask('PATCH /api/me/profile', { token: admin, json: {} });
      expect([status, body.detail]).toEqual([403, expect.stringContaining('/api/me/admin')]);
    });
  });

  test.each(['', '?include_password=false'])(
    'customers%s come without a password',
    async (query) => {
      const all = await api.get<Body[]>(`GET /api/customers${query}`, { token: admin });
      for (const customer of all) expect(Object.keys(customer)).not.toContain('password');
      for (const customer of all) expect(Object.keys(customer)).not.toContain('password_set');
    },
  );

  test('[D11] customers with their passwords come with none, and never with a hash', async () => {
    const ask = { token: admin };
    const all = await api.ask('GET /api/customers?include_password=yes', ask);
    const one = await api.ask('GET /api/customers/anna?include_password=1', ask);
    for (const customer of [...(all.body as unknown as Body[]), one.body]) {
      expect(customer).toMatchObject({ password: null, password_set: true });
    }
    expect(all.text + one.text).not.toContain('argon2');
  });
});
