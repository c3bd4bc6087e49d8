import {
  described,
  integer,
  list,
  object,
  oneOf,
  type Schema,
  string,
  stringOrNull,
} from './schema-parts.ts';

// What the dealer platform answers. Objects are closed and name all that they have.

const time: Schema = { type: 'string', format: 'date-time', pattern: 'Z$' };
const numberOrNull: Schema = { type: ['number', 'null'] };
const booleanOrNull: Schema = { type: ['boolean', 'null'] };
const count: Schema = { type: 'integer', minimum: 0 };
const role = oneOf('admin', 'dealer', 'user');
const secret = described('Shown to the customer and to admins only.', stringOrNull);

export const Dealer = object('A dealership.', {
  username: string,
  name: string,
  city: string,
  created_at: time,
});

export const Dealers = list(Dealer);

export const DealerRemoval = object('What became of a dealer that was deleted.', {
  deleted: string,
  reassigned_to: stringOrNull,
  cars: described('Cars that were moved or unlinked.', count),
  customers: described('Customers that were moved or unlinked.', count),
});

export const Customer = object(
  'A customer.',
  {
    username: string,
    role: { const: 'user' },
    name: stringOrNull,
    email: stringOrNull,
    phone: stringOrNull,
    address: stringOrNull,
    personnummer: secret,
    emergency_contact: stringOrNull,
    emergency_phone: stringOrNull,
    insurance_policy: stringOrNull,
    iban: secret,
    charging_card_rfid: secret,
    home_lat: numberOrNull,
    home_lng: numberOrNull,
    work_lat: numberOrNull,
    work_lng: numberOrNull,
    dealer: described('Username of the dealer.', stringOrNull),
    cars: described('VINs of the cars that the customer may switch.', list(string)),
    created_at: time,
  },
  {
    password: described('There is none to give.', { type: 'null' }),
    password_set: { const: true },
  },
);

export const Customers = list(Customer);

export const Admin = object('A platform admin.', {
  username: string,
  role: { const: 'admin' },
  created_at: time,
  updated_at: time,
});

export const Profile: Schema = { anyOf: [Customer, Dealer, Admin] };

export const Identity = object('Whoever a token belongs to.', {
  username: string,
  role,
  name: stringOrNull,
  email: stringOrNull,
  dealer: stringOrNull,
});

const token = {
  access_token: string,
  token_type: { const: 'bearer' },
  expires_in: described('Seconds.', integer),
  role,
  username: string,
};

export const Token = object('A bearer token.', token);

export const SignedUp = object('A bearer token, and the new profile.', {
  ...token,
  profile: Customer,
});

export const Done = object('It is done.', { ok: { const: true } });

export const Owner: Schema = {
  anyOf: [
    object('The owner of a car.', {
      email: string,
      since: string,
      username: described('Of the account that has the rights.', stringOrNull),
    }),
    { type: 'null' },
  ],
};

export const Car = object('A car. Owner and flags are null for callers who may not know them.', {
  vin: string,
  model: stringOrNull,
  plate: stringOrNull,
  colour: stringOrNull,
  dealer: stringOrNull,
  owner: Owner,
  locked: booleanOrNull,
  climate: booleanOrNull,
  charging: booleanOrNull,
  world: described('The living twin world that the car drives in.', stringOrNull),
  viewer_url: stringOrNull,
  updated_at: time,
});

export const Cars = list(Car);

export const PlatformState = object('The state of the platform.', {
  status: { const: 'ok' },
  version: string,
  started_at: time,
  uptime_s: count,
  store: oneOf('embedded', 'redis'),
  dealers: count,
  customers: count,
  cars: object('How many cars there are.', {
    total: count,
    in_fleet: count,
    owned: count,
    locked: count,
    climate: count,
    charging: count,
  }),
  fleets: list(object('A dealer in figures.', { dealer: string, cars: count, customers: count })),
  worlds: count,
  nodes: count,
});

export const Reset = object('What there is after a reset.', {
  ok: { const: true },
  dealers: count,
  customers: count,
  cars: count,
});

export const Detail = object('What is wrong.', { detail: string });

export const ValidationErrors = object('Every field that is wrong.', {
  detail: list(
    object(
      'One fault.',
      {
        loc: list({ anyOf: [string, integer] }),
        msg: string,
        type: string,
      },
      { ctx: { type: 'object' } },
    ),
  ),
});
