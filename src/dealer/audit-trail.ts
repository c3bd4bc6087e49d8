import { isDeepStrictEqual } from 'node:util';
import type { Reader } from './reader.ts';
import { type AuditEntry, type Audited, type AuditSubject, keys } from './records.ts';
import type { Actor } from './rights.ts';
import type * as schemas from './schemas.ts';
import type { Transaction } from './transaction.ts';

/** Changes that are kept of a car or of a customer: each later one takes the place of the oldest. */
const ENTRIES_MAX = 1000;

/** A change of a record, as it is noted. */
export interface NotedChange {
  actor: Pick<Actor, 'username'>;
  action: AuditEntry['action'];
  /** Those that changed. */
  fields: readonly string[];
  atMs: number;
}

/** Which fields differ. One that is absent is as good as null. */
export function changedFields<Name extends string>(
  before: Readonly<Partial<Record<Name, unknown>>>,
  after: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): Name[] {
  return names.filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
}

/**
 * Notes a change of a record, if a field has changed, and returns the record to store. The values are not
 * noted: they may be secret, or another person's.
 */
export function noted<Subject extends Audited>(
  transaction: Transaction,
  subject: AuditSubject,
  record: Subject,
  { actor, action, fields, atMs }: NotedChange,
): Subject {
  if (fields.length === 0) return record;
  const { changeCount: number = 0 } = record;
  const entry: AuditEntry = { number, atMs, actor: actor.username, action, fields };
  transaction.put(keys.audit(transaction.generation, subject, number % ENTRIES_MAX), entry);
  return { ...record, changeCount: number + 1 };
}

/** Removes what was noted of a record that is removed. */
export function forgetTrail(
  transaction: Transaction,
  subject: AuditSubject,
  { changeCount = 0 }: Audited,
): void {
  for (let slot = 0; slot < Math.min(changeCount, ENTRIES_MAX); slot++)
    transaction.remove(keys.audit(transaction.generation, subject, slot));
}

/**
 * Who changed a record, newest first.
 * @param pay for a number of entries, before they are read; may throw
 */
export async function trailOf(
  reader: Reader,
  subject: AuditSubject,
  { changeCount = 0 }: Audited,
  pay: (entries: number) => void,
): Promise<schemas.AuditEntry[]> {
  pay(Math.min(changeCount, ENTRIES_MAX));
  const entries = await reader.all<AuditEntry>(keys.trail(reader.generation, subject));
  return entries
    .toSorted((a, b) => b.number - a.number)
    .map(({ atMs, actor, action, fields }) => ({
      at: new Date(atMs).toISOString(),
      actor,
      action,
      fields: [...fields],
    }));
}
