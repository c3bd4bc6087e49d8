import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib';

/** The ending of a copy, how it is made, and how it is read. */
const COPIES = [
  ['.br', byBrotli, promisify(brotliDecompress)],
  ['.gz', byGzip, promisify(gunzip)],
] as const;

/**
 * Writes a compressed copy in each coding beside each file, so that a node never compresses it: see
 * `readAsset`. A copy of the same content is kept, since to make one takes seconds.
 */
export async function writeCompressedCopies(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map(writeCopiesOf));
}

async function writeCopiesOf(path: string): Promise<void> {
  const body = await readFile(path);
  const written = COPIES.map(async ([ending, compressed, decompressed]) => {
    const copy = path + ending;
    const kept = await readFile(copy)
      .then(decompressed)
      .catch(() => undefined);
    if (!kept?.equals(body)) await writeFile(copy, await compressed(body));
  });
  await Promise.all(written);
}

function byBrotli(body: Uint8Array): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
  };
  return promisify(brotliCompress)(body, { params });
}

function byGzip(body: Uint8Array): Promise<Buffer> {
  return promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION });
}
