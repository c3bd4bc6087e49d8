import { LRUCache } from 'lru-cache';
import type { Time } from '../../time.ts';

/** What an entry takes beside its bytes and its name: objects of the map, of the array and its memory. */
const ENTRY_BYTES = 512;
const KEPT_MS = 20_000;

/** Encoded pages of lists: the most recently used ones, until nobody has read them for 20 s. */
export class KeptPages {
  readonly #pages: LRUCache<string, Uint8Array>;

  constructor(bytesMax: number, time: Pick<Time, 'now'>) {
    this.#pages = new LRUCache({
      maxSize: bytesMax,
      ttl: KEPT_MS,
      updateAgeOnGet: true,
      perf: time,
      // The cache would set a timer of its own to round the time.
      ttlResolution: 0,
      sizeCalculation: (body, name) => body.byteLength + name.length + ENTRY_BYTES,
    });
  }

  get bytes(): number {
    return this.#pages.calculatedSize;
  }

  get(name: string): Uint8Array | undefined {
    return this.#pages.get(name);
  }

  /** Keeps a copy: a small Buffer is a part of 8 KiB, all of which it would keep. */
  keep(name: string, body: Uint8Array): void {
    this.#pages.set(name, new Uint8Array(body));
  }

  /** Drops what nobody has read for so long: `get` drops only what it is asked for. */
  sweep(): void {
    this.#pages.purgeStale();
  }
}
