import { LRUCache } from 'lru-cache';

/** What an entry takes beside its bytes and its name: objects of the map, of the array and its memory. */
const ENTRY_BYTES = 512;

/** Encoded pages of lists, the most recently used ones. */
export class KeptPages {
  readonly #pages: LRUCache<string, Uint8Array>;

  constructor(bytesMax: number) {
    this.#pages = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: (body, name) => body.byteLength + name.length + ENTRY_BYTES,
    });
  }

  get(name: string): Uint8Array | undefined {
    return this.#pages.get(name);
  }

  /** Keeps a copy: a small Buffer is a part of 8 KiB, all of which it would keep. */
  keep(name: string, body: Uint8Array): void {
    this.#pages.set(name, new Uint8Array(body));
  }
}
