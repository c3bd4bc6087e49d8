import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemTime } from '../time.ts';
import { DamagedStore } from './data-file.ts';
import { openEmbedded } from './embedded-store.ts';

const PAGE_BYTES = 4096;
/** The entries below take more pages than this; what follows is reserved space. */
const USED_PAGES = 200;
const BATCHES = 10;
const BATCH_ENTRIES = 200;
const ENTRIES = BATCHES * BATCH_ENTRIES;

let dir: string;
let file: string;

beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'data-file-test.')), 'store');
  file = join(dir, 'data.mdb');
  const store = await openEmbedded(dir, systemTime);
  for (let batch = 0; batch < BATCHES; batch++) {
    const writes = Array.from({ length: BATCH_ENTRIES }, (_, i) => ({
      key: ['a', batch * BATCH_ENTRIES + i],
      value: 'x'.repeat(4 * i),
    }));
    await store.commit([], writes);
  }
  await store.close();
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

/** Opens the store and counts its entries, or tells how it is damaged. */
async function opened(): Promise<number | DamagedStore> {
  try {
    const store = await openEmbedded(dir, systemTime);
    const found = await store.list(['a'], { limit: 10_000 });
    await store.commit([], [{ key: ['b'], value: 1 }]);
    await store.close();
    return found.length;
  } catch (error) {
    if (error instanceof DamagedStore) return error;
    throw error;
  }
}

describe('a store that is not as it was closed', () => {
  it('[R30] is refused where its data file was emptied or removed, and stays as it is', async () => {
    truncateSync(file, 0);
    expect(await opened()).toMatchObject({ message: expect.stringContaining('data.mdb is empty') });
    expect(statSync(file).size).toBe(0);
    rmSync(file);
    expect(await opened()).toMatchObject({ message: expect.stringContaining('is missing') });
  });

  it('[R30] is refused where its first pages are none of LMDB', async () => {
    for (const at of [0, PAGE_BYTES]) {
      const whole = readFileSync(file);
      writeFileSync(file, Buffer.from(whole).fill(0x55, at, at + PAGE_BYTES));
      const found = expect.stringContaining('does not begin as an LMDB file');
      expect(await opened()).toMatchObject({ message: found });
      writeFileSync(file, whole);
    }
    expect(await opened()).toBe(ENTRIES);
  });

  it.each([0.1, 0.3, 0.5, 0.7, 0.9])(
    '[R30] is refused where %f of its file is left, unless nothing is lost',
    async (share) => {
      truncateSync(file, Math.floor(statSync(file).size * share));
      const found = await opened();
      if (!(found instanceof DamagedStore)) expect(found).toBe(ENTRIES);
      else expect(found.message).toMatch(/reading data.mdb ended with SIG\w+\. Restore the dir/);
    },
  );

  it('[R30] is refused where a page in use was overwritten, and never ends the process', async () => {
    const whole = readFileSync(file);
    const refused = { zeros: 0, ones: 0 };
    // A signal, or what LMDB or the scan said; not what Node.js prints behind an uncaught error.
    const causes = /reading data.mdb ended with (?!Node\.js)[a-z]/i;
    for (let page = 5; page < USED_PAGES; page += 29) {
      for (const [name, byte] of [
        ['zeros', 0],
        ['ones', 0xff],
      ] as const) {
        const from = page * PAGE_BYTES;
        writeFileSync(file, Buffer.from(whole).fill(byte, from, from + PAGE_BYTES));
        const found = await opened();
        if (found instanceof DamagedStore) {
          expect(found.message).toMatch(causes);
          refused[name]++;
        } else expect(found).toBe(ENTRIES);
      }
    }
    expect(refused.zeros).toBeGreaterThan(0);
    expect(refused.ones).toBeGreaterThan(0);
  });

  it('[R30] opens after it was copied, and after it was not closed at all', async () => {
    writeFileSync(file, readFileSync(file));
    expect(await opened()).toBe(ENTRIES);
    rmSync(join(dir, 'closed.json'));
    expect(await opened()).toBe(ENTRIES);
  });
});

describe('other users of the machine', () => {
  it('[R31] can read neither the directory nor a file of the store', async () => {
    const modes = () => {
      const paths = [dir, ...readdirSync(dir).map((name) => join(dir, name))];
      return new Set(paths.map((path) => statSync(path).mode & 0o077));
    };
    expect(modes()).toEqual(new Set([0]));
    rmSync(dir, { recursive: true });
    const store = await openEmbedded(dir, systemTime);
    expect(modes()).toEqual(new Set([0]));
    await store.close();
  });

  it('[R31] lose the right to read a store of an older version, and the operator is warned', async () => {
    chmodSync(dir, 0o755);
    chmodSync(file, 0o644);
    const store = await openEmbedded(dir, systemTime);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(store.warnings()).toEqual([expect.stringContaining(`chmod go= ${dir}`)]);
    await store.close();
    chmodSync(dir, 0o700);
    const again = await openEmbedded(dir, systemTime);
    expect(again.warnings()).toEqual([]);
    await again.close();
  });
});
