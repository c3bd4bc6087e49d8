import { domainToASCII } from 'node:url';
import type { Key } from '../store/contract.ts';

/**
 * The records of the dealer platform. All but keys and tokens belong to a generation, a number that
 * a reset raises:
 *
 *   account  by role and id; roles never change
 *   name     the account of a username: unique over all roles
 *   email    the account of an email and the cars that are bound by it; see EmailRecord
 *   car      by VIN
 *   owned    by account and VIN: the cars that an account has rights to
 *   audit    by car or customer and slot: who changed it; see audit-trail.ts
 */
const ROOT = 'dealers';

export const ROLES = ['admin', 'dealer', 'user'] as const;
export type Role = (typeof ROLES)[number];

/** Identifies an account permanently; a username may later belong to another account. */
export interface AccountRef {
  role: Role;
  id: string;
}

/** A record whose changes are noted. */
export interface Audited {
  /** Changes that were noted. Records of before there was a trail have none. */
  changeCount?: number;
}

/**
 * What a trail is about: a customer by account id, a car by VIN and id. A car that was removed and added
 * again has another id, and so a trail of its own.
 */
export type AuditSubject = readonly [kind: 'car' | 'customer', ...ids: string[]];

export const AUDIT_ACTIONS = [
  'add_to_fleet',
  'set_owner',
  'clear_owner',
  'set_state',
  'sign_up',
  'change_profile',
  'delete_dealer',
] as const;

/** One change of a record. */
export interface AuditEntry {
  /** Of the changes of this record, from 0. */
  number: number;
  atMs: number;
  /** Username of then. */
  actor: string;
  role: Role;
  action: (typeof AUDIT_ACTIONS)[number];
  /** Names of the fields that changed, as the API has them. */
  fields: readonly string[];
}

interface CommonAccount {
  id: string;
  username: string;
  /** argon2id in PHC form; null: nobody can log in. */
  password: string | null;
  /** Raised to end all earlier tokens except `keptToken`. */
  credential: number;
  keptToken: string | null;
  /** The password is a published one. */
  isDemo: boolean;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface AdminRecord extends CommonAccount {
  role: 'admin';
}

export interface DealerRecord extends CommonAccount {
  role: 'dealer';
  name: string;
  city: string;
}

export const PLAIN_FIELDS = [
  'name',
  'email',
  'phone',
  'address',
  'emergency_contact',
  'emergency_phone',
  'insurance_policy',
  'home_lat',
  'home_lng',
  'work_lat',
  'work_lng',
] as const;

/** Stored encrypted; shown to the customer and to admins only. */
export const SECRET_FIELDS = ['personnummer', 'iban', 'charging_card_rfid'] as const;

type PlainField = (typeof PLAIN_FIELDS)[number];
export type SecretField = (typeof SECRET_FIELDS)[number];
type Place = `${'home' | 'work'}_${'lat' | 'lng'}`;

export type PlainProfile = Record<Exclude<PlainField, Place>, string | null> &
  Record<Place, number | null>;

export interface CustomerRecord extends CommonAccount, Audited {
  role: 'user';
  /** Username of the dealer. */
  dealer: string | null;
  profile: PlainProfile;
  secrets: Record<SecretField, Uint8Array | null>;
}

export type AccountRecord = AdminRecord | DealerRecord | CustomerRecord;

export interface Owner {
  email: string;
  since: string;
  /** The account that had the email when the owner was set; id and username never change. */
  account: string | null;
  username: string | null;
}

export interface Flags {
  locked: boolean;
  climate: boolean;
  charging: boolean;
}

export interface CarRecord extends Flags, Audited {
  vin: string;
  /** Differs from that of an earlier car of this VIN. Cars of the demo data and of version 1.4 have none. */
  id?: string;
  model: string | null;
  plate: string | null;
  colour: string | null;
  /** Username of the dealer. */
  dealer: string | null;
  owner: Owner | null;
  /** Numbers of the changes by which it came to its dealer and to the account of its owner; absent: 0. */
  dealerFrom?: number;
  ownerFrom?: number;
  updatedAtMs: number;
}

/**
 * The holder of an email, and the cars to which an account has rights through it. No other account
 * may take the email of such a car; a check of this one record is enough to prevent it.
 */
export interface EmailRecord {
  holder: { id: string; username: string } | null;
  /** Account by VIN, as pairs. */
  cars: readonly (readonly [vin: string, account: string])[];
}

/** From a dealer to another, or to none. */
export interface Move {
  from: string;
  to: string | null;
}

/** The keys of one generation. */
export const keys = {
  account: (generation: number, { role, id }: AccountRef): Key => [
    ROOT,
    generation,
    'account',
    role,
    id,
  ],
  accounts: (generation: number, role: Role): Key => [ROOT, generation, 'account', role],
  name: (generation: number, username: string): Key => [ROOT, generation, 'name', username],
  email: (generation: number, email: string): Key => [ROOT, generation, 'email', folded(email)],
  /** Where version 1.4 kept it: the same key for nearly all emails. */
  formerEmail: (generation: number, email: string): Key => [
    ROOT,
    generation,
    'email',
    formerlyFolded(email),
  ],
  car: (generation: number, vin: string): Key => [ROOT, generation, 'car', vin],
  cars: (generation: number): Key => [ROOT, generation, 'car'],
  owned: (generation: number, account: string, vin: string): Key => [
    ROOT,
    generation,
    'owned',
    account,
    vin,
  ],
  ownedBy: (generation: number, account: string): Key => [ROOT, generation, 'owned', account],
  allOwned: (generation: number): Key => [ROOT, generation, 'owned'],
  audit: (generation: number, subject: AuditSubject, slot: number): Key => [
    ...keys.trail(generation, subject),
    slot,
  ],
  trail: (generation: number, subject: AuditSubject): Key => [
    ROOT,
    generation,
    'audit',
    ...subject,
  ],
  all: (generation: number): Key => [ROOT, generation],
  root: [ROOT] as Key,
  /** Written by resets only, and checked by every change. */
  generation: [ROOT, 'generation'] as Key,
  /** Written by every change: cached values are valid while it is the same. */
  revision: [ROOT, 'revision'] as Key,
  /** The process that changes the records; checked by every change. See Ownership. */
  owner: [ROOT, 'writer'] as Key,
  /** Counts of log-in attempts; see CountsInStore. */
  attempts: (slot: number): Key => [ROOT, 'attempts', slot],
  attemptKey: [ROOT, 'key', 'attempts'] as Key,
  tokenKey: [ROOT, 'key', 'token'] as Key,
  fieldKey: [ROOT, 'key', 'field'] as Key,
  fieldKeyProof: [ROOT, 'key', 'field-proof'] as Key,
  revoked: (token: string): Key => [ROOT, 'revoked', token],
  /** Revocations in order of expiry. */
  revokedUntil: (expiresAtMs: number, token: string): Key => [
    ROOT,
    'revoked-until',
    expiresAtMs,
    token,
  ],
  allRevokedUntil: [ROOT, 'revoked-until'] as Key,
};

const NO_DOMAIN = /[/?#\\:@\s]/;

/**
 * The form in which emails are compared: NFKC, lower case, and the domain in ASCII (IDNA). Upper case
 * first, because it unifies more characters.
 */
function folded(email: string): string {
  const lower = email.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  const at = lower.lastIndexOf('@') + 1;
  const domain = lower.slice(at);
  // The function cuts off what is not part of a domain.
  const ascii = NO_DOMAIN.test(domain) ? '' : domainToASCII(domain);
  return lower.slice(0, at) + (ascii || domain);
}

function formerlyFolded(email: string): string {
  return email.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
