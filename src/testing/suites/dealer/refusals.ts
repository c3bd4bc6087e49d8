import { expect } from 'vitest';
import { type Answer, signUpOf } from './dealer-api.ts';

const CAR = '/api/cars/DEMCAR00000000001';

/** Every kind of write; the first can be made as often as wanted. */
export const WRITES: [call: string, json?: object][] = [
  [`PATCH ${CAR}/state`, { locked: true, climate: false, charging: true }],
  [`PATCH ${CAR}/owner`, { email: 'erik@example.com', since: 'now' }],
  [`DELETE ${CAR}/owner`],
  ['POST /api/cars/add-to-fleet', { vin: 'NEW', dealer: 'nordbil' }],
  ['POST /api/auth/signup', signUpOf('newcomer')],
  ['POST /api/dealers', { username: 'new_dealer', password: 'abc', name: 'N', city: 'C' }],
  ['DELETE /api/dealers/nordbil'],
  ['PATCH /api/me/admin', { current_password: 'admin-demo', username: 'chief' }],
  ['POST /api/admin/reset'],
  ['POST /api/auth/logout'],
];

const LOGIN = { role: 'admin', username: 'admin', password: 'admin-demo' };

/** What cannot be told without the store. */
export const READS: [call: string, json?: object][] = [
  ['GET /api/state'],
  ['GET /api/cars'],
  ['GET /api/customers'],
  ['GET /api/customers/anna'],
  ['GET /api/auth/me'],
  ['GET /api/me/admin'],
  ['GET /api/me/profile'],
  ['POST /api/auth/login', LOGIN],
];

export function expectUnavailable({ status, body, headers }: Answer): void {
  expect([status, Object.keys(body)]).toEqual([503, ['detail']]);
  expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
}
