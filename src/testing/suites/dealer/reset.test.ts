import { beforeAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import { Api } from '../twin/api.ts';
import { type Body, useDealer } from './dealer-api.ts';

const ROUNDS = 20;
const READERS = 10;

describe.each(ENGINES)('on the $name store', ({ start }) => {
  const api = useDealer(start);
  let admin: string;
  beforeAll(async () => {
    admin = await api.logIn('admin', 'admin');
  });

  const reset = () => api.get('POST /api/admin/reset', { token: admin });

  test('[D19] a reset brings everything back, times included, and ends all tokens but its own', async () => {
    const seeded = await api.everything(admin);
    const tokens = await Promise.all([
      api.logIn('admin', 'admin'),
      api.logIn('nordbil', 'dealer'),
      api.logIn('anna', 'user'),
    ]);
    const world = await new Api(api.node.twinUrl).makeWorld();
    const change = { current_password: 'admin-demo', username: 'chief', new_password: 'else' };
    await api.get('PATCH /api/me/admin', { token: admin, json: change });
    await api.get('DELETE /api/dealers/nordbil', { token: admin });
    await api.get('POST /api/cars/add-to-fleet', {
      token: admin,
      json: { vin: 'NEW', dealer: 'sydmotor' },
    });
    expect(await reset()).toEqual({ ok: true, dealers: 4, customers: 24, cars: 40 });
    expect(await api.everything(admin)).toEqual(seeded);
    expect(await api.get('GET /api/me/admin', { token: admin })).toEqual({
      username: 'admin',
      role: 'admin',
      created_at: '2026-01-05T08:00:00.000Z',
      updated_at: '2026-01-05T08:00:00.000Z',
    });
    for (const token of tokens) {
      expect((await api.ask('GET /api/auth/me', { token })).status).toBe(401);
    }
    expect((await new Api(api.node.twinUrl).ask(`/api/v1/worlds/${world.id}`)).status).toBe(200);
    await api.logIn('admin', 'admin');
  });

  test('[D20] readers see what was before or what is after, never half of each', async () => {
    const before: string[] = [];
    const seen = new Set<string>();
    const look = async (calls: readonly string[]) => {
      const all = await Promise.all(calls.map((call) => api.ask(call, { token: admin })));
      for (const { status } of all) expect(status).toBe(200);
      return all.map(({ text }) => text);
    };
    const CALLS = ['GET /api/dealers', 'GET /api/cars', 'GET /api/customers'];
    await reset();
    const seeded = await look(CALLS);
    for (let round = 0; round < ROUNDS; round++) {
      await api.get('DELETE /api/dealers/nordbil?reassign_to=sydmotor', { token: admin });
      before.push(...(await look(CALLS)));
      const readers = Array.from({ length: READERS }, () => look(CALLS));
      const resetting = reset();
      const during = await Promise.all([...readers, look(CALLS), look(CALLS)]);
      await resetting;
      for (const text of during.flat()) seen.add(text);
      expect(await look(CALLS)).toEqual(seeded);
    }
    const allowed = new Set([...before, ...seeded]);
    expect([...seen].filter((text) => !allowed.has(text))).toEqual([]);
  });

  test('of several resets at once one is done, or one after the other', async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, () => api.ask('POST /api/admin/reset', { token: admin })),
    );
    const statuses = all.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses).toContain(409);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    const cars = await api.get<Body[]>('GET /api/cars', { token: admin });
    expect(cars).toHaveLength(40);
  });

  test('[D20] changes during a reset are there as a whole or not at all', async () => {
    const resetting = Array.from({ length: 3 }, () =>
      api.ask('POST /api/admin/reset', { token: admin }),
    );
    const owners = ['erik', 'maria', 'lars', 'sara'];
    const changing = owners.map((name) =>
      api.ask('PATCH /api/cars/DEMCAR00000000001/owner', {
        token: admin,
        json: { email: `${name}@example.com`, since: 'now' },
      }),
    );
    for (const asked of [resetting, changing]) {
      expect((await Promise.all(asked)).map(({ status }) => status)).toContain(200);
    }
    const cars = await api.get<Body[]>('GET /api/cars', { token: admin });
    const customers = await api.get<Body[]>('GET /api/customers', { token: admin });
    const byOwner = Object.groupBy(
      cars.filter(({ owner }) => owner !== null),
      ({ owner }) => String((owner as Body).username),
    );
    for (const { username, cars: owned } of customers) {
      const vins = (byOwner[String(username)] ?? []).map(({ vin }) => vin);
      expect([username, owned]).toEqual([username, vins]);
    }
  });
});
