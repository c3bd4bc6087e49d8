import { formatRequest, HttpPool } from './http-pool.ts';
import { UsageError } from './options.ts';
import type { Server } from './server.ts';

/** Throws UsageError where it is not known. */
export function dealerUrlOf({ dealerUrl }: Server): URL {
  if (dealerUrl === undefined) throw new UsageError('--dealer: give the dealer platform of --url');
  return dealerUrl;
}

/** The cars of the demo data. */
export const DEMO_CARS = Array.from(
  { length: 40 },
  (_, i) => `DEMCAR${String(i + 1).padStart(11, '0')}`,
);
export const DEMO_ADMIN = { role: 'admin', username: 'admin', password: 'admin-demo' };
export const DEMO_CUSTOMER = { role: 'customer', username: 'anna', password: 'customer-demo' };

/** A log-in as JSON, at the door that wants a role. */
export function loginRequest(url: URL, login: object): Buffer {
  return formatRequest(url, 'POST', '/api/auth/login', {}, JSON.stringify(login));
}

/** The header that calls as an account. Throws where that cannot log in. */
export async function bearerOf(url: URL, login: object): Promise<{ Authorization: string }> {
  const pool = await HttpPool.open(url, 1);
  try {
    const { status, body } = await pool.ask(loginRequest(url, login));
    if (status !== 200) throw new Error(`no log-in: ${status} ${body.toString()}`);
    const { access_token } = JSON.parse(body.toString()) as { access_token: string };
    return { Authorization: `Bearer ${access_token}` };
  } finally {
    pool.close();
  }
}
