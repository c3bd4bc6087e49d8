import {
  anyOf,
  boolean,
  constant,
  count,
  described,
  integer,
  like,
  list,
  number,
  object,
  oneOf,
  orNull,
  type Schema,
  string,
  stringOrNull,
  type TypeOf,
} from '../schema.ts';
import { AUDIT_ACTIONS, ROLES } from './records.ts';

// The shapes of the dealer platform's answers: each is a schema for the document and a type for the
// code. Objects are closed.

const time: Schema<string> = { type: 'string', format: 'date-time', pattern: 'Z$' };
const numberOrNull = orNull(number);
const booleanOrNull = orNull(boolean);
const nothing: Schema<null> = { type: 'null' };
const role = oneOf(...ROLES);
const username = like('anna', string);
const dealerName = like('nordbil', string);
const dealerOrNull = like('nordbil', stringOrNull);
const email = like('anna@example.com', stringOrNull);
const phone = like('+46 70 000 00 00', stringOrNull);
const vin = like('DEMCAR00000000001', string);
const latitude = like(59.33, numberOrNull);
const longitude = like(18.07, numberOrNull);
const secret = described('Shown to the customer and to admins only.', like(null, stringOrNull));

export const Dealer = object('A dealership.', {
  username: dealerName,
  name: like('Nordbil', string),
  city: like('Umeå', string),
  created_at: time,
});
export type Dealer = TypeOf<typeof Dealer>;

export const Dealers = list(Dealer);

export const DealerRemoval = object('The result of deleting a dealer.', {
  deleted: dealerName,
  reassigned_to: like('vastauto', stringOrNull),
  cars: described('Cars that were moved or unlinked.', count),
  customers: described('Customers that were moved or unlinked.', count),
});
export type DealerRemoval = TypeOf<typeof DealerRemoval>;

export const CarRemoval = object('The result of removing a car.', { deleted: constant(true) });

export const Customer = object(
  'A customer.',
  {
    username,
    role: constant('user'),
    name: like('Anna Berg', stringOrNull),
    email,
    phone,
    address: like('Storgatan 1, Umeå', stringOrNull),
    personnummer: secret,
    emergency_contact: like('Per Berg', stringOrNull),
    emergency_phone: phone,
    insurance_policy: like('FB-1', stringOrNull),
    iban: secret,
    charging_card_rfid: secret,
    home_lat: latitude,
    home_lng: longitude,
    work_lat: latitude,
    work_lng: longitude,
    dealer: described('Username of the dealer.', dealerOrNull),
    cars: described('VINs of the cars that the customer may switch.', list(vin)),
    created_at: time,
  },
  {
    password: described('Always null: only a hash is stored.', nothing),
    password_set: constant(true),
  },
);
export type Customer = TypeOf<typeof Customer>;

export const Customers = list(Customer);

export const Admin = object('A platform admin.', {
  username: like('admin', string),
  role: constant('admin'),
  created_at: time,
  updated_at: time,
});

export const Profile = anyOf(Customer, Dealer, Admin);

export const Identity = object('The account of a token.', {
  username,
  role: like('user', role),
  name: like('Anna Berg', stringOrNull),
  email,
  dealer: dealerOrNull,
});

const token = {
  access_token: like(
    'eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IBbOGoC_6Hk',
    string,
  ),
  token_type: constant('bearer'),
  expires_in: described('Seconds.', like(28_800, integer)),
  role: like('user', role),
  username,
};

export const Token = object('A bearer token.', token);

export const SignedUp = object('A bearer token, and the new profile.', {
  ...token,
  profile: Customer,
});

export const Done = object('The operation is done.', { ok: constant(true) });

export const Owner = anyOf(
  object('The owner of a car.', {
    email: like('anna@example.com', string),
    since: like('2026-03-02', string),
    username: described('Username of the account that has the rights.', like('anna', stringOrNull)),
  }),
  nothing,
);

export const Car = object('A car. Owner and flags are null for callers who may not see them.', {
  vin,
  model: like('Sedan', stringOrNull),
  plate: like('ABC 123', stringOrNull),
  colour: like('blue', stringOrNull),
  dealer: dealerOrNull,
  owner: Owner,
  locked: booleanOrNull,
  climate: booleanOrNull,
  charging: booleanOrNull,
  world: described('The living twin world that the car drives in.', like(null, stringOrNull)),
  viewer_url: like(null, stringOrNull),
  updated_at: time,
});
export type Car = TypeOf<typeof Car>;

export const Cars = list(Car);

export const AuditEntry = object('A change of a car or of a customer.', {
  at: time,
  actor: described('Username, at that time, of who changed it.', dealerName),
  action: oneOf(...AUDIT_ACTIONS),
  fields: described('The fields that changed; not their values.', like(['locked'], list(string))),
});
export type AuditEntry = TypeOf<typeof AuditEntry>;

export const AuditTrail = list(AuditEntry);

export const PlatformState = object('The state of the platform.', {
  status: constant('ok'),
  version: like('2.0.0', string),
  started_at: time,
  uptime_s: count,
  store: oneOf('embedded', 'redis'),
  dealers: count,
  customers: count,
  cars: object('Numbers of cars.', {
    total: count,
    in_fleet: count,
    owned: count,
    locked: count,
    climate: count,
    charging: count,
  }),
  fleets: list(
    object('Cars and customers of a dealer.', {
      dealer: dealerName,
      cars: count,
      customers: count,
    }),
  ),
  worlds: count,
  nodes: count,
});
export type PlatformState = TypeOf<typeof PlatformState>;

export const Reset = object('The records after a reset.', {
  ok: constant(true),
  dealers: count,
  customers: count,
  cars: count,
});

export const Detail = object('What is wrong.', { detail: like('Not Found', string) });

export const ValidationErrors = object('Every field that is wrong.', {
  detail: list(
    object(
      'One fault.',
      {
        loc: like(['body', 'username'], list(anyOf(string, integer))),
        msg: like('Field required', string),
        type: like('missing', string),
      },
      { ctx: { type: 'object' } },
    ),
  ),
});
