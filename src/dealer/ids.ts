import type { Random } from '../random.ts';

const ID_BYTES = 12;

/** An id that no record has had before. */
export function newId(random: Random): string {
  return Buffer.from(random.bytes(ID_BYTES)).toString('base64url');
}
