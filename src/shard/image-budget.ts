import { SLAB_BYTES } from '../../assembly/layout.ts';
import { HEARTBEAT_MS, IMAGE_BYTES_PER_S } from '../limits.ts';

const IMAGES_PER_HEARTBEAT = Math.floor((IMAGE_BYTES_PER_S * HEARTBEAT_MS) / 1000 / SLAB_BYTES);

/**
 * Limits how many images of watched worlds a shard sends to the store. What one heartbeat leaves is not saved up:
 * the main thread stores each of them, and sends no frame meanwhile.
 */
export class ImageBudget {
  #left = IMAGES_PER_HEARTBEAT;

  /** Called at each heartbeat. */
  refill(): void {
    this.#left = IMAGES_PER_HEARTBEAT;
  }

  /** Takes one image from what is left; false: nothing is. */
  take(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }
}
