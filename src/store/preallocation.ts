import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The file grows by so much at a time, so that few commits wait for it. */
const STEP_BYTES = 4 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

/**
 * Space at the end of LMDB's file, taken from the device before LMDB writes there.
 *
 * When a write of LMDB fails, lmdb 3.5.6 writes a message of some 105 bytes into a buffer of 100,
 * and the process dies of a corrupted heap, now or later. So LMDB must never meet a full device:
 * this class writes zeros behind LMDB's last page, which LMDB overwrites without reading them. If
 * that fails, nothing has happened.
 */
export class Preallocation {
  readonly #path: string;
  readonly #usedBytes: () => number;
  #file: FileHandle | undefined;
  /** Free bytes at the end of the file, less those that were promised since they were counted. */
  #leftBytes = 0;

  /** `usedBytes`: how far LMDB's last page goes. */
  constructor(path: string, usedBytes: () => number) {
    this.#path = path;
    this.#usedBytes = usedBytes;
  }

  /** Makes sure that LMDB can write `bytes`. Rejects if the device has no space for them. */
  async ensure(bytes: number): Promise<void> {
    if (this.#leftBytes < bytes) this.#leftBytes = await this.#extend(bytes);
    this.#leftBytes -= bytes;
  }

  /** Free bytes at the end of the file, which are `bytes` at least. */
  async #extend(bytes: number): Promise<number> {
    this.#file ??= await open(this.#path, 'r+');
    const used = this.#usedBytes();
    // Synchronous, because it takes a microsecond, and awaiting it turns of a busy event loop.
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
