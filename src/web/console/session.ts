import { signal } from '@preact/signals';
import { RequestError, type RequestOptions, request } from '../common/request.ts';
import { type Resource, useResource } from '../common/resource.ts';
import { readStored, store } from '../common/storage.ts';
import { clearToasts, showToast } from '../common/toasts.tsx';
import type { Identity, Role, Token } from './types.ts';

interface Session {
  token: string;
  role: Role;
  username: string;
}

const AREA = 'sessionStorage';
const KEY = 'session';

// The tab keeps a copy of the token, so that a reload is no log-out; a new tab asks the others for it. It
// is not in localStorage, where it would outlive all tabs, and not in a cookie, which the browser would
// send by itself with requests that other sites cause.
/** Who is logged in; null: nobody. */
export const session = signal<Session | null>(JSON.parse(readStored(AREA, KEY) ?? 'null'));
/** Whoever logged out here wants no session of another tab. */
let hasLeft = false;
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

/** What a path answers to this session; asked again when either changes, or one of `inputs`. */
export function useCall<T>(path: string, inputs: readonly unknown[] = []): Resource<T> {
  const load = (signal: AbortSignal) => call<T>(path, { signal });
  return useResource(load, [path, session.value?.token, ...inputs]);
}

/** Throws RequestError. */
export async function logIn(username: string, password: string): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'password', username, password });
  startSession(await request<Token>('/api/token', { method: 'POST', body }));
}

/** Starts the session of a token. */
export function startSession({ access_token: token, role, username }: Token): void {
  hasEnded.value = false;
  // What was said of the log-out is over.
  if (session.peek() === null) clearToasts();
  session.value = { token, role, username };
}

/** Ends the session, and its token where the service can be reached; otherwise it expires. */
export async function logOut(): Promise<void> {
  await call('/api/auth/logout', { method: 'POST' }).catch(() => undefined);
  endSession();
}

/** Ends the session in all tabs that have it. */
export function endSession(): void {
  const token = session.peek()?.token;
  if (token !== undefined) tabs.postMessage({ ended: token } satisfies TabMessage);
  leave();
}

function leave(): void {
  hasLeft = true;
  clearToasts();
  hasEnded.value = false;
  session.value = null;
}

// ── other tabs ────────────────────────────────────────────────────────────────────────────────

/** A tab without a session asks the others for theirs; a session that was ended is over in all. */
type TabMessage = { asks: string } | { has: Session; to: string } | { ended: string };

/** Of this tab, until it is left or loaded again. */
const tab = Math.random().toString(36);

const tabs = new BroadcastChannel('session');
tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
  const own = session.peek();
  if ('asks' in data) {
    if (own === null || hasEnded.peek()) return;
    tabs.postMessage({ has: own, to: data.asks } satisfies TabMessage);
  } else if ('has' in data) {
    if (data.to === tab && own === null && !hasLeft) session.value = data.has;
  } else if (own?.token === data.ended) {
    leave();
    showToast('You logged out in another tab, so you are logged out here as well.', {
      stays: true,
    });
  }
};
if (session.peek() === null) tabs.postMessage({ asks: tab } satisfies TabMessage);

/** Reads the username and the role again: an admin may have changed them. */
export async function refreshIdentity(): Promise<void> {
  const { username, role } = await call<Identity>('/api/auth/me');
  const now = session.peek();
  if (now !== null) session.value = { ...now, username, role };
}
