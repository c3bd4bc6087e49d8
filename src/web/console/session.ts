import { signal } from '@preact/signals';
import { RequestError, type RequestOptions, request } from '../common/request.ts';
import { type Resource, useResource } from '../common/resource.ts';
import { readStored, store } from '../common/storage.ts';
import type { Identity, Role, Token } from './types.ts';

interface Session {
  token: string;
  role: Role;
  username: string;
}

const AREA = 'sessionStorage';
const KEY = 'session';

// The tab keeps a copy of the token, so that a reload is no log-out. It is not in localStorage, where
// it would outlive the tab and every other tab would have it, and not in a cookie, which the browser
// would send by itself with requests that other sites cause.
/** Who is logged in; null: nobody. */
export const session = signal<Session | null>(JSON.parse(readStored(AREA, KEY) ?? 'null'));
/** The service no longer accepts the token: the visitor has to log in again to go on. */
export const hasEnded = signal(false);

session.subscribe((now) => store(AREA, KEY, now && JSON.stringify(now)));

/** Calls the dealer platform with the token of the session. Throws RequestError. */
export async function call<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const token = session.peek()?.token;
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  try {
    return await request<T>(path, { ...options, headers });
  } catch (error) {
    const isRefused = error instanceof RequestError && error.status === 401;
    // An answer to an older token says nothing about this one.
    if (isRefused && token !== undefined && token === session.peek()?.token) hasEnded.value = true;
    throw error;
  }
}

/** What a path answers to this session; asked again when either changes. */
export function useCall<T>(path: string): Resource<T> {
  return useResource((signal) => call<T>(path, { signal }), [path, session.value?.token]);
}

/** Throws RequestError. */
export async function logIn(username: string, password: string): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'password', username, password });
  startSession(await request<Token>('/api/token', { method: 'POST', body }));
}

/** Starts the session of a token. */
export function startSession({ access_token: token, role, username }: Token): void {
  hasEnded.value = false;
  session.value = { token, role, username };
}

/** Ends the session, and its token where the service can be reached; otherwise it expires. */
export async function logOut(): Promise<void> {
  await call('/api/auth/logout', { method: 'POST' }).catch(() => undefined);
  endSession();
}

export function endSession(): void {
  hasEnded.value = false;
  session.value = null;
}

/** Reads the username and the role again: an admin may have changed them. */
export async function refreshIdentity(): Promise<void> {
  const { username, role } = await call<Identity>('/api/auth/me');
  const now = session.peek();
  if (now !== null) session.value = { ...now, username, role };
}
