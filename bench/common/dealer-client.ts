import { askOnce, formatRequest } from './http-pool.ts';
import type { Server } from './server.ts';
import { UsageError } from './usage-error.ts';

/** Throws UsageError where the address is unknown. */
export function dealerUrlOf({ dealerUrl }: Server): URL {
  if (dealerUrl === undefined) throw new UsageError('--dealer is needed with --url');
  return dealerUrl;
}

/** The cars of the demo data. */
export const DEMO_CARS = Array.from(
  { length: 40 },
  (_, i) => `DEMCAR${String(i + 1).padStart(11, '0')}`,
);
export const DEMO_ADMIN = { role: 'admin', username: 'admin', password: 'admin-demo' };
export const DEMO_CUSTOMER = { role: 'customer', username: 'anna', password: 'customer-demo' };

/** A log-in as JSON, for the log-in that takes a role. */
export function loginRequest(url: URL, login: object): Buffer {
  return formatRequest(url, 'POST', '/api/auth/login', {}, JSON.stringify(login));
}

/** The header that authenticates an account. Throws where the log-in fails. */
export async function bearerOf(url: URL, login: object): Promise<{ Authorization: string }> {
  const { status, body } = await askOnce(url, loginRequest(url, login));
  if (status !== 200) throw new Error(`no log-in: ${status} ${body.toString()}`);
  const { access_token } = JSON.parse(body.toString()) as { access_token: string };
  return { Authorization: `Bearer ${access_token}` };
}
