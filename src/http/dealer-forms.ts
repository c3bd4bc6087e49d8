import {
  absentAs,
  boolean,
  byDefault,
  email,
  Form,
  number,
  optional,
  password,
  text,
} from './fields.ts';

// What the dealer platform takes. The order of fields is that of their faults.

const NAME_PATTERN = /^[a-z0-9_]+$/;
const username = text({ min: 3, max: 20, pattern: NAME_PATTERN });
const some = text({ min: 1 });

export const NewDealer = new Form({ username, password: password(3), name: some, city: some });

export const SignUp = new Form({
  name: some,
  username,
  password: password(4),
  email: email(),
  phone: byDefault(text(), ''),
  address: byDefault(text(), ''),
  dealer: some,
});

export const ProfileChange = new Form({
  name: optional(text()),
  email: optional(email()),
  phone: optional(text()),
  address: optional(text()),
  personnummer: optional(text()),
  emergency_contact: optional(text()),
  emergency_phone: optional(text()),
  insurance_policy: optional(text()),
  iban: optional(text()),
  charging_card_rfid: optional(text()),
  home_lat: optional(number()),
  home_lng: optional(number()),
  work_lat: optional(number()),
  work_lng: optional(number()),
  dealer: optional(text()),
});

export const AdminChange = new Form({
  current_password: password(),
  username: optional(text({ min: 3, max: 32, pattern: NAME_PATTERN })),
  new_password: optional(password(4)),
});

export const Login = new Form({ role: text(), username: text(), password: password() });

export const TokenRequest = new Form({
  grant_type: optional(text({ pattern: /^password$/ })),
  username: text(),
  password: password(),
  scope: absentAs(text(), ''),
  client_id: optional(text()),
  client_secret: optional(text()),
});

export const NewCar = new Form({ vin: some, dealer: optional(text()) });

export const NewOwner = new Form({ email: email(), since: text() });

export const StateChange = new Form({
  locked: optional(boolean()),
  climate: optional(boolean()),
  charging: optional(boolean()),
});

export const ByUsername = new Form({ username: text() });
export const ByVin = new Form({ vin: text() });
export const Removal = new Form({ reassign_to: optional(text()) });
export const CustomerQuery = new Form({ include_password: absentAs(boolean(), false) });
