/**
 * Messages between a viewer and the console that opened it, by `postMessage`: never in a URL, which would be
 * shared, logged and kept. Each side checks the origin of the other.
 */

/** The viewer asks for the session. */
export const ASKS_FOR_SESSION = 'asks for session';

/** The console's answer. */
export interface SessionMessage {
  /** Of the dealer platform. */
  token: string;
}

export function isSessionMessage(data: unknown): data is SessionMessage {
  return typeof (data as Partial<SessionMessage> | null)?.token === 'string';
}
