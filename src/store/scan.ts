/**
 * Reads a whole embedded store, and takes its list of free pages for a commit that changes no entry.
 * Started as a process of its own before a node opens a store that was not closed in order: a damaged
 * page ends this process, not the node. Argument: directory.
 */
import { statfs } from 'node:fs/promises';
import { SCAN_FOUND_DAMAGE } from './data-file.ts';
import { decodeKey, unpackValue } from './encoding.ts';
import { type Environment, openEnvironment } from './lmdb.ts';

/** A commit on a device with less could fail, and a failed one of LMDB corrupts memory. */
const FREE_BYTES_MIN = 64 * 2 ** 20;
const FAILED = 1;

/** Throws where an entry is damaged or missing. */
function readEntries({ entries }: Environment): void {
  let count = 0;
  for (const { key, value } of entries.getRange()) {
    decodeKey(key);
    unpackValue(value);
    count++;
  }
  // A range ends without an error where LMDB meets a page that is none.
  const { entryCount } = entries.getStats() as { entryCount: number };
  if (count !== entryCount) throw new Error(`only ${count} of ${entryCount} entries`);
}

let exitCode = FAILED;
try {
  const [dir = ''] = process.argv.slice(2);
  const environment = openEnvironment(dir);
  exitCode = SCAN_FOUND_DAMAGE;
  readEntries(environment);
  exitCode = FAILED;
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize > FREE_BYTES_MIN) {
    await environment.root.put('checked', 1);
    await environment.root.flushed;
  }
  await environment.root.close();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(exitCode);
}
