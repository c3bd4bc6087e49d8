import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The file grows by so much at a time, so that few commits wait for it. */
const STEP_BYTES = 4 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

/**
 * Room at the end of LMDB's file, taken from the device before LMDB writes there.
 *
 * Where a write of LMDB fails, lmdb 3.5.6 writes a message of some 105 bytes into a buffer of 100,
 * and the process ends with a corrupted heap, now or later. A full device must therefore be found
 * out by somebody else: zeros are written behind LMDB's last page, which nobody reads and LMDB
 * writes over, and where that fails nothing has happened.
 */
export class Room {
  readonly #path: string;
  readonly #usedBytes: () => number;
  #file: FileHandle | undefined;
  /** Of the room that was found last, what nobody has been promised yet. */
  #leftBytes = 0;

  /** `usedBytes`: how far LMDB's last page goes. */
  constructor(path: string, usedBytes: () => number) {
    this.#path = path;
    this.#usedBytes = usedBytes;
  }

  /** Makes sure that LMDB can write so much. Rejects where the device has no space for it. */
  async ensure(bytes: number): Promise<void> {
    if (this.#leftBytes < bytes) this.#leftBytes = await this.#find(bytes);
    this.#leftBytes -= bytes;
  }

  async #find(bytes: number): Promise<number> {
    this.#file ??= await open(this.#path, 'r+');
    const used = this.#usedBytes();
    // Asked every few batches. Not awaited: that takes turns of a busy event loop, this a microsecond.
    const { size } = fstatSync(this.#file.fd);
    if (size - used >= bytes) return size - used;
    const [end, error] = await grow(this.#file, size, used + bytes + STEP_BYTES);
    if (end - used < bytes) throw error;
    return end - used;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** Writes zeros up to `wanted`; how far it came, and what ended it. */
async function grow(
  file: FileHandle,
  size: number,
  wanted: number,
): Promise<[end: number, error: unknown]> {
  const zeros = Buffer.alloc(CHUNK_BYTES);
  let end = size;
  try {
    while (end < wanted) {
      const length = Math.min(CHUNK_BYTES, wanted - end);
      end += (await file.write(zeros, 0, length, end)).bytesWritten;
    }
    return [end, undefined];
  } catch (error) {
    return [end, error];
  }
}
