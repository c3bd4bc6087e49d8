import { IMAGE_BYTES_PER_S, STORED_IMAGE_TICKS } from '../limits.ts';
import type { LoadedWorld } from './loaded-world.ts';
import type { StateImage } from './protocol.ts';

/** Limits how many bytes of images a shard sends to the store for watched worlds. */
export class ImageBudget {
  #bytesLeft = IMAGE_BYTES_PER_S;

  refill(ms: number): void {
    const more = (IMAGE_BYTES_PER_S * ms) / 1000;
    this.#bytesLeft = Math.min(IMAGE_BYTES_PER_S, this.#bytesLeft + more);
  }

  /** A copy of the newest image of a world, if it is due and the budget allows it. */
  take({ images, storedTick }: LoadedWorld): StateImage | undefined {
    const image = images.at(-1);
    if (image === undefined || image.tick - storedTick < STORED_IMAGE_TICKS) return undefined;
    if (this.#bytesLeft < image.bytes.length) return undefined;
    this.#bytesLeft -= image.bytes.length;
    // The world overwrites its images in place.
    return { ...image, bytes: image.bytes.slice() };
  }
}
