import type { Encoding, StreamEncoding } from '../codec/encoding.ts';

/** In what form readers need a frame: some only need a few of its numbers. */
export type ReadForm = Encoding | 'packed';
const FORMS: readonly ReadForm[] = ['json', 'msgpack', 'packed'];
/** In which forms readers need the frames of a world. */
export type Readers = Readonly<Record<ReadForm, boolean>>;
const NO_READERS: Readers = {
  json: false,
  msgpack: false,
  packed: false,
};

/**
 * Who watches one world, and in which encodings watchers and readers need its frames. Whoever watches by
 * lockstep needs none.
 */
export class EncodingDemand {
  #watchers: Record<StreamEncoding, number> = { json: 0, msgpack: 0, lockstep: 0 };
  #readers = NO_READERS;
  /** By client: number of its watchers of frames. Absent where nobody watches, because most worlds are so. */
  #clients: Map<string, number> | undefined;

  get watcherCount(): number {
    return this.frameWatcherCount + this.lockstepCount;
  }

  get frameWatcherCount(): number {
    return this.#watchers.json + this.#watchers.msgpack;
  }

  get lockstepCount(): number {
    return this.#watchers.lockstep;
  }

  wants(encoding: Encoding): boolean {
    const isRead = this.#readers[encoding] && this.frameWatcherCount > 0;
    return this.#watchers[encoding] > 0 || isRead;
  }

  /** Whether readers need the numbers of its frames. */
  get wantsPacked(): boolean {
    return this.#readers.packed && this.frameWatcherCount > 0;
  }

  /** In which it is watched or read. */
  get encodings(): StreamEncoding[] {
    const all = Object.keys(this.#watchers) as StreamEncoding[];
    return all.filter((each) => (each === 'lockstep' ? this.lockstepCount > 0 : this.wants(each)));
  }

  /** Of those that watch frames the client that came first. */
  get firstClient(): string | undefined {
    return this.#clients?.keys().next().value;
  }

  joinLockstep(): void {
    this.#watchers.lockstep++;
  }

  leaveLockstep(): void {
    this.#watchers.lockstep--;
  }

  /** Adds a watcher of frames; returns whether its encoding was not needed before. */
  join(encoding: Encoding, client: string): boolean {
    const isNew = !this.wants(encoding);
    this.#watchers[encoding]++;
    this.#clients ??= new Map();
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    return isNew;
  }

  /** Removes a watcher of frames; returns whether its encoding is no longer needed. */
  leave(encoding: Encoding, client: string): boolean {
    this.#watchers[encoding]--;
    const left = (this.#clients?.get(client) ?? 0) - 1;
    if (left > 0) this.#clients?.set(client, left);
    else this.#clients?.delete(client);
    if (this.frameWatcherCount === 0) {
      this.#readers = NO_READERS;
      this.#clients = undefined;
    }
    return !this.wants(encoding);
  }

  /** What readers ask for, while anybody watches. */
  get readers(): Readers {
    return this.#readers;
  }

  /** Adds a reader; returns whether its form was not needed before. */
  read(form: ReadForm): boolean {
    if (this.frameWatcherCount === 0 || this.#readers[form]) return false;
    const isNew = !this.#needs(form);
    this.#readers = { ...this.#readers, [form]: true };
    return isNew;
  }

  #needs(form: ReadForm): boolean {
    return form === 'packed' ? this.wantsPacked : this.wants(form);
  }

  /** Forgets all readers; returns whether a form is no longer needed. */
  forgetReaders(): boolean {
    const needed = FORMS.filter((form) => this.#needs(form));
    this.#readers = NO_READERS;
    return needed.some((form) => !this.#needs(form));
  }
}
