import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { TwinError } from '../../errors.ts';
import { OpenCount } from './open-count.ts';

const WORKER = fileURLToPath(new URL('../../../workers/bodies.ts', import.meta.url));
/** A larger body would hold up the main thread for more than a millisecond. */
const PARSED_HERE_BYTES_MAX = 16 * 1024;
/** The thread ends after this time without a body, and gives all its memory back. */
const IDLE_MS = 10_000;
/** Garbage of a large body is collected while it is parsed. */
const YOUNG_MIB_MAX = 12;
/** Bodies of up to 1 MiB that wait for the thread. */
const WAITING_MAX = 32;
/** Of one address, which so takes neither all places nor more than half a second before others. */
const PER_ADDRESS_MAX = 8;

/** Whether a body is to be parsed in the thread. */
export function isLargeBody({ byteLength }: Uint8Array): boolean {
  return byteLength > PARSED_HERE_BYTES_MAX;
}

/** A thread of low priority that parses the large bodies of a node, one after another. */
export class BodyThread {
  readonly #pool = new Piscina({
    filename: WORKER,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: WAITING_MAX,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB_MAX },
  });
  readonly #ofAddress = new OpenCount(PER_ADDRESS_MAX, 'Wait for the other large bodies first.');
  #isClosed = false;

  constructor() {
    // The caller of the task gets the error as well; the pool replaces the thread.
    this.#pool.on('error', () => {});
  }

  /**
   * The answer of a task of `workers/bodies.ts`. Throws TwinError `overloaded` if too many bodies
   * wait, `rate_limited` if too many of the address do.
   * @param task its body is detached: its memory goes to the thread
   */
  async run<Answer>(address: string, name: string, task: { body: Uint8Array }): Promise<Answer> {
    if (this.#pool.queueSize >= WAITING_MAX) throw new TwinError('overloaded');
    this.#ofAddress.enter(address);
    try {
      return await this.#pool.run(task, { name, transferList: [task.body.buffer] as never });
    } catch (error) {
      throw this.#isClosed ? new TwinError('overloaded') : error;
    } finally {
      this.#ofAddress.leave(address);
    }
  }

  /** Ends the thread at once. What was not parsed gets TwinError `overloaded`. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.destroy();
  }
}
