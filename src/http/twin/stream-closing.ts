import type { Time } from '../../time.ts';
import type { StreamSocket } from '../server/server-options.ts';

/** All streams are closed in at most so many groups, with a pause between them: over 2 s. */
const CLOSE_GROUPS_MAX = 100;
const CLOSE_PAUSE_MS = 20;

export const CLOSE_REASONS = { 1012: 'reconnect now', 1013: 'try again later' };

/** An open stream that may have closed by the time at which it is to be ended. */
export interface OpenStream {
  readonly socket: StreamSocket;
  readonly isOpen: boolean;
}

/**
 * Ends streams with 1012, over two seconds if there are a hundred or more, so that clients do not all
 * reconnect at once. Neighbours are in different groups.
 */
export async function endInGroups(streams: readonly OpenStream[], time: Time): Promise<void> {
  const groups = Math.min(CLOSE_GROUPS_MAX, streams.length);
  for (let group = 0; group < groups; group++) {
    for (let i = group; i < streams.length; i += groups) {
      const stream = streams[i];
      if (stream?.isOpen) stream.socket.end(1012, CLOSE_REASONS[1012]);
    }
    await time.sleep(CLOSE_PAUSE_MS);
  }
}
