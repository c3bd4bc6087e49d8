import { describe, expect, test } from 'vitest';
import { useDealer } from './dealer-api.ts';

const api = useDealer();

test.each([
  '/assets',
  '/api',
  '/api/nosuch',
  '/api/cars/x/nosuch',
  '/API/DEALERS',
  '//api/dealers',
  '/nosuch/',
])('[H5] there is nothing at %s', async (path) => {
  const { status, body } = await api.ask(`GET ${path}`);
  expect([status, body]).toEqual([404, { detail: 'Not Found' }]);
});

test.each([
  ['PUT /api/dealers', 'GET, HEAD, POST, OPTIONS'],
  ['GET /api/token', 'POST, OPTIONS'],
  ['POST /api/cars/x/owner', 'PATCH, DELETE, OPTIONS'],
  ['GET /api/cars/x', 'DELETE, OPTIONS'],
])('[H6] %s is not among the methods', async (call, allow) => {
  const { status, body, headers } = await api.ask(call);
  expect([status, body]).toEqual([405, { detail: 'Method Not Allowed' }]);
  expect(headers.get('Allow')).toBe(allow);
});

describe('a slash too many', () => {
  test.each([
    ['GET /api/dealers/', '/api/dealers'],
    ['GET /api/customers/?include_password=1', '/api/customers?include_password=1'],
    ['POST /api/auth/login/', '/api/auth/login'],
    ['PATCH /api/cars/a%20b/state/', '/api/cars/a%20b/state'],
  ])('[H9] of %s leads to %s', async (call, location) => {
    const { status, headers } = await api.ask(call);
    expect([status, headers.get('Location')]).toEqual([307, location]);
  });
});

test('a body of more than 64 KiB is refused', async () => {
  const json = { role: 'a', username: 'b', password: 'c'.repeat(65_536) };
  const { status, body } = await api.ask('POST /api/auth/login', { json });
  expect([status, Object.keys(body)]).toEqual([413, ['detail']]);
});

test('[H7] a body in any coding is refused', async () => {
  const headers = { 'Content-Encoding': 'gzip' };
  const { status, body } = await api.ask('POST /api/auth/login', { body: '{}', headers });
  expect([status, Object.keys(body)]).toEqual([415, ['detail']]);
});

test.each(['request-1', 'a.b:c_d'])('[H3] the request id %s comes back', async (id) => {
  const { headers } = await api.ask('GET /api/dealers', { headers: { 'X-Request-Id': id } });
  expect(headers.get('X-Request-Id')).toBe(id);
});

test.each(['', 'with blanks in it', 'x'.repeat(129), '"quoted"'])(
  '[H3] the request id "%s" is replaced by one of ours',
  async (id) => {
    const { headers } = await api.ask('GET /api/dealers', { headers: { 'X-Request-Id': id } });
    expect(headers.get('X-Request-Id')).toMatch(/^[\w-]{8,}$/);
  },
);

test('[H4] scripts of any origin may ask, and read what limits say', async () => {
  const headers = { Origin: 'https://example.org', 'Access-Control-Request-Method': 'PATCH' };
  const preflight = await api.ask('OPTIONS /api/me/profile', { headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, PATCH, OPTIONS');
  expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
  const { headers: given } = await api.ask('GET /api/dealers', { headers });
  expect(given.get('Access-Control-Expose-Headers')).toContain('RateLimit');
});

test('[D30] a long body is parsed only for a caller who may make the call', async () => {
  const anna = await api.logIn('anna', 'user');
  const nordbil = await api.logIn('nordbil', 'dealer');
  const headers = { 'Content-Type': 'application/json' };
  const status = async (body: string, token?: string) =>
    (await api.ask('PATCH /api/cars/NOSUCH/owner', { body, headers, token })).status;
  const [long, longer] = ['{'.padEnd(16_384), '{'.padEnd(16_385)];
  expect(await status(long)).toBe(422);
  expect(await status(longer)).toBe(401);
  expect(await status(longer, anna)).toBe(403);
  expect(await status(longer, nordbil)).toBe(422);
});

test('[D25] what is looked at first: syntax, token, role, fields, record, right', async () => {
  const anna = await api.logIn('anna', 'user');
  const nordbil = await api.logIn('nordbil', 'dealer');
  const headers = { 'Content-Type': 'application/json' };
  const call = 'PATCH /api/cars/NOSUCH/owner';
  const status = async (body: string, token?: string) =>
    (await api.ask(call, { body, headers, token })).status;
  expect(await status('{')).toBe(422);
  expect(await status('{}')).toBe(401);
  expect(await status('{}', anna)).toBe(403);
  expect(await status('{}', nordbil)).toBe(422);
  const good = '{"email": "a@x.test", "since": ""}';
  expect(await status(good, nordbil)).toBe(404);
  const foreign = 'PATCH /api/cars/DEMCAR00000000002/owner';
  expect((await api.ask(foreign, { body: good, headers, token: nordbil })).status).toBe(403);
});
