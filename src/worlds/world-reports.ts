import type { StateImage } from '../shard/loaded-world.ts';
import type { Time } from '../time.ts';
import type { ContactFacts } from '../twin/incidents.ts';
import type { Explained } from './records.ts';

const RETRY_MS = 500;

export interface ReportHooks {
  readonly time: Time;
  saveIncidents(facts: readonly ContactFacts[]): Promise<void>;
  saveExplanations(explained: readonly Explained[]): Promise<void>;
  saveImage(image: StateImage): Promise<void>;
  warn(message: string, error: unknown): void;
}

interface Waiting {
  /** Resolved once so many contacts are stored. */
  count: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Brings to the store what a shard reports of one world: its contacts and explanations, none of
 * them lost, and its newest image, never before the contacts that lie behind it. A store that fails
 * is tried again.
 */
export class WorldReports {
  readonly #hooks: ReportHooks;
  /** Contacts reported, and stored, counted from the world's beginning. */
  #reported = 0;
  #stored = 0;
  #facts: ContactFacts[] = [];
  #explained: Explained[] = [];
  #image: StateImage | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosing = false;

  constructor(hooks: ReportHooks) {
    this.#hooks = hooks;
  }

  get idle(): boolean {
    return this.#writing === undefined;
  }

  /** The world came to memory with so many contacts, which were stored before. */
  opened(contacts: number): void {
    this.#reported = Math.max(this.#reported, contacts);
    this.#stored = Math.max(this.#stored, contacts);
  }

  /** Contacts from number `from` on. A world that is lived again reports the same ones again. */
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
   * Resolves once all contacts reported so far are stored: no incident is told of before it is
   * durable. Rejects with what the store threw.
   */
  stored(): Promise<void> {
    if (this.#stored >= this.#reported) return Promise.resolve();
    const count = this.#reported;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ count, resolve, reject });
    });
  }

  /** Resolves once nothing that was reported waits to be stored. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Resolves once all that was reported is stored, or the store has failed once more. */
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

  /** Ends in the same turn in which it finds nothing left: what comes after begins it anew. */
  async #writeAll(): Promise<void> {
    while (this.#isAnyLeft) {
      if (await this.#writeNext()) continue;
      if (this.#isClosing) break;
      await this.#hooks.time.sleep(RETRY_MS);
    }
    this.#writing = undefined;
  }

  /** False where the store failed and it has to be tried again. */
  #writeNext(): Promise<boolean> {
    if (this.#facts.length > 0) return this.#writeFacts();
    return this.#explained.length > 0 ? this.#writeExplanations() : this.#writeImage();
  }

  async #writeFacts(): Promise<boolean> {
    const facts = [...this.#facts];
    try {
      await this.#hooks.saveIncidents(facts);
    } catch (error) {
      this.#hooks.warn('incidents are not saved yet', error);
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      return false;
    }
    this.#facts.splice(0, facts.length);
    this.#stored += facts.length;
    const open = this.#waiting;
    this.#waiting = open.filter(({ count }) => count > this.#stored);
    for (const { count, resolve } of open) if (count <= this.#stored) resolve();
    return true;
  }

  async #writeExplanations(): Promise<boolean> {
    const explained = [...this.#explained];
    try {
      await this.#hooks.saveExplanations(explained);
    } catch (error) {
      this.#hooks.warn('explanations are not saved yet', error);
      return false;
    }
    this.#explained.splice(0, explained.length);
    return true;
  }

  /** An image only shortens the way: one that cannot be saved is let go. */
  async #writeImage(): Promise<boolean> {
    const image = this.#image;
    this.#image = undefined;
    if (image === undefined) return true;
    try {
      await this.#hooks.saveImage(image);
    } catch (error) {
      this.#hooks.warn('image was not saved', error);
    }
    return true;
  }
}
