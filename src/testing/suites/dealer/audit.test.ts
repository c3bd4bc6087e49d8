import { beforeAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import { type Answer, signUpOf, useDealer } from './dealer-api.ts';

interface Entry {
  at: string;
  actor: string;
  action: string;
  fields: string[];
}

const told = ({ body }: Answer): string[] =>
  (body as unknown as Entry[]).map(
    ({ actor, action, fields }) => `${actor} ${action} ${fields.join()}`,
  );

describe.each(ENGINES)('[D38] the audit trail on the $name store', ({ start }) => {
  const api = useDealer(start);
  let admin: string;
  let nordbil: string;
  let anna: string;
  beforeAll(async () => {
    admin = await api.logIn('admin', 'admin');
    nordbil = await api.logIn('nordbil', 'dealer');
    anna = await api.logIn('anna', 'user');
  });

  const trailOf = async (path: string, token = admin) =>
    told(await api.ask(`GET /api/${path}/audit`, { token }));

  test('of a car tells who put it where, whose it is and who switched it', async () => {
    const vin = 'AUDITED';
    const patch = (part: string, token: string, json: unknown) =>
      api.get(`PATCH /api/cars/${vin}/${part}`, { token, json });
    await api.get('POST /api/cars/add-to-fleet', { token: nordbil, json: { vin } });
    await patch('owner', nordbil, { email: 'anna@example.com', since: '2026' });
    await patch('state', anna, { locked: true, climate: true, charging: false });
    // It changes nothing.
    await patch('state', anna, { locked: true });
    await api.get(`DELETE /api/cars/${vin}/owner`, { token: admin });
    const expected = [
      'admin clear_owner owner',
      'anna set_state locked,climate',
      'nordbil set_owner owner',
      'nordbil add_to_fleet dealer',
    ];
    expect(await trailOf(`cars/${vin}`, nordbil)).toEqual(expected);
    await patch('owner', nordbil, { email: 'erik@example.com', since: '2026' });
    const erik = await api.logIn('erik', 'user');
    // What Anna did with it is not for him.
    expect(await trailOf(`cars/${vin}`, erik)).toEqual(['nordbil set_owner owner']);
    await api.get(`DELETE /api/cars/${vin}/owner`, { token: nordbil });
    // She no longer has any right to it.
    const refused = await api.ask(`GET /api/cars/${vin}/audit`, { token: anna });
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'Only admins, the dealer of the fleet and the owner may see who changed the car' },
    ]);
  });

  test('of a car that was removed and is added again shows nothing of the former one', async () => {
    const vin = 'REMOVED';
    const add = () => api.get('POST /api/cars/add-to-fleet', { token: nordbil, json: { vin } });
    const lock = (json: object) =>
      api.get(`PATCH /api/cars/${vin}/state`, { token: nordbil, json });
    await add();
    await lock({ locked: true });
    expect(await trailOf(`cars/${vin}`, nordbil)).toEqual([
      'nordbil set_state locked',
      'nordbil add_to_fleet dealer',
    ]);
    await api.get(`DELETE /api/cars/${vin}`, { token: nordbil });
    await add();
    // As many changes as the former one had.
    await lock({ climate: true });
    const entries = ['nordbil set_state climate', 'nordbil add_to_fleet dealer'];
    expect(await trailOf(`cars/${vin}`, nordbil)).toEqual(entries);
    expect(await trailOf(`cars/${vin}`)).toEqual(entries);
  });

  test('of a customer tells which fields changed, also secret ones, and no value', async () => {
    const json = { ...signUpOf('audited'), phone: '1' };
    const { access_token } = await api.get('POST /api/auth/signup', { json });
    const token = String(access_token);
    const change = (changed: object) => api.get('PATCH /api/me/profile', { token, json: changed });
    await change({ iban: 'SE45 5000 0000 0583 9825 7466', phone: null });
    await change({ iban: 'SE45 5000 0000 0583 9825 7466' });
    await change({ iban: null, home_lat: 59.33 });
    const answer = await api.ask('GET /api/customers/audited/audit', { token });
    expect(told(answer)).toEqual([
      'audited change_profile home_lat,iban',
      'audited change_profile phone,iban',
      'audited sign_up name,email,phone,address,dealer',
    ]);
    expect(answer.text).not.toMatch(/5000|59\.33/);
    const foreign = await Promise.all(
      [anna, nordbil].map((each) => api.ask('GET /api/customers/audited/audit', { token: each })),
    );
    const detail = 'Only admins and the customer may see who changed the customer';
    for (const { status, body } of foreign) expect([status, body]).toEqual([403, { detail }]);
    const times = (answer.body as unknown as Entry[]).map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('has the dealer who was deleted, for each car and customer of it', async () => {
    await api.get('DELETE /api/dealers/sydmotor?reassign_to=nordbil', { token: admin });
    expect((await trailOf('cars/DEMCAR00000000003', nordbil))[0]).toBe(
      'admin delete_dealer dealer',
    );
    expect((await trailOf('customers/maria'))[0]).toBe('admin delete_dealer dealer');
  });

  test('begins anew with a reset', async () => {
    await api.get('POST /api/admin/reset', { token: admin });
    expect(await trailOf('cars/DEMCAR00000000003')).toEqual([]);
    expect(await trailOf('customers/maria')).toEqual([]);
  });
});
