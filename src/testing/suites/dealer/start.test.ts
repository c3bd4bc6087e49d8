import { describe, expect, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { type Body, DealerApi, PASSWORDS, type Role, signUpOf } from './dealer-api.ts';

const NO_DEMO = { DEMO: 'off', ADMIN_PASSWORD: 'a long password' };

/** How the OpenAPI document describes the service. */
async function descriptionAt(node: TestNode): Promise<string> {
  const answer = await fetch(`${node.dealerUrl}/openapi.json`);
  return ((await answer.json()) as { info: { description: string } }).info.description;
}

describe.each(ENGINES)('on the $name store', (engine) => {
  const nodes = useNodes(engine);

  async function open(settings: Record<string, string>): Promise<[DealerApi, TestNode]> {
    const node = await nodes.inProcess(settings);
    return [new DealerApi(node.dealerUrl), node];
  }

  async function expectNoKnownLogin(api: DealerApi): Promise<void> {
    const known: [string, Role][] = [
      ['admin', 'admin'],
      ['nordbil', 'dealer'],
      ['anna', 'user'],
    ];
    for (const [username, role] of known) {
      for (const password of Object.values(PASSWORDS)) {
        await expect(api.logIn(username, role, password)).rejects.toThrow('401');
      }
    }
  }

  /** With the token of the admin. */
  async function expectNoPublicPassword(api: DealerApi, token: string): Promise<void> {
    const city = { username: 'kustbil', name: 'Kustbil', city: 'Kalmar' };
    const current_password = NO_DEMO.ADMIN_PASSWORD;
    for (const known of Object.values(PASSWORDS)) {
      const attempts = [
        ['POST /api/dealers', 'password', { ...city, password: known }],
        ['POST /api/auth/signup', 'password', { ...signUpOf('own_one'), password: known }],
        ['PATCH /api/me/admin', 'new_password', { current_password, new_password: known }],
      ] as const;
      for (const [call, field, json] of attempts) {
        const { status, body } = await api.ask(call, { token, json });
        const msg = 'Value error, this password is public';
        const fault = { type: 'value_error', loc: ['body', field], msg, ctx: { error: {} } };
        expect([call, status, body]).toEqual([call, 422, { detail: [fault] }]);
      }
    }
  }

  test('[D26, D35] without demo mode there is one admin, with the password that was given', async () => {
    const [api] = await open(NO_DEMO);
    await expectNoKnownLogin(api);
    const token = await api.logIn('admin', 'admin', NO_DEMO.ADMIN_PASSWORD);
    expect(await api.everything(token)).toMatchObject({ dealers: [], customers: [], cars: [] });
    await expectNoPublicPassword(api, token);
    const { status, body } = await api.ask('POST /api/admin/reset', { token });
    expect([status, body]).toEqual([409, { detail: 'There is no demo data to restore' }]);
  });

  test('the given password is that of the first admin only', async () => {
    const [api, node] = await open(NO_DEMO);
    const token = await api.logIn('admin', 'admin', NO_DEMO.ADMIN_PASSWORD);
    const json = { current_password: NO_DEMO.ADMIN_PASSWORD, new_password: 'my own one' };
    await api.get('PATCH /api/me/admin', { token, json });
    await node.stop();
    const [again] = await open({ ...NO_DEMO, DATA_DIR: node.dataDir });
    await again.logIn('admin', 'admin', 'my own one');
    await expect(again.logIn('admin', 'admin', NO_DEMO.ADMIN_PASSWORD)).rejects.toThrow('401');
  });

  test('[D27, D35] a store with demo data loses its known log-ins and their tokens, and nothing else', async () => {
    const [demo, node] = await open({});
    const json = { ...signUpOf('own_one'), password: 'my own' };
    const own = await demo.get('POST /api/auth/signup', { json });
    const weak = { ...signUpOf('weak_one'), password: 'customer-demo' };
    await demo.get('POST /api/auth/signup', { json: weak });
    const tokens = [await demo.logIn('admin', 'admin'), await demo.logIn('anna', 'user')];
    await node.stop();
    const [api] = await open({ ...NO_DEMO, DATA_DIR: node.dataDir });
    await expectNoKnownLogin(api);
    for (const token of tokens) {
      expect((await api.ask('GET /api/auth/me', { token })).status).toBe(401);
    }
    await api.logIn('own_one', 'user', 'my own');
    await expect(api.logIn('weak_one', 'user', 'customer-demo')).rejects.toThrow('401');
    expect((await api.ask('GET /api/me/profile', { token: String(own.access_token) })).status).toBe(
      200,
    );
    const token = await api.logIn('admin', 'admin', NO_DEMO.ADMIN_PASSWORD);
    const customers = await api.get<Body[]>('GET /api/customers', { token });
    expect(customers).toHaveLength(26);
  });

  test('[D28] public demo data has an admin with a password of its own, also in an older store', async () => {
    const shown = { DEMO_PUBLIC: 'on', ADMIN_PASSWORD: 'a long password' };
    const [demo, node] = await open({});
    const known = await demo.logIn('admin', 'admin');
    await node.stop();
    for (const dataDir of [{}, { DATA_DIR: node.dataDir }]) {
      const [api, running] = await open({ ...shown, ...dataDir });
      await expect(api.logIn('admin', 'admin')).rejects.toThrow('401');
      expect((await api.ask('GET /api/auth/me', { token: known })).status).toBe(401);
      const token = await api.logIn('admin', 'admin', shown.ADMIN_PASSWORD);
      await api.get('POST /api/admin/reset', { token });
      await expect(api.logIn('admin', 'admin')).rejects.toThrow('401');
      await api.logIn('anna', 'user');
      const page = await (await fetch(`${running.dealerUrl}/`)).text();
      const document = await (await fetch(`${running.dealerUrl}/openapi.json`)).text();
      for (const said of [page, document]) {
        expect(said).not.toContain('admin-demo');
        expect(said).toContain('dealer-demo');
      }
      await running.stop();
    }
  });

  test('[D28] without demo mode no page names a published password', async () => {
    const [, node] = await open(NO_DEMO);
    for (const path of ['/', '/docs', '/openapi.json']) {
      const said = await (await fetch(node.dealerUrl + path)).text();
      expect(said).not.toMatch(/(admin|dealer|customer)-demo/);
    }
    expect(await descriptionAt(node)).toBe(
      'Dealers, their customers and cars, owners, and the remote flags of cars.',
    );
  });

  test('[D10] profiles that were encrypted with one key are not read with another', async () => {
    const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
    const [api, node] = await open({ FIELD_KEY: key(1) });
    await api.logIn('anna', 'user');
    await node.stop();
    const other = { FIELD_KEY: key(2), DATA_DIR: node.dataDir };
    await expect(engine.start(other)).rejects.toThrow('FIELD_KEY');
    const [again] = await open({ FIELD_KEY: key(1), DATA_DIR: node.dataDir });
    const token = await again.logIn('anna', 'user');
    expect(await again.get('GET /api/me/profile', { token })).toMatchObject({
      personnummer: '20900101-0000',
    });
  });
});
