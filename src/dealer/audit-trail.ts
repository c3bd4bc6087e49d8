import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Slices } from '../slices.ts';
import { listChanged } from './errors.ts';
import type { Listing } from './listing.ts';
import type { Reader } from './reader.ts';
import { type AuditEntry, type Audited, type AuditSubject, keys } from './records.ts';
import { type Actor, can } from './rights.ts';
import type * as schemas from './schemas.ts';
import type { Transaction } from './transaction.ts';

/** Changes that are kept of a car or of a customer: each later one takes the place of the oldest. */
const ENTRIES_MAX = 1000;
/** Entries that are read and encoded in one go. Divides ENTRIES_MAX, so that no batch runs over the end. */
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

/** Entries that are kept of a record. */
export function entryCountOf({ changeCount = 0 }: Audited): number {
  return Math.min(changeCount, ENTRIES_MAX);
}

/** Removes what was noted of a record that is removed. */
export function forgetTrail(
  transaction: Transaction,
  slices: Slices,
  subject: AuditSubject,
  record: Audited,
): Promise<void> {
  const slots = [...Array(entryCountOf(record)).keys()];
  return slices.each(slots, (slot) =>
    transaction.remove(keys.audit(transaction.generation, subject, slot)),
  );
}

/** A record whose trail somebody reads. */
export interface TrailView {
  subject: AuditSubject;
  record: Audited & { updatedAtMs: number };
  viewer: Actor;
  /** Number of the first change that the viewer may see. */
  first: number;
}

/**
 * Who changed a record, newest first. Nothing is read until the batches are. They throw DealerError 503 if
 * the record is removed meanwhile.
 */
export function trailOf(reader: Reader, { subject, record, viewer, first }: TrailView): Listing {
  const { changeCount: end = 0, updatedAtMs } = record;
  const start = Math.max(first, end - ENTRIES_MAX);
  const about = createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
  return {
    // With the time: a store that has lost its last writes gives a number of changes again.
    tag: `${about}.${reader.generation}.${end}.${updatedAtMs}.${viewer.id}`,
    count: end - start,
    batches: batchesOf(reader, subject, viewer, { start, end }),
  };
}

/** @param range numbers of the first entry, and of that after the last */
async function* batchesOf(
  reader: Reader,
  subject: AuditSubject,
  viewer: Actor,
  { start, end }: { start: number; end: number },
): AsyncGenerator<readonly string[]> {
  const trail = keys.trail(reader.generation, subject);
  for (let last = end - 1; last >= start; ) {
    const begin = Math.max(start, last - (last % BATCH));
    const count = last - begin + 1;
    const found = await reader.numbered<AuditEntry>(trail, begin % ENTRIES_MAX, count);
    if (found.length < count) throw listChanged();
    // A later change may have taken the place of an entry meanwhile: it is not of this list.
    const entries = found.filter(({ number }) => number >= begin && number <= last);
    yield entries.reverse().map((entry) => textOf(entry, viewer));
    last = begin - 1;
  }
}

/** The names by which admins log in are for admins. */
function textOf({ atMs, actor, role, action, fields }: AuditEntry, viewer: Actor): string {
  const isShown = role !== 'admin' || can(viewer, 'admin.read');
  const at = new Date(atMs).toISOString();
  const entry = { at, actor: isShown ? actor : 'admin', action, fields: [...fields] };
  return JSON.stringify(entry satisfies schemas.AuditEntry);
}
