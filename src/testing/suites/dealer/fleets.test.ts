import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import { until } from '../../rigs/until.ts';
import { Api, vinOf } from '../twin/api.ts';
import { type Ask, type Body, DealerApi, signUpOf, useDealer } from './dealer-api.ts';

const CAR = 'DEMCAR00000000001';
/** More than the idle time of worlds. */
const IDLE_MS = 70_000;

describe.each(ENGINES)('on the $name store', ({ start }) => {
  const api = useDealer(start, {
    WORLD_IDLE_SECONDS: '60',
    FLEET_CARS_MAX: '20',
    DEALER_CUSTOMERS_MAX: '20',
    CUSTOMERS_MAX: '40',
  });
  let admin: string;
  beforeAll(async () => {
    admin = await api.logIn('admin', 'admin');
  });
  beforeEach(() => api.get('POST /api/admin/reset', { token: admin }));

  const carOf = async (vin: string, token = admin) => {
    const all = await api.get<Body[]>('GET /api/cars', { token });
    return all.find((car) => car.vin === vin);
  };
  const setOwner = (vin: string, email: string, ask: Ask = { token: admin }) =>
    api.ask(`PATCH /api/cars/${vin}/owner`, { ...ask, json: { email, since: '2026' } });
  const lock = (vin: string, token: string) =>
    api.ask(`PATCH /api/cars/${vin}/state`, { token, json: { locked: true } });
  const carsOf = async (username: string) =>
    (await api.get(`GET /api/customers/${username}`, { token: admin })).cars;

  describe('a car', () => {
    test('[D12] that nobody knew is made, in a fleet and with nothing else', async () => {
      const token = await api.logIn('nordbil', 'dealer');
      const json = { vin: 'my own/car ü' };
      expect(await api.get('POST /api/cars/add-to-fleet', { token, json })).toEqual({
        vin: 'my own/car ü',
        model: null,
        plate: null,
        colour: null,
        dealer: 'nordbil',
        owner: null,
        locked: false,
        climate: false,
        charging: false,
        world: null,
        viewer_url: null,
        updated_at: expect.stringMatching(/^20.*Z$/),
      });
      const path = `/api/cars/${encodeURIComponent('my own/car ü')}/state`;
      const state = await api.get(`PATCH ${path}`, { token, json: { climate: true } });
      expect(state).toMatchObject({ locked: false, climate: true, charging: false });
      // A second time changes nothing but the time.
      expect(await api.get('POST /api/cars/add-to-fleet', { token, json })).toMatchObject({
        dealer: 'nordbil',
        climate: true,
      });
    });

    test('[D12] is in one fleet, and free for another once its dealer is gone', async () => {
      const token = await api.logIn('sydmotor', 'dealer');
      const add = () => api.ask('POST /api/cars/add-to-fleet', { token, json: { vin: CAR } });
      expect((await add()).status).toBe(409);
      await api.get('DELETE /api/dealers/nordbil', { token: admin });
      expect(await carOf(CAR)).toMatchObject({ dealer: null, owner: { username: 'anna' } });
      // A dealer that claims it would see the owner's email and unlock it.
      const refused = await add();
      expect([refused.status, refused.body]).toEqual([403, { detail: 'Not enough permissions' }]);
      await api.get(`DELETE /api/cars/${CAR}/owner`, { token: admin });
      expect((await add()).body).toMatchObject({ vin: CAR, dealer: 'sydmotor', owner: null });
    });

    test('[D12] with an owner comes into a fleet by an admin', async () => {
      await api.get('DELETE /api/dealers/nordbil', { token: admin });
      const json = { vin: CAR, dealer: 'sydmotor' };
      const car = await api.get('POST /api/cars/add-to-fleet', { token: admin, json });
      expect(car).toMatchObject({ dealer: 'sydmotor', owner: { username: 'anna' } });
    });

    test('[R28] takes two hundred changes at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          api.ask(`PATCH /api/cars/${CAR}/state`, {
            token: admin,
            json: { charging: i % 2 === 0 },
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    });

    test('[D29] has a VIN without surrounding blanks', async () => {
      const add = (vin: string) =>
        api.ask('POST /api/cars/add-to-fleet', { token: admin, json: { vin, dealer: 'nordbil' } });
      expect((await add(` ${CAR}\t`)).body).toMatchObject({ vin: CAR, model: expect.any(String) });
      expect((await api.get<Body[]>('GET /api/cars', { token: admin })).length).toBe(40);
      expect((await lock(`%20${CAR}%20`, admin)).body).toMatchObject({ vin: CAR, locked: true });
      const blank = await add(' ');
      expect(blank.status).toBe(422);
      expect(blank.body).toMatchObject({
        detail: [{ type: 'string_too_short', loc: ['body', 'vin'] }],
      });
    });

    test('[D13] keeps flags that are absent or null, for its owner as for others', async () => {
      const token = await api.logIn('anna', 'user');
      const patch = (json: Body) => api.get(`PATCH /api/cars/${CAR}/state`, { token, json });
      const before = { locked: false, climate: true, charging: false };
      expect(await carOf(CAR)).toMatchObject(before);
      expect(await patch({ locked: 'on', climate: null })).toMatchObject({
        ...before,
        locked: true,
      });
      expect(await patch({})).toMatchObject({ ...before, locked: true });
    });

    test('[D14] shows owner and flags to its owner, its dealer and admins, and to nobody else', async () => {
      const whole = await carOf(CAR);
      expect(whole).toMatchObject({
        owner: { email: 'anna@example.com', since: '2026-02-01', username: 'anna' },
      });
      expect(await carOf(CAR, await api.logIn('anna', 'user'))).toEqual(whole);
      expect(await carOf(CAR, await api.logIn('nordbil', 'dealer'))).toEqual(whole);
      const hidden = { ...whole, owner: null, locked: null, climate: null, charging: null };
      expect(await carOf(CAR, await api.logIn('erik', 'user'))).toEqual(hidden);
      expect(await carOf(CAR, await api.logIn('sydmotor', 'dealer'))).toEqual(hidden);
    });

    test('stands among all others by VIN, forty of them', async () => {
      const all = await api.get<Body[]>('GET /api/cars', { token: admin });
      const vins = all.map(({ vin }) => vin);
      expect(vins).toHaveLength(40);
      expect(vins).toEqual(vins.toSorted());
    });
  });

  describe('an owner', () => {
    test('[D15] is whoever has the email when it is set, in any case', async () => {
      const set = await setOwner(CAR, 'ERIK@example.com');
      expect(set.body).toMatchObject({
        owner: { email: 'ERIK@example.com', since: '2026', username: 'erik' },
      });
      expect(await carsOf('erik')).toEqual([CAR, 'DEMCAR00000000002']);
      expect(await carsOf('anna')).toEqual([]);
      const [anna, erik] = [await api.logIn('anna', 'user'), await api.logIn('erik', 'user')];
      expect((await lock(CAR, anna)).status).toBe(403);
      expect((await lock(CAR, erik)).status).toBe(200);
    });

    test('[D15] keeps the car with another email, and nobody gets it by taking the old one', async () => {
      const [anna, erik] = [await api.logIn('anna', 'user'), await api.logIn('erik', 'user')];
      const email = (token: string, given: string) =>
        api.ask('PATCH /api/me/profile', { token, json: { email: given } });
      expect((await email(anna, 'anna@new.test')).status).toBe(200);
      expect((await email(erik, 'anna@example.com')).status).toBe(409);
      const thief = { ...signUpOf('thief'), email: 'Anna@Example.com' };
      expect((await api.ask('POST /api/auth/signup', { json: thief })).status).toBe(409);
      expect((await lock(CAR, anna)).status).toBe(200);
      expect((await lock(CAR, erik)).status).toBe(403);
      // Anna herself may go back to it; and it is free once it stands on no car of hers.
      expect((await email(anna, 'anna@example.com')).status).toBe(200);
      expect((await email(anna, 'anna@new.test')).status).toBe(200);
      await api.get(`DELETE /api/cars/${CAR}/owner`, { token: admin });
      expect((await email(erik, 'anna@example.com')).status).toBe(200);
      expect((await lock(CAR, erik)).status).toBe(403);
    });

    test('[D15] with an email of nobody gives rights to nobody, also not to who signs up later', async () => {
      const set = await setOwner(CAR, 'later@x.test');
      expect(set.body).toMatchObject({
        owner: { email: 'later@x.test', since: '2026', username: null },
      });
      const { access_token } = await api.get('POST /api/auth/signup', { json: signUpOf('later') });
      expect((await lock(CAR, String(access_token))).status).toBe(403);
      expect(await carsOf('later')).toEqual([]);
      await setOwner(CAR, 'later@x.test');
      expect((await lock(CAR, String(access_token))).status).toBe(200);
      expect(await carsOf('later')).toEqual([CAR]);
    });

    test('may be set again and cleared twice', async () => {
      for (let i = 0; i < 2; i++) await setOwner(CAR, 'anna@example.com');
      expect(await carsOf('anna')).toEqual([CAR]);
      for (let i = 0; i < 2; i++) {
        const cleared = await api.get(`DELETE /api/cars/${CAR}/owner`, { token: admin });
        expect(cleared.owner).toBeNull();
      }
      expect(await carsOf('anna')).toEqual([]);
    });

    test('is one of those that were set at the same time', async () => {
      const names = ['erik', 'maria', 'lars', 'sara', 'johan', 'emma'];
      await Promise.all(names.map((name) => setOwner(CAR, `${name}@example.com`)));
      const owner = (await carOf(CAR))?.owner as Body;
      for (const name of [...names, 'anna']) {
        expect([name, (await carsOf(name)) as string[]]).toEqual([
          name,
          name === owner.username
            ? expect.arrayContaining([CAR])
            : expect.not.arrayContaining([CAR]),
        ]);
      }
    });
  });

  describe('a dealer that is deleted', () => {
    test('[D16] leaves its cars and customers to nobody', async () => {
      expect(await api.get('DELETE /api/dealers/nordbil', { token: admin })).toEqual({
        deleted: 'nordbil',
        reassigned_to: null,
        cars: 10,
        customers: 6,
      });
      const dealers = await api.get<Body[]>('GET /api/dealers');
      expect(dealers.map(({ username }) => username)).toEqual([
        'fjallbilar',
        'sydmotor',
        'vastauto',
      ]);
      expect((await api.get('GET /api/customers/anna', { token: admin })).dealer).toBeNull();
      expect(await api.get('GET /api/state')).toMatchObject({
        dealers: 3,
        customers: 24,
        cars: { total: 40, in_fleet: 30, owned: 24 },
      });
    });

    test('[D16] leaves them to another', async () => {
      const call = 'DELETE /api/dealers/nordbil?reassign_to=sydmotor';
      expect(await api.get(call, { token: admin })).toEqual({
        deleted: 'nordbil',
        reassigned_to: 'sydmotor',
        cars: 10,
        customers: 6,
      });
      expect(await carOf(CAR)).toMatchObject({ dealer: 'sydmotor' });
      const { fleets } = await api.get('GET /api/state');
      expect(fleets).toEqual([
        { dealer: 'fjallbilar', cars: 10, customers: 6 },
        { dealer: 'sydmotor', cars: 20, customers: 12 },
        { dealer: 'vastauto', cars: 10, customers: 6 },
      ]);
    });

    test('while customers join it leaves none of them behind', async () => {
      const joining = Array.from({ length: 12 }, async (_, i) => {
        const json = signUpOf(`joiner${i}`);
        return (await api.ask('POST /api/auth/signup', { json })).status;
      });
      const gone = api.get('DELETE /api/dealers/nordbil?reassign_to=sydmotor', { token: admin });
      const statuses = await Promise.all(joining);
      await gone;
      const all = await api.get<Body[]>('GET /api/customers', { token: admin });
      const joined = all.filter(({ username }) => String(username).startsWith('joiner'));
      expect(joined).toHaveLength(statuses.filter((status) => status === 200).length);
      expect(new Set(statuses.filter((status) => status !== 200))).toEqual(
        statuses.some((status) => status !== 200) ? new Set([422]) : new Set(),
      );
      expect(all.filter(({ dealer }) => dealer === 'nordbil')).toEqual([]);
    });
  });

  describe('a fleet', () => {
    const add = (vin: string, ask: Ask) =>
      api.ask('POST /api/cars/add-to-fleet', { ...ask, json: { vin, ...(ask.json as Body) } });

    test('[D31] has a number of cars that many additions at once cannot exceed', async () => {
      const token = await api.logIn('nordbil', 'dealer');
      const adding = Array.from({ length: 16 }, (_, i) => add(`NEW${i}`, { token }));
      const answers = await Promise.all(adding);
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(10).fill(200), ...Array(6).fill(409)]);
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body).toEqual({ detail: 'The fleet is full' });
      // What is in it already takes no place, and other fleets have theirs.
      expect((await add(CAR, { token })).status).toBe(200);
      const other = await add('NEW99', { token: admin, json: { dealer: 'sydmotor' } });
      expect(other.status).toBe(200);
    });

    test('[D31] counts the cars that an heir got, and has places again after a reset', async () => {
      await api.get('DELETE /api/dealers/nordbil?reassign_to=sydmotor', { token: admin });
      const token = await api.logIn('sydmotor', 'dealer');
      expect((await add('NEW1', { token })).status).toBe(409);
      await api.get('POST /api/admin/reset', { token: admin });
      const again = await api.logIn('sydmotor', 'dealer');
      expect((await add('NEW1', { token: again })).status).toBe(200);
    });
  });

  test('[D31] a dealer and the platform have a number of customers', async () => {
    const signUp = (name: string, dealer: string) =>
      api.ask('POST /api/auth/signup', { json: { ...signUpOf(name), dealer } });
    const many = (name: string, count: number, dealer: string) =>
      Promise.all(Array.from({ length: count }, (_, i) => signUp(`${name}${i}`, dealer)));
    const ofNordbil = await many('guest', 15, 'nordbil');
    const refused = ofNordbil.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body])).toEqual([
      [409, { detail: 'The dealer takes no more customers' }],
    ]);
    const token = await api.logIn('maria', 'user');
    const moved = await api.ask('PATCH /api/me/profile', { token, json: { dealer: 'nordbil' } });
    expect(moved.status).toBe(409);
    expect((await many('other', 2, 'sydmotor')).map(({ status }) => status)).toEqual([200, 200]);
    expect((await signUp('last', 'sydmotor')).body).toEqual({
      detail: 'The platform takes no more customers',
    });
  });

  describe('a list', () => {
    const LISTS = [
      ['/api/dealers', 'username'],
      ['/api/cars', 'vin'],
      ['/api/customers', 'username'],
    ] as const;

    test.each(LISTS)('[D32] GET %s has pages', async (path, name) => {
      const get = (query: string) => api.get<Body[]>(`GET ${path}${query}`, { token: admin });
      const all = await get('');
      const pages: Body[] = [];
      for (;;) {
        const after = pages.length === 0 ? '' : `&after=${pages.at(-1)?.[name]}`;
        const page = await get(`?limit=3${after}`);
        pages.push(...page);
        if (page.length < 3) break;
      }
      expect(all.length).toBeGreaterThan(3);
      expect(pages).toEqual(all);
      const [first] = all;
      expect(await get(`?after=${first?.[name]}`)).toEqual(all.slice(1));
      // What begins a page need not exist.
      expect(await get(`?after=${first?.[name]}0`)).toEqual(all.slice(1));
      expect(await get('?after=~&limit=1000')).toEqual([]);
    });

    test.each(LISTS)('[D33] GET %s is 304 until the caller would see a change', async (path) => {
      // Each node has tags of its own.
      const one = new DealerApi(api.node.nodes[0]?.dealerUrl ?? '');
      const ask = (token: string, etag = '') =>
        one.ask(`GET ${path}`, { token, headers: { 'If-None-Match': etag } });
      const etag = String((await ask(admin)).headers.get('etag'));
      const same = await ask(admin, etag);
      expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
      if (path !== '/api/dealers') {
        const other = await ask(await api.logIn('nordbil', 'dealer'), etag);
        expect(other.status).toBe(200);
      }
      await api.get('DELETE /api/dealers/fjallbilar', { token: admin });
      const changed = await ask(admin, etag);
      expect(changed.status).toBe(200);
      expect(changed.text).not.toContain('"fjallbilar"');
      expect(changed.headers.get('etag')).not.toBe(etag);
    });
  });

  describe('a car of a world', () => {
    test('[D17] brings its looks and says where it drives, as long as the world lives', async () => {
      const world = await new Api(api.node.twinUrl).makeWorld();
      const vin = vinOf(world, 3);
      const { model, plate, colour } = world.fleet[3] ?? {};
      const token = await api.logIn('nordbil', 'dealer');
      const json = { vin: vin.toLowerCase() };
      const added = await api.get('POST /api/cars/add-to-fleet', { token, json });
      expect(added).toMatchObject({
        vin,
        model,
        plate,
        colour,
        world: world.id,
        viewer_url: world.viewer_url,
      });
      const call = `PATCH /api/cars/${vin.toLowerCase()}/state`;
      const locked = await api.get(call, { token, json: { locked: true } });
      expect(locked).toMatchObject({ vin, locked: true, world: world.id });
      await api.node.skip(IDLE_MS);
      await until('the end of the world', async () => (await carOf(vin))?.world === null);
      expect(await carOf(vin)).toMatchObject({ vin, model, plate, viewer_url: null });
    });

    test('that does not live is a car like any other', async () => {
      const token = await api.logIn('nordbil', 'dealer');
      const json = { vin: 'DTW0000000TN00000' };
      const added = await api.get('POST /api/cars/add-to-fleet', { token, json });
      expect(added).toMatchObject({ vin: json.vin, model: null, world: null });
    });
  });

  test('[D18] the state of the platform has the living worlds of its twin', async () => {
    const count = async () => (await api.get('GET /api/state')).worlds as number;
    const untilCounted = (worlds: number) =>
      until(`${worlds} worlds`, async () => (await count()) === worlds);
    await api.node.skip(IDLE_MS);
    await untilCounted(0);
    for (let i = 0; i < 3; i++) await new Api(api.node.twinUrl).makeWorld();
    await untilCounted(3);
    await api.node.skip(IDLE_MS);
    await untilCounted(0);
  });

  test('[D18] the state of the platform is counted, and says what it runs on', async () => {
    expect(await api.get('GET /api/state')).toEqual({
      status: 'ok',
      version: '2.0.0',
      started_at: expect.stringMatching(/^20.*Z$/),
      uptime_s: expect.any(Number),
      store: expect.stringMatching(/^(embedded|redis)$/),
      dealers: 4,
      customers: 24,
      cars: { total: 40, in_fleet: 40, owned: 24, locked: 26, climate: 8, charging: 10 },
      fleets: ['fjallbilar', 'nordbil', 'sydmotor', 'vastauto'].map((dealer) => ({
        dealer,
        cars: 10,
        customers: 6,
      })),
      worlds: expect.any(Number),
      nodes: api.node.nodes.length,
    });
  });
});
