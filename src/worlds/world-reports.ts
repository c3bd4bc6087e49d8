import type { StateImage } from '../shard/protocol.ts';
import { worldIdOf } from '../twin/ids.ts';
import type { ContactFacts } from '../twin/incidents.ts';
import type { Explained, Records } from './records.ts';
import type { WorldDependencies } from './world-dependencies.ts';

const RETRY_MS = 500;

export interface WorldReportsDependencies
  extends Pick<WorldDependencies, 'kernel' | 'time' | 'log'> {
  readonly records: Pick<Records, 'saveIncidents' | 'saveExplanations' | 'saveImage'>;
}

/**
 * Stores the reports of one world: all contacts and explanations, and the newest image. An image is
 * never stored before the contacts that precede it. Failed writes are repeated, but not those of
 * images.
 */
export class WorldReports {
  readonly #world: number;
  readonly #dependencies: WorldReportsDependencies;
  /** Number of contacts that were reported, from the beginning of the world. */
  #reported = 0;
  /** Not stored yet. */
  #facts: ContactFacts[] = [];
  #explained: Explained[] = [];
  #image: StateImage | undefined;
  /** Callers that wait until all contacts are stored. */
  #waiting: PromiseWithResolvers<void>[] = [];
  #writing: Promise<void> | undefined;
  #isClosing = false;

  constructor(world: number, dependencies: WorldReportsDependencies) {
    this.#world = world;
    this.#dependencies = dependencies;
  }

  get isIdle(): boolean {
    return this.#writing === undefined;
  }

  /** The world was loaded. `contacts`: number of its contacts until then, which are all stored. */
  loaded(contacts: number): void {
    this.#reported = Math.max(this.#reported, contacts);
  }

  /** Stores contacts from number `from` on. A rebuilt world repeats contacts: they are skipped. */
  contacts(from: number, facts: readonly ContactFacts[]): void {
    this.#facts.push(...facts.slice(Math.max(0, this.#reported - from)));
    this.#reported = Math.max(this.#reported, from + facts.length);
    this.#write();
  }

  explained(explained: Explained): void {
    this.#explained.push(explained);
    this.#write();
  }

  image(image: StateImage): void {
    this.#image = image;
    this.#write();
  }

  /**
   * Resolves once all contacts reported so far are stored: incidents are persisted before they are
   * published. Rejects with what the store threw.
   */
  stored(): Promise<void> {
    if (this.#facts.length === 0) return Promise.resolve();
    const stored = Promise.withResolvers<void>();
    this.#waiting.push(stored);
    return stored.promise;
  }

  /** Resolves once all reports are written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Resolves once all reports are written, or a write has failed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#writing;
  }

  get #isAnyLeft(): boolean {
    return this.#facts.length > 0 || this.#explained.length > 0 || this.#image !== undefined;
  }

  #write(): void {
    if (this.#isAnyLeft) this.#writing ??= this.#writeAll();
  }

  /** Ends in the turn of the event loop in which nothing is left: the next report restarts it. */
  async #writeAll(): Promise<void> {
    while (this.#isAnyLeft) {
      try {
        if (this.#facts.length > 0) await this.#writeFacts();
        else if (this.#explained.length > 0) await this.#writeExplanations();
        else await this.#writeImage();
      } catch (error) {
        this.#warn('reports could not be saved; trying again', error);
        for (const { reject } of this.#waiting.splice(0)) reject(error);
        if (this.#isClosing) break;
        await this.#dependencies.time.sleep(RETRY_MS);
      }
    }
    this.#writing = undefined;
  }

  async #writeFacts(): Promise<void> {
    const facts = [...this.#facts];
    await this.#dependencies.records.saveIncidents(this.#world, facts);
    this.#facts.splice(0, facts.length);
    if (this.#facts.length > 0) return;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async #writeExplanations(): Promise<void> {
    const explained = [...this.#explained];
    await this.#dependencies.records.saveExplanations(this.#world, explained);
    this.#explained.splice(0, explained.length);
  }

  /** An image only saves computing time: if the write fails, it is not repeated. */
  async #writeImage(): Promise<void> {
    const image = this.#image;
    this.#image = undefined;
    if (image === undefined) return;
    const { kernel, records } = this.#dependencies;
    await records
      .saveImage(this.#world, { kernel, ...image })
      .catch((error: unknown) => this.#warn('a state image could not be saved', error));
  }

  #warn(message: string, err: unknown): void {
    this.#dependencies.log.warn({ world: worldIdOf(this.#world), err }, message);
  }
}
