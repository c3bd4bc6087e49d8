/**
 * Reads a whole embedded store, and takes its list of free pages for a commit that changes no entry.
 * Started as a process of its own before a node opens a store that was not closed in order: a damaged
 * page ends this process, not the node. Argument: directory. Exit code 3: the store is damaged.
 */
import { statfs } from 'node:fs/promises';
import { decodeKey, unpackValue } from './encoding.ts';
import { openEnvironment } from './lmdb.ts';

/** A commit on a device with less could fail, and a failed one of LMDB corrupts memory. */
const FREE_BYTES_MIN = 64 * 2 ** 20;

/** As `data-file.ts` expects it. */
const FOUND_DAMAGE = 3;

const [dir = ''] = process.argv.slice(2);
const { root, entries } = openEnvironment(dir);
try {
  let count = 0;
  for (const { key, value } of entries.getRange()) {
    decodeKey(key);
    unpackValue(value);
    count++;
  }
  // A range ends without an error where LMDB meets a page that is none.
  const { entryCount } = entries.getStats() as { entryCount: number };
  if (count !== entryCount) throw new Error(`only ${count} of ${entryCount} entries`);
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize > FREE_BYTES_MIN) {
    await root.put('checked', 1);
    await root.flushed;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(FOUND_DAMAGE);
}
await root.close();
