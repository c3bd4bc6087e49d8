import { FrameQueue, type QueueOptions } from './frame-queue.ts';
import { isWorldGone, openFrameStream } from './frame-stream.ts';
import { LiveWorld } from './live-world.ts';
import { systemPlatform } from './platform.ts';
import { openWebSocket } from './socket.ts';
import { TwinAddress, type WatchedWorld } from './twin-address.ts';
import type { Snapshot } from './types.ts';

export interface WatchOptions extends QueueOptions {
  /** By `lockstep` the world lives here, and the snapshots are made here. */
  encoding?: 'json' | 'msgpack' | 'lockstep' | undefined;
  /** Of lockstep alone: every tick, 50 a second. */
  everyTick?: boolean | undefined;
}

/**
 * The snapshots of a world, 12.5 a second, the same whatever the encoding. It reconnects by itself. A reader
 * that is too slow misses those before the newest. Ends by the signal or when the reader leaves the loop;
 * throws TwinError `unknown_world` when the world does not exist any more.
 */
export async function* watch(
  world: WatchedWorld,
  { encoding = 'json', ...options }: WatchOptions = {},
): AsyncGenerator<Snapshot, void, undefined> {
  if (encoding === 'lockstep') {
    const live = new LiveWorld(world);
    try {
      yield* live.snapshots(options);
    } finally {
      live.close();
    }
    return;
  }
  const queue = new FrameQueue(options);
  const address = new TwinAddress(world);
  const stream = openFrameStream({
    ...{ address, encoding, platform: systemPlatform, openSocket: openWebSocket },
    isGone: () => isWorldGone(address),
    received: (snapshot) => queue.push(snapshot),
    gone: (error) => queue.end(error),
  });
  try {
    yield* queue.read();
  } finally {
    stream.close();
  }
}
