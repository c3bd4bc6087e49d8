import type { Role } from './records.ts';

/** Whoever calls, as the store knows the account of the token. */
export interface Actor {
  role: Role;
  id: string;
  username: string;
}

/** What a right may depend on: whose car or customer something is, or whose fleet. */
export interface Thing {
  /** Username of the dealer that it belongs to. */
  dealer?: string | null;
  /** Id of the account that it belongs to. */
  account?: string | null;
}

type Rule = (actor: Actor, thing: Thing) => boolean;

const any: Rule = () => true;
const ofOwnFleet: Rule = (actor, thing) => thing.dealer === actor.username;
const own: Rule = (actor, thing) => thing.account === actor.id;

/** Who may do what; what is not here is forbidden. */
const RIGHTS = {
  'dealer.create': { admin: any },
  'dealer.delete': { admin: any },
  'identity.read': { admin: any, dealer: any, user: any },
  'admin.read': { admin: any },
  'admin.change': { admin: any },
  'profile.read': { admin: any, dealer: any, user: any },
  'profile.change': { user: any },
  'cars.list': { admin: any, dealer: any, user: any },
  'car.read-private': { admin: any, dealer: ofOwnFleet, user: own },
  'car.add': { admin: any, dealer: ofOwnFleet },
  'car.set-owner': { admin: any, dealer: ofOwnFleet },
  'car.clear-owner': { admin: any, dealer: ofOwnFleet },
  'car.set-state': { admin: any, dealer: ofOwnFleet, user: own },
  'customers.list': { admin: any, dealer: any },
  'customer.read': { admin: any, dealer: ofOwnFleet },
  'customer.read-secrets': { admin: any, user: own },
  reset: { admin: any },
} as const satisfies Record<string, Partial<Record<Role, Rule>>>;

export type Action = keyof typeof RIGHTS;

/** Whether an actor may do this, to this thing; without a thing, whether to any at all. */
export function can(actor: Actor, action: Action, thing?: Thing): boolean {
  const rules: Partial<Record<Role, Rule>> = RIGHTS[action];
  const rule = rules[actor.role];
  if (rule === undefined) return false;
  return thing === undefined || rule(actor, thing);
}
