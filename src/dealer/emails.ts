import { type CarRecord, type EmailRecord, keys } from './records.ts';
import type { Draft, Reader } from './registry.ts';

const NOBODYS: EmailRecord = { holder: null, cars: [] };

/** Who has an email, and on which cars it stands with rights. */
export async function emailOf(reader: Reader, email: string): Promise<EmailRecord> {
  return (await reader.get<EmailRecord>(keys.email(reader.generation, email))) ?? NOBODYS;
}

/** Whether an account may take an email: nobody else has it, or rights that were given by it. */
export function isFree({ holder, cars }: EmailRecord, taker: string | null): boolean {
  if (holder !== null && holder.id !== taker) return false;
  return cars.every(([, owner]) => owner === taker);
}

export function putEmail(draft: Draft, email: string, record: EmailRecord): void {
  const key = keys.email(draft.generation, email);
  if (record.holder === null && record.cars.length === 0) draft.remove(key);
  else draft.put(key, record);
}

/** Gives an account the rights to a car, by its email. */
export async function bind(
  draft: Draft,
  vin: string,
  email: string,
  account: string,
): Promise<void> {
  const record = await emailOf(draft, email);
  putEmail(draft, email, { ...record, cars: [...record.cars, [vin, account]] });
  draft.put(keys.owned(draft.generation, account, vin), 0);
}

/** Takes the rights to a car from its owner. */
export async function unbind(draft: Draft, { vin, owner }: CarRecord): Promise<void> {
  if (owner === null || owner.account === null) return;
  const record = await emailOf(draft, owner.email);
  const cars = record.cars.filter(([each]) => each !== vin);
  putEmail(draft, owner.email, { ...record, cars });
  draft.remove(keys.owned(draft.generation, owner.account, vin));
}
