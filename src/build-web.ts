import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ASSETS = fileURLToPath(new URL('../build/web/assets', import.meta.url));
/** What a picture saves is less than what it costs to unpack it. */
const COMPRESSIBLE = /\.(js|css|svg)$/;

/** Writes every file of the pages once more, compressed, beside it: nobody then does it at run time. */
function compressAssets(): void {
  for (const name of readdirSync(ASSETS).filter((each) => COMPRESSIBLE.test(each))) {
    const path = join(ASSETS, name);
    const body = readFileSync(path);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
    };
    writeFileSync(`${path}.br`, brotliCompressSync(body, { params }));
    writeFileSync(`${path}.gz`, gzipSync(body, { level: constants.Z_BEST_COMPRESSION }));
  }
}

compressAssets();
