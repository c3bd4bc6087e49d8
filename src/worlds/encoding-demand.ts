import type { Encoding } from '../codec/encoding.ts';

/** The encodings in which the frames of one world are needed, by watchers and by readers. */
export class EncodingDemand {
  #watchers: Record<Encoding, number> = { json: 0, msgpack: 0 };
  #readers: Record<Encoding, boolean> = { json: false, msgpack: false };

  get watcherCount(): number {
    return this.#watchers.json + this.#watchers.msgpack;
  }

  wants(encoding: Encoding): boolean {
    const isRead = this.#readers[encoding] && this.watcherCount > 0;
    return this.#watchers[encoding] > 0 || isRead;
  }

  /** Adds a watcher; returns whether its encoding was not needed before. */
  join(encoding: Encoding): boolean {
    const isNew = !this.wants(encoding);
    this.#watchers[encoding]++;
    return isNew;
  }

  /** Removes a watcher; returns whether its encoding is no longer needed. */
  leave(encoding: Encoding): boolean {
    this.#watchers[encoding]--;
    if (this.watcherCount === 0) this.#readers = { json: false, msgpack: false };
    return !this.wants(encoding);
  }

  /** Adds a reader; returns whether its encoding was not needed before. */
  read(encoding: Encoding): boolean {
    if (this.watcherCount === 0 || this.wants(encoding)) return false;
    this.#readers[encoding] = true;
    return true;
  }

  /** Forgets all readers; returns whether an encoding is no longer needed. */
  forgetReaders(): boolean {
    const before = [this.wants('json'), this.wants('msgpack')];
    this.#readers = { json: false, msgpack: false };
    return before[0] !== this.wants('json') || before[1] !== this.wants('msgpack');
  }
}
