/**
 * For the tests: runs under a limit on the size of files, goes over it, and prints what came of
 * each step as JSON. Arguments: directory.
 */

import type { StoreUnavailable, Write } from '../../store/contract.ts';
import { openEmbedded } from '../../store/embedded-store.ts';
import { systemTime } from '../../time.ts';

const TOO_MUCH_BYTES = 16 * 2 ** 20;

const [dir = ''] = process.argv.slice(2);
const store = await openEmbedded(dir, systemTime);
const tooMuch = { key: ['too much'], value: new Uint8Array(TOO_MUCH_BYTES) };

async function outcome(...writes: Write[]): Promise<string> {
  return store.commit([], writes).then(
    (accepted) => String(accepted),
    (error: StoreUnavailable) => `${error.name} ${error.reason}`,
  );
}

const before = await outcome({ key: ['before'], value: 1 });
const [together, over] = await Promise.all([
  outcome({ key: ['together'], value: 1 }),
  outcome(tooMuch),
]);
const afterwards = await outcome({ key: ['afterwards'], value: 1 });
const keys = (await store.list([], { limit: 10 })).map(({ key }) => key[0]);
// The last batch before the close is one that fails.
const last = await outcome(tooMuch);
await store.close();
console.log(JSON.stringify({ before, together, over, afterwards, keys, last }));
