import { TwinError, type TwinErrorCode } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import {
  type GivenOptions,
  JOURNAL_FIELDS_MAX,
  parseWorldOptions,
} from '../../twin/world-options.ts';
import { type BodyThread, isLargeBody } from '../server/body-thread.ts';

type Parsed = { options: GivenOptions } | { refusal: { code: TwinErrorCode; hint: string } };

/** Parses the bodies of new worlds: large ones, which have a journal, in the thread. */
export class WorldBodies {
  readonly #thread: BodyThread;
  readonly #cityNames: readonly string[];

  constructor(thread: BodyThread, cityNames: readonly string[]) {
    this.#thread = thread;
    this.#cityNames = cityNames;
  }

  /**
   * Throws TwinError `invalid_json`, `invalid_body`, `invalid_world_options`, and of a large body
   * what the thread throws.
   * @param body detached if it is large
   */
  parse(body: Uint8Array, address: string): GivenOptions | Promise<GivenOptions> {
    if (isLargeBody(body)) return this.#parseInThread(body, address);
    const given = body.byteLength === 0 ? undefined : parseJson(body, JOURNAL_FIELDS_MAX);
    return parseWorldOptions(given, this.#cityNames);
  }

  async #parseInThread(body: Uint8Array, address: string): Promise<GivenOptions> {
    const task = { body, cityNames: this.#cityNames };
    const parsed = await this.#thread.run<Parsed>(address, 'worldOptions', task);
    if ('options' in parsed) return parsed.options;
    throw new TwinError(parsed.refusal.code, parsed.refusal.hint);
  }
}
