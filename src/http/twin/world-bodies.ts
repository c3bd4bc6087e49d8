import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { TwinError, type TwinErrorCode } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import {
  JOURNAL_FIELDS_MAX,
  parseWorldOptions,
  type WorldOptions,
} from '../../twin/world-options.ts';

const WORKER = fileURLToPath(new URL('../../../workers/bodies.ts', import.meta.url));
/** A larger body would hold up the main thread for more than a millisecond. */
const PARSED_HERE_BYTES_MAX = 16 * 1024;
/** The thread ends after this time without a body, and gives all its memory back. */
const IDLE_MS = 10_000;
/** Garbage of a large body is collected while it is parsed. */
const YOUNG_MIB_MAX = 12;
/** Bodies of up to 1 MiB that wait for the thread. */
const WAITING_MAX = 32;

type Parsed = { options: WorldOptions } | { refusal: { code: TwinErrorCode; hint: string } };

/** Parses the bodies of new worlds: large ones, which have a journal, in a thread of low priority. */
export class WorldBodies {
  readonly #thread = new Piscina({
    filename: WORKER,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: WAITING_MAX,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB_MAX },
  });
  readonly #cityNames: readonly string[];
  #isClosed = false;

  constructor(cityNames: readonly string[]) {
    this.#cityNames = cityNames;
    // The caller of the task gets the error as well; the pool replaces the thread.
    this.#thread.on('error', () => {});
  }

  /**
   * Throws TwinError `invalid_json`, `invalid_body`, `invalid_world_options`, or `overloaded` if too
   * many wait.
   * @param body detached if it is large: its memory goes to the thread
   */
  parse(body: Uint8Array): WorldOptions | Promise<WorldOptions> {
    if (body.byteLength > PARSED_HERE_BYTES_MAX) return this.#parseInThread(body);
    const given = body.byteLength === 0 ? undefined : parseJson(body, JOURNAL_FIELDS_MAX);
    return parseWorldOptions(given, this.#cityNames);
  }

  async #parseInThread(body: Uint8Array): Promise<WorldOptions> {
    if (this.#thread.queueSize >= WAITING_MAX) throw new TwinError('overloaded');
    const task = { body, cityNames: this.#cityNames };
    const transferList = [body.buffer] as never;
    try {
      const parsed: Parsed = await this.#thread.run(task, { name: 'worldOptions', transferList });
      if ('options' in parsed) return parsed.options;
      throw new TwinError(parsed.refusal.code, parsed.refusal.hint);
    } catch (error) {
      throw this.#isClosed ? new TwinError('overloaded') : error;
    }
  }

  /** Ends the thread at once. What was not parsed gets TwinError `overloaded`. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.destroy();
  }
}
