import { createHash } from 'node:crypto';
import type { CarType } from '../twin/fleet.ts';
import { carTypeFields } from './car-types.ts';

const DIGITS = 32;

/**
 * A hash of everything that determines how the worlds of some cities continue: two kernels with the same
 * identity continue them in the same way.
 */
export function kernelIdentity(
  wasm: Uint8Array,
  cityTables: readonly ArrayBuffer[],
  carTypes: readonly CarType[],
): string {
  const hash = createHash('sha256').update(wasm);
  for (const table of cityTables) hash.update(new Uint8Array(table));
  for (const type of carTypes) {
    hash.update(Float64Array.from(carTypeFields(type), ([, value]) => value));
  }
  return hash.digest('hex').slice(0, DIGITS);
}
