import { isDeepStrictEqual } from 'node:util';
import type { Reader } from './reader.ts';
import { type CarRecord, type EmailRecord, keys } from './records.ts';
import type { Transaction } from './transaction.ts';

const NOBODYS: EmailRecord = { holder: null, cars: [] };

/** The holder of an email, and the cars whose rights are bound to it. */
export async function emailOf(reader: Reader, email: string): Promise<EmailRecord> {
  const { generation } = reader;
  const found =
    (await reader.get<EmailRecord>(keys.email(generation, email))) ??
    (await reader.get<EmailRecord>(keys.formerEmail(generation, email)));
  return found ?? NOBODYS;
}

/** Whether no other account holds an email or has rights to a car through it. */
export function isFree({ holder, cars }: EmailRecord, taker: string | null): boolean {
  if (holder !== null && holder.id !== taker) return false;
  return cars.every(([, owner]) => owner === taker);
}

function putEmail(transaction: Transaction, email: string, record: EmailRecord): void {
  const key = keys.email(transaction.generation, email);
  const former = keys.formerEmail(transaction.generation, email);
  if (!isDeepStrictEqual(former, key)) transaction.remove(former);
  if (record.holder === null && record.cars.length === 0) transaction.remove(key);
  else transaction.put(key, record);
}

/** Makes an account, or nobody, the holder of an email. */
export async function setHolder(
  transaction: Transaction,
  email: string,
  holder: EmailRecord['holder'],
): Promise<void> {
  putEmail(transaction, email, { ...(await emailOf(transaction, email)), holder });
}

/** Gives an account the rights to a car through its email. */
export async function bind(
  transaction: Transaction,
  vin: string,
  email: string,
  account: string,
): Promise<void> {
  const record = await emailOf(transaction, email);
  putEmail(transaction, email, { ...record, cars: [...record.cars, [vin, account]] });
  transaction.put(keys.owned(transaction.generation, account, vin), 0);
}

/** Takes the rights to a car from its owner. */
export async function unbind(transaction: Transaction, { vin, owner }: CarRecord): Promise<void> {
  if (owner === null || owner.account === null) return;
  const record = await emailOf(transaction, owner.email);
  const cars = record.cars.filter(([each]) => each !== vin);
  putEmail(transaction, owner.email, { ...record, cars });
  transaction.remove(keys.owned(transaction.generation, owner.account, vin));
}
