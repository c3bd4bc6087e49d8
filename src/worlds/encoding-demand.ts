import type { Encoding } from '../codec/encoding.ts';

/** In which encodings frames of one world are wanted: by watchers, and by REST readers beside them. */
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

  /** One watcher more; returns whether its encoding was not wanted before. */
  join(encoding: Encoding): boolean {
    const isNew = !this.wants(encoding);
    this.#watchers[encoding]++;
    return isNew;
  }

  /** One watcher less; returns whether its encoding is no longer wanted. */
  leave(encoding: Encoding): boolean {
    this.#watchers[encoding]--;
    if (this.watcherCount === 0) this.#readers = { json: false, msgpack: false };
    return !this.wants(encoding);
  }

  /** A client has read a frame; returns whether from now on its encoding is wanted as well. */
  read(encoding: Encoding): boolean {
    if (this.watcherCount === 0 || this.wants(encoding)) return false;
    this.#readers[encoding] = true;
    return true;
  }

  /** Forgets the readers until they read again; returns whether an encoding is no longer wanted. */
  forgetReaders(): boolean {
    const before = [this.wants('json'), this.wants('msgpack')];
    this.#readers = { json: false, msgpack: false };
    return before[0] !== this.wants('json') || before[1] !== this.wants('msgpack');
  }
}
