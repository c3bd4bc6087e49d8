import type { ProfileField } from './types.ts';

/** What the fields of a profile are called. */
export const LABELS: Readonly<Record<ProfileField, string>> = {
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
};
