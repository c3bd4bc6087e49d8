import { UpgradeRefused, WatchSocket } from '../bench/common/watch-socket.ts';
import { systemTime } from '../src/time.ts';
import { Watcher } from './watcher.ts';

const FRAMES_PER_S = 12.5;
/** Upgrades under way at once. */
const OPENING_MAX = 50;

/** Open streams, each with its watcher. */
export class Crowd {
  readonly watchers: Watcher[] = [];
  readonly sockets: WatchSocket[] = [];

  add({ watchers, sockets }: Crowd): void {
    this.watchers.push(...watchers);
    this.sockets.push(...sockets);
  }

  /** Frames count from here on. */
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
 * Opens a stream for each path, with memory for the gaps of `seconds`. Throws UpgradeRefused where one
 * is refused, unless `onRefused` takes it.
 */
export async function gather(
  url: URL,
  paths: readonly string[],
  seconds: number,
  onRefused: (refused: UpgradeRefused, path: string) => void = fail,
): Promise<Crowd> {
  const crowd = new Crowd();
  const gapsMax = Math.ceil(seconds * FRAMES_PER_S * 1.1) + 10;
  let next = 0;
  const open = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const watcher = new Watcher(gapsMax);
      const events = {
        message: (opcode: number, payload: Buffer) =>
          watcher.message(opcode, payload, systemTime.now()),
        closed: (code: number) => {
          watcher.closeCode = code;
        },
      };
      try {
        crowd.sockets.push(await WatchSocket.open(url, path, events));
        crowd.watchers.push(watcher);
      } catch (error) {
        if (!(error instanceof UpgradeRefused)) throw error;
        onRefused(error, path);
      }
    }
  };
  await Promise.all(Array.from({ length: OPENING_MAX }, open));
  return crowd;
}

/** The streams that opened in the end, and why the others did not. */
export interface PatientCrowd {
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
  seconds: number,
  { attempts = 5, pauseMs = 5000 } = {},
): Promise<PatientCrowd> {
  const crowd = new Crowd();
  let lateCount = 0;
  for (let attempt = 1, left = paths; ; attempt++) {
    const again: string[] = [];
    const refused: Record<string, number> = {};
    const came = await gather(url, left, seconds, ({ statusLine }, path) => {
      again.push(path);
      refused[statusLine] = (refused[statusLine] ?? 0) + 1;
    });
    crowd.add(came);
    if (attempt > 1) lateCount += came.watchers.length;
    if (again.length === 0 || attempt === attempts) return { crowd, lateCount, refused };
    left = again;
    await systemTime.sleep(pauseMs);
  }
}
