/**
 * Reads a whole embedded store, and takes its list of free pages for a commit without effect. Started
 * as a process of its own before a node opens a store that was not closed in order: a damaged page
 * ends this process, not the node. Argument: directory.
 */
import { decodeKey, unpackValue } from './encoding.ts';
import { LAST_VERSION, openEnvironment } from './lmdb.ts';

const [dir = ''] = process.argv.slice(2);
const { root, entries } = openEnvironment(dir);
let count = 0;
for (const { key, value } of entries.getRange()) {
  decodeKey(key);
  unpackValue(value);
  count++;
}
// A range ends without an error where LMDB meets a page that is none.
const { entryCount } = entries.getStats() as { entryCount: number };
if (count !== entryCount) throw new Error(`only ${count} of ${entryCount} entries`);
await root.batch(() => {
  root.put(LAST_VERSION, root.get(LAST_VERSION) ?? 0);
});
await root.flushed;
await root.close();
