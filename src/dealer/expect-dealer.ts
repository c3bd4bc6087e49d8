import { type FieldFault, invalid, valueFault } from './errors.ts';
import type { Reader } from './reader.ts';
import { type AccountRef, keys } from './records.ts';

/** Throws DealerError 422 about the field if the username is not a dealer's. */
export async function expectDealer(
  reader: Reader,
  username: string,
  field: FieldFault['loc'],
): Promise<void> {
  const ref = await reader.get<AccountRef>(keys.name(reader.generation, username));
  if (ref?.role !== 'dealer') throw invalid(valueFault(field, 'unknown dealer'));
}
