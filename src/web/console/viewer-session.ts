import { ASKS_FOR_SESSION, type SessionMessage } from '../common/session-messages.ts';
import { hasEnded, session } from './session.ts';
import { TWIN_URL } from './settings.ts';

/** Gives the session to a page of the twin that asks for it, and to no page of another origin. */
export function answerViewers(): void {
  const { origin } = new URL(TWIN_URL, location.href);
  addEventListener('message', ({ data, origin: from, source }) => {
    const token = hasEnded.peek() ? undefined : session.peek()?.token;
    if (from !== origin || data !== ASKS_FOR_SESSION || token === undefined) return;
    source?.postMessage({ token } satisfies SessionMessage, { targetOrigin: origin });
  });
}
