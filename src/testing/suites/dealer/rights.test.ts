import { beforeAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../rigs/engines.ts';
import { type Ask, signUpOf, useDealer } from './dealer-api.ts';

/**
 * Every operation for every caller and object. Anna's car is in Nordbil's fleet, and she is its
 * customer; so it is with Maria and Sydmotor.
 */
const ROLES = {
  anna: 'user',
  maria: 'user',
  nordbil: 'dealer',
  sydmotor: 'dealer',
  admin: 'admin',
} as const;
const CALLERS = ['anna', 'maria', 'nordbil', 'sydmotor', 'admin'] as const;
const STRANGERS = ['nobody', 'expired', 'logged out'] as const;
type Caller = (typeof CALLERS)[number] | (typeof STRANGERS)[number];

/** Statuses for the callers in that order; strangers have one status, 401 unless it is open. */
type Statuses = readonly [
  anna: number,
  maria: number,
  nordbil: number,
  sydmotor: number,
  admin: number,
];

interface Row {
  call: string;
  /** What it is about, as a reader knows it. */
  object?: string;
  ask?: Ask;
  statuses: Statuses;
  isOpen?: true;
  /** Gives no change to look for. */
  isRead?: true;
}

const ANYBODY: Statuses = [200, 200, 200, 200, 200];
const ADMIN_ONLY: Statuses = [403, 403, 403, 403, 200];
const CUSTOMERS_ONLY: Statuses = [200, 200, 403, 403, 403];

const CAR_OF_ANNA = 'DEMCAR00000000001';
const CAR_OF_MARIA = 'DEMCAR00000000003';

const newDealer = { username: 'newcomer', password: 'abc', name: 'New', city: 'Lund' };
const ownership = { email: 'erik@example.com', since: 'today' };
const adminLogin = { role: 'admin', username: 'admin', password: 'admin-demo' };
const tokenForm = new URLSearchParams({ username: 'admin', password: 'admin-demo' });

const open = (call: string, ask: Ask = {}): Row => ({
  call,
  ask,
  statuses: ANYBODY,
  isOpen: true,
});
const read = (call: string, statuses: Statuses): Row => ({ call, statuses, isRead: true });

/** The endpoint table of the contract. */
const TABLE: readonly Row[] = [
  { ...open('GET /api/dealers'), isRead: true },
  { ...open('GET /api/state'), isRead: true },
  { ...open('POST /api/token', { body: tokenForm }), isRead: true },
  { ...open('POST /api/auth/login', { json: adminLogin }), isRead: true },
  { ...open('POST /api/auth/admin-login', { json: adminLogin }), isRead: true },
  open('POST /api/auth/signup', { json: signUpOf('newcomer') }),
  open('POST /api/auth/logout'),
  { call: 'POST /api/dealers', ask: { json: newDealer }, statuses: ADMIN_ONLY },
  { call: 'DELETE /api/dealers/nordbil', object: 'a dealer', statuses: ADMIN_ONLY },
  {
    call: 'DELETE /api/dealers/nordbil?reassign_to=sydmotor',
    object: 'a dealer with an heir',
    statuses: ADMIN_ONLY,
  },
  {
    call: 'DELETE /api/dealers/nosuch',
    object: 'no dealer',
    statuses: [403, 403, 403, 403, 404],
  },
  read('GET /api/auth/me', ANYBODY),
  read('GET /api/me/admin', ADMIN_ONLY),
  {
    call: 'PATCH /api/me/admin',
    ask: { json: { current_password: 'admin-demo', username: 'chief' } },
    statuses: ADMIN_ONLY,
  },
  read('GET /api/me/profile', ANYBODY),
  { call: 'PATCH /api/me/profile', ask: { json: { phone: '1' } }, statuses: CUSTOMERS_ONLY },
  read('GET /api/cars', ANYBODY),
  ...fleetRows(),
  ...carRows('state', { json: { locked: true } }, 'PATCH', [200, 403, 200, 403, 200]),
  ...carRows('owner', { json: ownership }, 'PATCH', [403, 403, 200, 403, 200]),
  ...carRows('owner', {}, 'DELETE', [403, 403, 200, 403, 200]),
  ...carRows('', {}, 'DELETE', [403, 403, 409, 403, 409]),
  ...carRows('audit', {}, 'GET', [200, 403, 200, 403, 200]).map((row) => ({
    ...row,
    isRead: true as const,
  })),
  read('GET /api/customers', [403, 403, 200, 200, 200]),
  read('GET /api/customers/anna', [403, 403, 200, 404, 200]),
  read('GET /api/customers/maria', [403, 403, 404, 200, 200]),
  read('GET /api/customers/nosuch', [403, 403, 404, 404, 404]),
  // A dealer is no customer.
  read('GET /api/customers/nordbil', [403, 403, 404, 404, 404]),
  read('GET /api/customers/anna/audit', [200, 403, 403, 403, 200]),
  read('GET /api/customers/maria/audit', [403, 200, 403, 403, 200]),
  read('GET /api/customers/nosuch/audit', [403, 403, 403, 403, 404]),
  read('GET /api/customers/nordbil/audit', [403, 403, 403, 403, 404]),
  { call: 'POST /api/admin/reset', statuses: ADMIN_ONLY },
];

function fleetRows(): Row[] {
  const call = 'POST /api/cars/add-to-fleet';
  const row = (dealer: string, statuses: Statuses): Row => ({
    call,
    object: `the fleet of ${dealer}`,
    ask: { json: { vin: 'NEWCAR', dealer } },
    statuses,
  });
  return [
    row('nordbil', [403, 403, 200, 403, 200]),
    row('sydmotor', [403, 403, 403, 200, 200]),
    row('nosuch', [403, 403, 403, 403, 422]),
    {
      call,
      object: 'the own fleet',
      ask: { json: { vin: 'NEWCAR' } },
      statuses: [403, 403, 200, 200, 422],
    },
    {
      call,
      object: 'a car of another fleet',
      ask: { json: { vin: 'DEMCAR00000000002' } },
      statuses: [403, 403, 409, 409, 422],
    },
  ];
}

/** @param ofAnna statuses for Anna's car; for Maria's they are the other way round */
function carRows(part: string, ask: Ask, method: string, ofAnna: Statuses): Row[] {
  const [anna, maria, nordbil, sydmotor, admin] = ofAnna;
  const row = (vin: string, object: string, statuses: Statuses): Row => ({
    call: `${method} /api/cars/${vin}${part === '' ? '' : `/${part}`}`,
    object,
    ask,
    statuses,
  });
  const isForCustomers = anna === 200;
  const customer = isForCustomers ? 404 : 403;
  return [
    row(CAR_OF_ANNA, 'the car of Anna', ofAnna),
    row(CAR_OF_MARIA, 'the car of Maria', [maria, anna, sydmotor, nordbil, admin]),
    row('NOSUCHCAR', 'no car', [customer, customer, 404, 404, 404]),
  ];
}

function statusFor({ statuses, isOpen }: Row, caller: Caller): number {
  const place = (CALLERS as readonly string[]).indexOf(caller);
  return place >= 0 ? (statuses[place] ?? 0) : isOpen ? 200 : 401;
}

const CASES = TABLE.flatMap((row) =>
  [...CALLERS, ...STRANGERS].map((caller) => {
    const about = row.object === undefined ? '' : ` (${row.object})`;
    const status = statusFor(row, caller);
    return { row, caller, status, title: `${row.call}${about} by ${caller}` };
  }),
);
const QUIET = CASES.filter(({ row, status }) => row.isRead || status >= 400);
const CHANGING = CASES.filter((each) => !QUIET.includes(each));

describe.each(ENGINES)('on the $name store', ({ start }) => {
  const api = useDealer(start, { TOKEN_SECONDS: '3600' });
  let expired: string;
  let untouched: unknown;
  /** Of callers who have logged in since the last reset. */
  const tokens = new Map<Caller, string | undefined>();

  beforeAll(async () => {
    expired = await api.logIn('anna', 'user');
    await api.node.skip(3_600_000);
    untouched = await api.everything((await tokenOf('admin')) ?? '');
  });

  async function tokenOf(caller: Caller): Promise<string | undefined> {
    if (!tokens.has(caller)) tokens.set(caller, await logIn(caller));
    return tokens.get(caller);
  }

  async function logIn(caller: Caller): Promise<string | undefined> {
    if (caller === 'nobody') return undefined;
    if (caller === 'expired') return expired;
    if (caller !== 'logged out') return api.logIn(caller, ROLES[caller]);
    const token = await api.logIn('anna', 'user');
    await api.get('POST /api/auth/logout', { token });
    return token;
  }

  async function expectStatus({ row, caller, status }: (typeof CASES)[number]): Promise<void> {
    const answer = await api.ask(row.call, { ...row.ask, token: await tokenOf(caller) });
    expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
    if (answer.status >= 400) expect(Object.keys(answer.body)).toEqual(['detail']);
    if (answer.status === 401) {
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
      const detail = caller === 'nobody' ? 'Not authenticated' : 'Could not validate credentials';
      expect(answer.body.detail).toBe(detail);
    }
    if (!row.isOpen) expect(answer.headers.get('Cache-Control')).toBe('no-store');
  }

  test('[D1] the table has all of the twenty-five operations', () => {
    const operations = TABLE.map(({ call }) =>
      call
        .replace(/\?.*/, '')
        .replace(/(dealers|customers)\/\w+/, '$1/{username}')
        .replace(/cars\/[A-Z0-9]+/, 'cars/{vin}'),
    );
    expect(new Set(operations).size).toBe(25);
    expect(CASES.length).toBeGreaterThan(280);
  });

  test.each(QUIET)('$status: $title', expectStatus);

  test('[D2] refused requests changed nothing', async () => {
    expect(await api.everything((await tokenOf('admin')) ?? '')).toEqual(untouched);
  });

  describe('[D1] what is allowed', () => {
    test.each(CHANGING)('$status: $title', async (each) => {
      await expectStatus(each);
      let token = (await tokenOf('admin')) ?? '';
      const reset = await api.ask('POST /api/admin/reset', { token });
      // The case itself may have ended the admin's token.
      if (reset.status === 401) {
        token = await api.logIn('admin', 'admin');
        await api.get('POST /api/admin/reset', { token });
      }
      // A reset ends all tokens but its own.
      tokens.clear();
      tokens.set('admin', token);
    });
  });
});
