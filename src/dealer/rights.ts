import type { AccountRecord, Role } from './records.ts';

/** The account of the caller. */
export type Actor = Pick<AccountRecord, 'role' | 'id' | 'username'>;

/** What a right may depend on: the dealer and the account that a car or customer belongs to. */
export interface Resource {
  /** Username of the dealer that it belongs to. */
  dealer?: string | null;
  /** Id of the account that it belongs to. */
  account?: string | null;
  /** Numbers of the changes by which it came to them. */
  dealerFrom?: number | undefined;
  accountFrom?: number | undefined;
}

type Rule = (actor: Actor, resource: Resource) => boolean;

const anybody: Rule = () => true;
const ofOwnFleet: Rule = (actor, resource) => resource.dealer === actor.username;
const own: Rule = (actor, resource) => resource.account === actor.id;

/** Rights by action and role. Everything else is forbidden. */
const RIGHTS = {
  'dealer.create': { admin: anybody },
  'dealer.delete': { admin: anybody },
  'identity.read': { admin: anybody, dealer: anybody, user: anybody },
  'admin.read': { admin: anybody },
  'admin.change': { admin: anybody },
  'profile.read': { admin: anybody, dealer: anybody, user: anybody },
  'profile.change': { user: anybody },
  'cars.list': { admin: anybody, dealer: anybody, user: anybody },
  'car.read-private': { admin: anybody, dealer: ofOwnFleet, user: own },
  'car.add': { admin: anybody, dealer: ofOwnFleet },
  'car.remove': { admin: anybody, dealer: ofOwnFleet },
  'car.set-owner': { admin: anybody, dealer: ofOwnFleet },
  'car.clear-owner': { admin: anybody, dealer: ofOwnFleet },
  'car.set-state': { admin: anybody, dealer: ofOwnFleet, user: own },
  'car.read-audit': { admin: anybody, dealer: ofOwnFleet, user: own },
  'customers.list': { admin: anybody, dealer: anybody },
  'customer.read': { admin: anybody, dealer: ofOwnFleet },
  'customer.read-secrets': { admin: anybody, user: own },
  'customer.read-audit': { admin: anybody, user: own },
  reset: { admin: anybody },
} as const satisfies Record<string, Partial<Record<Role, Rule>>>;

export type Action = keyof typeof RIGHTS;

/** Whether an actor may do this to a resource; without one, whether to any resource at all. */
export function can(actor: Actor, action: Action, resource?: Resource): boolean {
  const rules: Partial<Record<Role, Rule>> = RIGHTS[action];
  const rule = rules[actor.role];
  if (rule === undefined) return false;
  return resource === undefined || rule(actor, resource);
}

/** Number of the first change that an actor may see of a resource whose trail it may read. */
export function firstChangeFor(
  { role }: Actor,
  { dealerFrom = 0, accountFrom = 0 }: Resource,
): number {
  return { admin: 0, dealer: dealerFrom, user: accountFrom }[role];
}
