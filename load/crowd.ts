import { UpgradeRefused, WatchSocket } from '../bench/common/watch-socket.ts';
import { systemTime } from '../src/time.ts';
import { FrameTally } from './frame-tally.ts';

/** Upgrades under way at once. */
const OPENING_MAX = 50;

/** Open streams, and what came over them. */
export class Crowd {
  readonly tally = new FrameTally(systemTime);
  readonly sockets: WatchSocket[] = [];

  close(): void {
    for (const socket of this.sockets) socket.close();
  }
}

type OnRefused = (refused: UpgradeRefused, path: string) => void;

async function join(
  crowd: Crowd,
  url: URL,
  paths: readonly string[],
  onRefused: OnRefused,
  from?: string,
) {
  let next = 0;
  const open = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      try {
        crowd.sockets.push(await WatchSocket.open(url, path, crowd.tally.stream(), from));
      } catch (error) {
        if (!(error instanceof UpgradeRefused)) throw error;
        onRefused(error, path);
      }
    }
  };
  await Promise.all(Array.from({ length: OPENING_MAX }, open));
}

/**
 * Opens a stream for each path. Throws UpgradeRefused where one is refused.
 * @param from local address of the clients; without one the system chooses
 */
export async function gather(url: URL, paths: readonly string[], from?: string): Promise<Crowd> {
  const crowd = new Crowd();
  const onRefused = (refused: UpgradeRefused) => {
    throw refused;
  };
  await join(crowd, url, paths, onRefused, from);
  return crowd;
}

/** The streams that opened in the end, and why the others did not. */
interface PatientCrowd {
  crowd: Crowd;
  /** Streams that were refused at first. */
  lateCount: number;
  /** Streams that never opened, by status line. */
  refused: Record<string, number>;
}

/**
 * The same, but refused clients retry, as Retry-After tells them to: up to `attempts` times, `pauseMs`
 * apart. A node admits only what it knows it can carry, so a rush is refused in part at first.
 */
export async function gatherPatiently(
  url: URL,
  paths: readonly string[],
  { attempts = 5, pauseMs = 5000 } = {},
): Promise<PatientCrowd> {
  const crowd = new Crowd();
  let inTime: number | undefined;
  for (let attempt = 1, left = paths; ; attempt++) {
    const again: string[] = [];
    const refused: Record<string, number> = {};
    await join(crowd, url, left, ({ statusLine }, path) => {
      again.push(path);
      refused[statusLine] = (refused[statusLine] ?? 0) + 1;
    });
    inTime ??= crowd.sockets.length;
    const lateCount = crowd.sockets.length - inTime;
    if (again.length === 0 || attempt === attempts) return { crowd, lateCount, refused };
    left = again;
    await systemTime.sleep(pauseMs);
  }
}
