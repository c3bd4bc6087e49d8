import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { batchesOf, type Listing } from './listing.ts';
import type { Reader } from './reader.ts';
import { type AuditEntry, type Audited, type AuditSubject, keys } from './records.ts';
import type { Actor } from './rights.ts';
import type * as schemas from './schemas.ts';
import type { Transaction } from './transaction.ts';

/** Changes that are kept of a car or of a customer: each later one takes the place of the oldest. */
const ENTRIES_MAX = 1000;
/** Entries that are encoded in one go. */
const BATCH = 100;

/** A change of a record, as it is noted. */
export interface NotedChange {
  actor: Pick<Actor, 'username' | 'role'>;
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
  const { username, role } = actor;
  const entry: AuditEntry = { number, atMs, actor: username, role, action, fields };
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

/** What of a trail somebody may see. */
export interface TrailView {
  viewer: Actor;
  /** Only what came with or after the last change of this field: before, it was another one's. */
  sinceField: string | undefined;
  /** Called with the number of entries before they are read; may throw. */
  pay: (entries: number) => void;
}

/**
 * Who changed a record, newest first, as text of a list. The names by which admins log in are for admins.
 * @param tag changes with the record, and differs for each viewer
 */
export async function trailOf(
  reader: Reader,
  subject: AuditSubject,
  { changeCount = 0 }: Audited,
  { viewer, sinceField, pay }: TrailView,
): Promise<Listing> {
  pay(Math.min(changeCount, ENTRIES_MAX));
  const all = await reader.all<AuditEntry>(keys.trail(reader.generation, subject));
  all.sort((a, b) => b.number - a.number);
  const oldest =
    sinceField === undefined ? -1 : all.findIndex((each) => each.fields.includes(sinceField));
  const shown = oldest < 0 ? all : all.slice(0, oldest + 1);
  const textOf = ({ atMs, actor, role, action, fields }: AuditEntry) => {
    const isHidden = role === 'admin' && viewer.role !== 'admin';
    const at = new Date(atMs).toISOString();
    const entry = { at, actor: isHidden ? 'admin' : actor, action, fields: [...fields] };
    return JSON.stringify(entry satisfies schemas.AuditEntry);
  };
  const about = createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
  return {
    tag: `${about}.${reader.generation}.${changeCount}.${viewer.id}`,
    count: shown.length,
    batches: batchesOf(shown, BATCH, (batch) => batch.map(textOf)),
  };
}
