import type { Customer } from './types.ts';

/** What customers may change about themselves: labels, in the order of the forms. */
export const LABELS = {
  name: 'Name',
  email: 'Email',
  phone: 'Phone',
  address: 'Address',
  personnummer: 'Personal number',
  emergency_contact: 'Emergency contact',
  emergency_phone: 'Emergency phone',
  insurance_policy: 'Insurance policy',
  iban: 'IBAN',
  charging_card_rfid: 'Charging card (RFID)',
  home_lat: 'Home, latitude',
  home_lng: 'Home, longitude',
  work_lat: 'Work, latitude',
  work_lng: 'Work, longitude',
  dealer: 'Dealer',
} as const satisfies Partial<Record<keyof Customer, string>>;

export type ProfileField = keyof typeof LABELS;

export const PROFILE_FIELDS = Object.keys(LABELS) as readonly ProfileField[];
