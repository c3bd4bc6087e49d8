import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The file grows in steps of this size, so that few commits wait for it. */
const STEP_BYTES = 4 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

/**
 * Space at the end of LMDB's file, taken from the device before LMDB writes there.
 *
 * When a write of LMDB fails, lmdb 3.5.6 writes a message of about 105 bytes into a buffer of 100.
 * That corrupts the heap, and the process crashes sooner or later. So a write of LMDB must never
 * find the device full. This class writes zeros after LMDB's last page; LMDB overwrites them
 * without reading them. If writing the zeros fails, the commit is refused and the store is
 * unchanged.
 */
export class Preallocation {
  readonly #path: string;
  readonly #usedBytes: () => number;
  #file: FileHandle | undefined;
  /** Free bytes at the end of the file, less those that were reserved since the last count. */
  #leftBytes = 0;

  /** `usedBytes`: returns the end of LMDB's last page. */
  constructor(path: string, usedBytes: () => number) {
    this.#path = path;
    this.#usedBytes = usedBytes;
  }

  /** Reserves `bytes` for LMDB. Rejects if the device has no space for them. */
  async ensure(bytes: number): Promise<void> {
    if (this.#leftBytes < bytes) this.#leftBytes = await this.#extend(bytes);
    this.#leftBytes -= bytes;
  }

  /** Extends the file if needed; returns the free bytes at its end, at least `bytes`. */
  async #extend(bytes: number): Promise<number> {
    this.#file ??= await open(this.#path, 'r+');
    const used = this.#usedBytes();
    // Synchronous, because it takes 1 µs; an asynchronous call waits for turns of the event loop.
    let { size } = fstatSync(this.#file.fd);
    if (size - used >= bytes) return size - used;
    const wanted = used + bytes + STEP_BYTES;
    const zeros = Buffer.alloc(CHUNK_BYTES);
    try {
      while (size < wanted) {
        const length = Math.min(CHUNK_BYTES, wanted - size);
        size += (await this.#file.write(zeros, 0, length, size)).bytesWritten;
      }
    } catch (error) {
      if (size - used < bytes) throw error;
    }
    return size - used;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
