import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { TwinError } from '../../errors.ts';
import type { PictureTask } from '../../picture/picture.ts';
import { OpenCount } from '../server/open-count.ts';

const WORKER = fileURLToPath(new URL('../../../workers/pictures.ts', import.meta.url));
/** The thread ends after this time without a picture, and gives its memory back. */
const IDLE_MS = 10_000;
/** Pictures that are made at a time: one is drawn, the others wait or are replayed. */
const PENDING_MAX = 16;
/** Of one address. */
const PER_ADDRESS_MAX = 4;
const RETRY_AFTER_S = 2;

/** A thread of low priority that draws the pictures of a node, one after another. */
export class PictureThread {
  readonly #pool = new Piscina({
    filename: WORKER,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
  });
  readonly #ofAddress = new OpenCount(PER_ADDRESS_MAX, 'Wait for the other pictures first.');
  #pending = 0;
  #isClosed = false;

  constructor() {
    // The caller of the task gets the error as well; the pool replaces the thread.
    this.#pool.on('error', () => {});
  }

  /**
   * A PNG. Throws TwinError `overloaded` if too many pictures are being made, `rate_limited` if too many
   * of the address are.
   * @param prepare makes the task, once there is room for it
   */
  async draw(address: string, prepare: () => Promise<PictureTask>): Promise<Uint8Array> {
    if (this.#pending >= PENDING_MAX) throw busy();
    this.#ofAddress.enter(address);
    this.#pending++;
    try {
      return await this.#pool.run(await prepare(), { name: 'draw' });
    } catch (error) {
      throw this.#isClosed ? busy() : error;
    } finally {
      this.#pending--;
      this.#ofAddress.leave(address);
    }
  }

  /** Ends the thread at once. What was not drawn gets TwinError `overloaded`. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.destroy();
  }
}

function busy(): TwinError {
  return new TwinError('overloaded', 'Too many pictures are being drawn.', RETRY_AFTER_S);
}
