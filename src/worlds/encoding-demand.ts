import type { Encoding } from '../codec/encoding.ts';

/** Who wants the frames of one world: its watchers, and readers over REST while it has any. */
export class Audience {
  #watchers: Record<Encoding, number> = { json: 0, msgpack: 0 };
  #readers: Record<Encoding, boolean> = { json: false, msgpack: false };

  get watcherCount(): number {
    return this.#watchers.json + this.#watchers.msgpack;
  }

  /** Whether anybody wants frames in this encoding. */
  wants(encoding: Encoding): boolean {
    const isRead = this.#readers[encoding] && this.watcherCount > 0;
    return this.#watchers[encoding] > 0 || isRead;
  }

  /** A watcher more; true where its encoding was not wanted before. */
  join(encoding: Encoding): boolean {
    const isNew = !this.wants(encoding);
    this.#watchers[encoding]++;
    return isNew;
  }

  /** A watcher less; true where its encoding, or anything, is not wanted any more. */
  leave(encoding: Encoding): boolean {
    this.#watchers[encoding]--;
    if (this.watcherCount === 0) this.#readers = { json: false, msgpack: false };
    return !this.wants(encoding);
  }

  /** Somebody asked for a frame; true where from now on frames of this encoding are wanted. */
  read(encoding: Encoding): boolean {
    if (this.watcherCount === 0 || this.wants(encoding)) return false;
    this.#readers[encoding] = true;
    return true;
  }

  /** Readers have to ask again; true where an encoding is not wanted any more. */
  forgetReaders(): boolean {
    const before = [this.wants('json'), this.wants('msgpack')];
    this.#readers = { json: false, msgpack: false };
    return before[0] !== this.wants('json') || before[1] !== this.wants('msgpack');
  }
}
