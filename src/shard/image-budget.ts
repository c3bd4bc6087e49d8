import { HEARTBEAT_MS, IMAGE_BYTES_PER_S, STORED_IMAGE_TICKS } from '../limits.ts';
import type { LoadedWorld } from './loaded-world.ts';
import type { StateImage } from './protocol.ts';

const BYTES_PER_HEARTBEAT = (IMAGE_BYTES_PER_S * HEARTBEAT_MS) / 1000;

/**
 * Limits how many bytes of images a shard sends to the store for watched worlds. What one heartbeat leaves is
 * not saved up: worlds that began together have images due together, and the main thread stores each of them.
 */
export class ImageBudget {
  #bytesLeft = BYTES_PER_HEARTBEAT;

  /** Called at each heartbeat. */
  refill(): void {
    this.#bytesLeft = BYTES_PER_HEARTBEAT;
  }

  /** A copy of the newest image of a world, if it is due and the budget allows it. */
  take({ images, storedTick }: Pick<LoadedWorld, 'images' | 'storedTick'>): StateImage | undefined {
    const image = images.at(-1);
    if (image === undefined || image.tick - storedTick < STORED_IMAGE_TICKS) return undefined;
    if (this.#bytesLeft < image.bytes.length) return undefined;
    this.#bytesLeft -= image.bytes.length;
    // The world overwrites its images in place.
    return { ...image, bytes: image.bytes.slice() };
  }
}
