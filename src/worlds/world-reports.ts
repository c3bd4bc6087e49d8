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

interface Waiting {
  /** Resolves once so many contacts are stored. */
  count: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes to the store what a shard reports of one world: all contacts and explanations, and the
 * newest image, never before the contacts that precede it. Failed writes are repeated.
 */
export class WorldReports {
  readonly #world: number;
  readonly #dependencies: WorldReportsDependencies;
  /** Contacts reported, and stored, counted from the world's beginning. */
  #reported = 0;
  #stored = 0;
  #facts: ContactFacts[] = [];
  #explained: Explained[] = [];
  #image: StateImage | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosing = false;

  constructor(world: number, dependencies: WorldReportsDependencies) {
    this.#world = world;
    this.#dependencies = dependencies;
  }

  get isIdle(): boolean {
    return this.#writing === undefined;
  }

  /** The world was loaded with so many contacts, all stored before. */
  loaded(contacts: number): void {
    this.#reported = Math.max(this.#reported, contacts);
    this.#stored = Math.max(this.#stored, contacts);
  }

  /** Contacts from number `from` on. A rebuilt world reports its contacts again; they are skipped. */
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
    if (this.#stored >= this.#reported) return Promise.resolve();
    const count = this.#reported;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ count, resolve, reject });
    });
  }

  /** Resolves once nothing waits to be written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Resolves once everything is written, or the store has failed once more. */
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

  /** Ends in the turn in which it finds nothing left, so that the next report begins it anew. */
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
    this.#stored += facts.length;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ count }) => count > this.#stored);
    for (const { count, resolve } of waiting) if (count <= this.#stored) resolve();
  }

  async #writeExplanations(): Promise<void> {
    const explained = [...this.#explained];
    await this.#dependencies.records.saveExplanations(this.#world, explained);
    this.#explained.splice(0, explained.length);
  }

  /** An image only saves work: if it cannot be written, it is dropped. */
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
