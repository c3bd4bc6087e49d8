import { Watcher } from './watcher.ts';
import { UpgradeRefused, WatchSocket } from './ws-client.ts';

const FRAMES_PER_S = 12.5;
/** Upgrades under way at once. */
const OPENING_MAX = 50;

/** Open streams, each with its watcher. */
export class Crowd {
  readonly watchers: Watcher[] = [];
  readonly sockets: WatchSocket[] = [];

  /** From here on frames count. */
  record(): void {
    for (const watcher of this.watchers) watcher.record();
  }

  close(): void {
    for (const socket of this.sockets) socket.close();
  }
}

function fail(refused: UpgradeRefused): never {
  throw refused;
}

/**
 * Opens a stream for each path, with room for the gaps of so many seconds. Throws UpgradeRefused where
 * one is refused, unless `onRefused` takes it.
 */
export async function gather(
  url: URL,
  paths: readonly string[],
  seconds: number,
  onRefused: (refused: UpgradeRefused) => void = fail,
): Promise<Crowd> {
  const crowd = new Crowd();
  const gapsMax = Math.ceil(seconds * FRAMES_PER_S * 1.1) + 10;
  let next = 0;
  const open = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const watcher = new Watcher(gapsMax);
      const events = {
        message: (opcode: number, payload: Buffer) =>
          watcher.message(opcode, payload, performance.now()),
        closed: (code: number) => {
          watcher.closeCode = code;
        },
      };
      try {
        crowd.sockets.push(await WatchSocket.open(url, path, events));
        crowd.watchers.push(watcher);
      } catch (error) {
        if (!(error instanceof UpgradeRefused)) throw error;
        onRefused(error);
      }
    }
  };
  await Promise.all(Array.from({ length: OPENING_MAX }, open));
  return crowd;
}
