import { isStoreUnavailable, TwinError } from '../errors.ts';
import { STORE_WAIT_MS } from '../limits.ts';
import type { StateImage } from '../shard/protocol.ts';
import type { ContactRecord } from '../twin/contact-records.ts';
import { worldIdOf } from '../twin/ids.ts';
import { incidentId } from '../twin/incidents.ts';
import type { ImageLadder } from './image-ladder.ts';
import type { Explained, Records } from './records.ts';
import type { WorldDependencies } from './world-dependencies.ts';

const RETRY_MS = 500;

interface Waiting extends PromiseWithResolvers<void> {
  /** Resolves once so many contacts are stored. */
  count: number;
}

export interface WorldReportsDependencies
  extends Pick<WorldDependencies, 'kernel' | 'time' | 'log'> {
  readonly records: Pick<Records, 'saveIncidents' | 'saveExplanations'>;
}

/**
 * Stores the reports of one world: all contacts and explanations, and the newest image. An image is
 * never stored before the contacts that precede it. Failed writes are repeated, but not those of
 * images.
 */
export class WorldReports {
  readonly #world: number;
  readonly #dependencies: WorldReportsDependencies;
  readonly #images: Pick<ImageLadder, 'save'>;
  readonly #told: (incidents: Iterable<string>, isExplained: boolean) => void;
  /** Number of contacts that were reported, from the beginning of the world. */
  #reported = 0;
  /** Not stored yet. */
  #facts: ContactRecord[] = [];
  #explained: { explained: Explained; stored: () => void }[] = [];
  #image: StateImage | undefined;
  /** Callers that wait for contacts to be stored. */
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosing = false;

  /** `told`: called with the ids of incidents that are stored, or whose explanations are. */
  constructor(
    world: number,
    dependencies: WorldReportsDependencies,
    images: Pick<ImageLadder, 'save'>,
    told: (incidents: Iterable<string>, isExplained: boolean) => void = () => {},
  ) {
    this.#world = world;
    this.#dependencies = dependencies;
    this.#images = images;
    this.#told = told;
  }

  get isIdle(): boolean {
    return this.#writing === undefined;
  }

  get storedContacts(): number {
    return this.#reported - this.#facts.length;
  }

  /** The world was loaded. `contacts`: number of its contacts until then, which are all stored. */
  loaded(contacts: number): void {
    this.#reported = Math.max(this.#reported, contacts);
  }

  /** Stores contacts from number `from` on. A rebuilt world repeats contacts: they are skipped. */
  contacts(from: number, facts: readonly ContactRecord[]): void {
    this.#facts.push(...facts.slice(Math.max(0, this.#reported - from)));
    this.#reported = Math.max(this.#reported, from + facts.length);
    this.#write();
  }

  /** `stored`: called once it is stored. */
  explained(explained: Explained, stored: () => void): void {
    this.#explained.push({ explained, stored });
    this.#write();
  }

  image(image: StateImage): void {
    this.#image = image;
    this.#write();
  }

  /**
   * Resolves once all contacts reported so far are stored: incidents are persisted before they are
   * published. Rejects with what the store threw, or after STORE_WAIT_MS.
   */
  async stored(): Promise<void> {
    if (this.#facts.length === 0) return;
    const stored = Promise.withResolvers<void>();
    this.#waiting.push({ count: this.#reported, ...stored });
    const stopTimer = this.#dependencies.time.after(STORE_WAIT_MS, () => {
      stored.reject(new TwinError('store_unavailable', undefined, 1));
    });
    await stored.promise.finally(stopTimer);
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
      if (await this.#writeNext()) continue;
      if (this.#isClosing) break;
      await this.#dependencies.time.sleep(RETRY_MS);
    }
    this.#writing = undefined;
  }

  /** Returns false if the write must be repeated. */
  #writeNext(): Promise<boolean> {
    if (this.#facts.length > 0) return this.#writeFacts();
    return this.#explained.length > 0 ? this.#writeExplanations() : this.#writeImage();
  }

  async #writeFacts(): Promise<boolean> {
    const facts = [...this.#facts];
    try {
      await this.#dependencies.records.saveIncidents(this.#world, facts);
    } catch (error) {
      this.#warn('contacts', error, !this.#isClosing);
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      return false;
    }
    this.#facts.splice(0, facts.length);
    this.#told(new Set(facts.map((fact) => incidentId(fact.chainTick, fact.chainOrder))), false);
    const stored = this.storedContacts;
    const { served = [], left = [] } = Object.groupBy(this.#waiting, ({ count }) =>
      count <= stored ? 'served' : 'left',
    );
    this.#waiting = left;
    for (const { resolve } of served) resolve();
    return true;
  }

  async #writeExplanations(): Promise<boolean> {
    const written = [...this.#explained];
    const explained = written.map((each) => each.explained);
    try {
      await this.#dependencies.records.saveExplanations(this.#world, explained);
    } catch (error) {
      this.#warn('explanations', error, !this.#isClosing);
      return false;
    }
    this.#explained.splice(0, written.length);
    for (const { stored } of written) stored();
    this.#told(
      explained.map(({ tick, order }) => incidentId(tick, order)),
      true,
    );
    return true;
  }

  /** An image only saves computing time: if the write fails, it is not repeated. */
  async #writeImage(): Promise<boolean> {
    const image = this.#image;
    this.#image = undefined;
    if (image === undefined) return true;
    const { kernel } = this.#dependencies;
    try {
      await this.#images.save(image, kernel);
    } catch (error) {
      this.#warn('a state image', error, false);
    }
    return true;
  }

  #warn(kind: string, err: unknown, isRepeated: boolean): void {
    // The store logs once that it fails, not for each write of each world.
    if (isStoreUnavailable(err)) return;
    const { log } = this.#dependencies;
    const message = `${kind} could not be saved${isRepeated ? '; trying again' : ''}`;
    log.warn({ world: worldIdOf(this.#world), err }, message);
  }
}
