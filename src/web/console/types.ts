// What the dealer platform answers, as its OpenAPI document has it.

export type Role = 'admin' | 'dealer' | 'user';

export interface Token {
  access_token: string;
  role: Role;
  username: string;
}

export interface Identity {
  username: string;
  role: Role;
  name: string | null;
  email: string | null;
  dealer: string | null;
}

export interface Dealer {
  username: string;
  name: string;
  city: string;
  created_at: string;
}

export interface DealerRemoval {
  deleted: string;
  reassigned_to: string | null;
  cars: number;
  customers: number;
}

/** What customers may change about themselves, in the order of the forms. */
export const PROFILE_FIELDS = [
  'name',
  'email',
  'phone',
  'address',
  'personnummer',
  'emergency_contact',
  'emergency_phone',
  'insurance_policy',
  'iban',
  'charging_card_rfid',
  'home_lat',
  'home_lng',
  'work_lat',
  'work_lng',
  'dealer',
] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

export type Customer = Record<ProfileField, string | number | null> & {
  username: string;
  role: 'user';
  dealer: string | null;
  cars: string[];
  created_at: string;
};

export interface Admin {
  username: string;
  role: 'admin';
  created_at: string;
  updated_at: string;
}

export type Flag = 'locked' | 'climate' | 'charging';

/** Owner and flags are null for who may not know them; an owner is null too where there is none. */
export type Car = Record<Flag, boolean | null> & {
  vin: string;
  model: string | null;
  plate: string | null;
  colour: string | null;
  dealer: string | null;
  owner: { email: string; since: string; username: string | null } | null;
  world: string | null;
  viewer_url: string | null;
  updated_at: string;
};

export interface PlatformState {
  version: string;
  started_at: string;
  uptime_s: number;
  store: 'embedded' | 'redis';
  dealers: number;
  customers: number;
  cars: Record<'total' | 'in_fleet' | 'owned' | Flag, number>;
  fleets: { dealer: string; cars: number; customers: number }[];
  worlds: number;
  nodes: number;
}

export interface ResetCounts {
  dealers: number;
  customers: number;
  cars: number;
}
