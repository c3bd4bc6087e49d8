import createClient from 'openapi-fetch';
import type { components, paths } from './dealer.ts';

type Car = components['schemas']['Car'];
type Customer = components['schemas']['Customer'];
type Profile = components['schemas']['Profile'];
type Fault = components['schemas']['ValidationErrors']['detail'][number];

/** What a customer meets from sign-up on. */
interface Journey {
  dealer: string;
  signedUp: Customer;
  expiresInS: number;
  faults: Fault[];
  profile: Profile;
  car: Car;
}

const EMAIL = 'generated@x.test';
const VIN = 'GENERATED';
const CUSTOMER = { username: 'generated', password: 'clients' };

/** Signs up with a dealer, logs in, completes the profile and locks the car that the dealer gives. */
async function journey(baseUrl: string): Promise<Journey> {
  const api = createClient<paths>({ baseUrl });
  const [dealer] = dataOf(await api.GET('/api/dealers'));
  if (dealer === undefined) throw new Error('no dealers');
  const { profile: signedUp } = dataOf(
    await api.POST('/api/auth/signup', {
      body: {
        ...CUSTOMER,
        name: 'G',
        email: EMAIL,
        dealer: dealer.username,
        phone: null,
        address: '',
      },
    }),
  );

  const token = dataOf(
    await api.POST('/api/auth/login', { body: { ...CUSTOMER, role: 'customer' } }),
  );
  const customer = createClient<paths>({ baseUrl, headers: bearer(token) });
  const refused = await customer.PATCH('/api/me/profile', { body: { email: 'nobody' } });
  const changed = await customer.PATCH('/api/me/profile', {
    body: { phone: '+46 70 1', home_lat: 59.33, emergency_contact: null },
  });

  await giveCar(baseUrl, dealer.username);
  const car = dataOf(
    await customer.PATCH('/api/cars/{vin}/state', {
      params: { path: { vin: VIN } },
      body: { locked: true },
    }),
  );
  const faults = refused.response.status === 422 ? faultsOf(refused.error) : [];
  return {
    dealer: dealer.username,
    signedUp,
    expiresInS: token.expires_in,
    faults,
    profile: dataOf(changed),
    car,
  };
}

async function giveCar(baseUrl: string, dealer: string): Promise<void> {
  const anyone = createClient<paths>({ baseUrl });
  const token = dataOf(
    await anyone.POST('/api/token', {
      body: { username: dealer, password: 'dealer-demo', scope: '' },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  );
  const api = createClient<paths>({ baseUrl, headers: bearer(token) });
  dataOf(await api.POST('/api/cars/add-to-fleet', { body: { vin: VIN } }));
  dataOf(
    await api.PATCH('/api/cars/{vin}/owner', {
      params: { path: { vin: VIN } },
      body: { email: EMAIL, since: '2026-03-02' },
    }),
  );
}

function bearer({ access_token }: components['schemas']['Token']) {
  return { Authorization: `Bearer ${access_token}` };
}

function faultsOf(refusal: object | undefined): Fault[] {
  return refusal && 'detail' in refusal && Array.isArray(refusal.detail) ? refusal.detail : [];
}

/** What an answer holds. Throws what it holds where it is a refusal. */
function dataOf<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

console.log(JSON.stringify(await journey(process.argv[2] ?? '')));
