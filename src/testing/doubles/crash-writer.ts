/**
 * For the tests: writes pairs of keys as fast as it can until it is killed, and prints the number
 * of each pair that the store has acknowledged. Arguments: directory, first number.
 */

import { writeSync } from 'node:fs';
import { openEmbedded } from '../../store/embedded-store.ts';
import { systemTime } from '../../time.ts';
import { takenGrant } from '../rigs/taken-grant.ts';

const WRITERS = 32;

const [dir = '', first = '0'] = process.argv.slice(2);
const store = await openEmbedded(dir, systemTime);
const grants = await Promise.all(Array.from({ length: 64 }, (_, p) => takenGrant(store, p)));
let next = Number(first);

async function writeForEver(): Promise<never> {
  for (;;) {
    const number = next++;
    const left = ['p', number % 64, 'left', number];
    const right = ['p', number % 64, 'right', number];
    const checks = [{ key: left, version: null }];
    const writes = [left, right].map((key) => ({
      key,
      value: { number, filler: 'x'.repeat(100) },
    }));
    if (!(await store.commit(checks, writes, grants[number % 64])))
      throw new Error(`${number} was there already`);
    // Synchronously, so that nothing acknowledged is still in this process when it is killed.
    writeSync(1, `${number}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, writeForEver));
