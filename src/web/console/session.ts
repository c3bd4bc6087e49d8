import { signal } from '@preact/signals';
import { RequestError, type RequestOptions, request } from '../common/request.ts';
import type { Identity, Role, Token } from './types.ts';

export interface Session {
  token: string;
  role: Role;
  username: string;
}

const KEY = 'session';

/** Who is logged in; null: nobody. */
export const session = signal<Session | null>(kept());
/** The service takes the token no more: who is logged in must prove it again to go on. */
export const hasEnded = signal(false);

// The token lives in memory; the tab keeps a copy, so that reloading the page is no log-out. It is
// not in localStorage, where it would outlive the tab and every other tab would have it, and no
// cookie, which the browser would send by itself with a request that some other site has caused.
function kept(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
  } catch {
    return null;
  }
}

session.subscribe((now) => {
  try {
    if (now === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // It holds as long as the page.
  }
});

/** Asks the dealer platform, as whoever is logged in. Throws RequestError. */
export async function call<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const token = session.peek()?.token;
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  try {
    return await request<T>(path, { ...options, headers });
  } catch (error) {
    const isRefused = error instanceof RequestError && error.status === 401;
    // An answer to an old token says nothing of the one of today.
    if (isRefused && token !== undefined && token === session.peek()?.token) hasEnded.value = true;
    throw error;
  }
}

/** Throws RequestError. */
export async function logIn(username: string, password: string): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'password', username, password });
  welcome(await request<Token>('/api/token', { method: 'POST', body }));
}

/** Goes on as whoever the token is of. */
export function welcome({ access_token: token, role, username }: Token): void {
  hasEnded.value = false;
  session.value = { token, role, username };
}

/** Ends the token, too, where the service can be reached: it would end by itself. */
export async function logOut(): Promise<void> {
  await call('/api/auth/logout', { method: 'POST' }).catch(() => undefined);
  forget();
}

/** Nobody is logged in any more. */
export function forget(): void {
  hasEnded.value = false;
  session.value = null;
}

/** The account of the session may have another name by now. */
export async function refreshIdentity(): Promise<void> {
  const { username, role } = await call<Identity>('/api/auth/me');
  const now = session.peek();
  if (now !== null) session.value = { ...now, username, role };
}
