import { type FieldFault, invalid, valueFault } from './errors.ts';
import type { Reader } from './reader.ts';
import { type AccountRef, keys } from './records.ts';

/** The account of a username, of any role. */
export function refOf(reader: Reader, username: string): Promise<AccountRef | undefined> {
  return reader.get<AccountRef>(keys.name(reader.generation, username));
}

/** Throws DealerError 422 about the field if the username is not a dealer's. */
export async function expectDealer(
  reader: Reader,
  username: string,
  field: FieldFault['loc'],
): Promise<void> {
  const ref = await refOf(reader, username);
  if (ref?.role !== 'dealer') throw invalid(valueFault(field, 'unknown dealer'));
}
