import type { ComponentProps } from 'preact';
import type { Field } from '../common/field.tsx';
import type { Customer } from './types.ts';

type Attributes = Omit<ComponentProps<typeof Field>, 'name' | 'value' | 'onInput'>;

/** What customers may change about themselves: attributes of fields, in the order of the forms. */
export const FIELDS = {
  name: { label: 'Name', autocomplete: 'name' },
  email: { label: 'Email', type: 'email', autocomplete: 'email' },
  phone: { label: 'Phone', type: 'tel', autocomplete: 'tel' },
  address: { label: 'Address', autocomplete: 'street-address' },
  personnummer: { label: 'Personal number' },
  emergency_contact: { label: 'Emergency contact' },
  emergency_phone: { label: 'Emergency phone', type: 'tel' },
  insurance_policy: { label: 'Insurance policy' },
  iban: { label: 'IBAN' },
  charging_card_rfid: { label: 'Charging card (RFID)' },
  home_lat: { label: 'Home, latitude', inputMode: 'decimal' },
  home_lng: { label: 'Home, longitude', inputMode: 'decimal' },
  work_lat: { label: 'Work, latitude', inputMode: 'decimal' },
  work_lng: { label: 'Work, longitude', inputMode: 'decimal' },
  dealer: { label: 'Dealer' },
} as const satisfies Partial<Record<keyof Customer, Attributes>>;

export type ProfileField = keyof typeof FIELDS;

export const PROFILE_FIELDS = Object.keys(FIELDS) as readonly ProfileField[];

/** Dealers do not see these. */
export const SECRETS: readonly ProfileField[] = ['personnummer', 'iban', 'charging_card_rfid'];

/** By title, beside name, contact and dealer. */
export const GROUPS: Readonly<Record<string, readonly ProfileField[]>> = {
  'In an emergency': ['emergency_contact', 'emergency_phone', 'insurance_policy'],
  'Identity and payment': SECRETS,
  Places: ['home_lat', 'home_lng', 'work_lat', 'work_lng'],
};

/** Attributes of the fields of an account, in the forms of customers, dealers and admins. */
export const USERNAME = { label: 'Username', autocomplete: 'username', required: true } as const;
export const USERNAME_HINT = '3 to 20 small letters, digits and underscores';
export const PASSWORD = {
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  required: true,
} as const;
export const NEW_PASSWORD = { ...PASSWORD, autocomplete: 'new-password' } as const;
