import {
  absentAs,
  boolean,
  byDefault,
  email,
  number,
  optional,
  password,
  text,
  vin,
  whole,
} from './fields.ts';
import { Form } from './form.ts';

// The bodies, queries and paths of the dealer platform. Faults are reported in the order of fields.

/** Entries of a page of a list. */
const PAGE_MAX = 1000;
const NAME_PATTERN = /^[a-z0-9_]+$/;
const username = text({ min: 3, max: 20, pattern: NAME_PATTERN });
const some = text({ min: 1 });

export const NewDealer = new Form(
  { username, password: password(3), name: some, city: some },
  { username: 'kustbil', password: 'dealer-demo', name: 'Kustbil', city: 'Kalmar' },
);

export const SignUp = new Form(
  {
    name: some,
    username,
    password: password(4),
    email: email(),
    phone: byDefault(text(), ''),
    address: byDefault(text(), ''),
    dealer: some,
  },
  {
    name: 'Berit Ek',
    username: 'berit',
    password: 'customer-demo',
    email: 'berit@example.com',
    dealer: 'nordbil',
  },
);

export const ProfileChange = new Form(
  {
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
  },
  { phone: '+46 70 000 00 00', home_lat: 59.33, home_lng: 18.07, emergency_contact: null },
);

export const AdminChange = new Form(
  {
    current_password: password(),
    username: optional(text({ min: 3, max: 32, pattern: NAME_PATTERN })),
    new_password: optional(password(4)),
  },
  { current_password: 'admin-demo', new_password: 'something longer' },
);

export const Login = new Form(
  { role: text(), username: text(), password: password() },
  { role: 'customer', username: 'anna', password: 'customer-demo' },
);

export const TokenRequest = new Form(
  {
    grant_type: optional(text({ pattern: /^password$/ })),
    username: text(),
    password: password(),
    scope: absentAs(text(), ''),
    client_id: optional(text()),
    client_secret: optional(text()),
  },
  { grant_type: 'password', username: 'nordbil', password: 'dealer-demo' },
);

export const NewCar = new Form(
  { vin: vin(1), dealer: optional(text()) },
  { vin: 'DEMCAR00000000041', dealer: 'nordbil' },
);

export const NewOwner = new Form(
  { email: email(), since: text() },
  { email: 'anna@example.com', since: '2026-03-02' },
);

export const StateChange = new Form(
  { locked: optional(boolean()), climate: optional(boolean()), charging: optional(boolean()) },
  { locked: true, climate: false },
);

export const ByUsername = new Form({ username: text() }, { username: 'anna' });
export const ByDealer = new Form({ username: text() }, { username: 'nordbil' });
export const ByVin = new Form({ vin: vin() }, { vin: 'DEMCAR00000000001' });
export const Removal = new Form({ reassign_to: optional(text()) }, { reassign_to: 'vastauto' });
const includePassword = absentAs(boolean(), false);
export const CustomerQuery = new Form(
  { include_password: includePassword },
  { include_password: true },
);

/** A part of a list: what comes after a VIN or a username. */
const page = { after: optional(text()), limit: optional(whole(1, PAGE_MAX)) };
export const Page = new Form(page, {});
export const CustomersQuery = new Form({ include_password: includePassword, ...page }, {});
