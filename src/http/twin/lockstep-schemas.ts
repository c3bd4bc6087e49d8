import {
  boolean,
  constant,
  count,
  described,
  integer,
  like,
  list,
  number,
  object,
  orNull,
  type Schema,
  string,
} from '../../schema.ts';
import { FleetEntry, seed, WorldId } from '../../twin/wire.ts';
import { IncidentId } from './schemas.ts';

// The names exported here are those of the schemas in the document of the streams.

/** Bytes have no type of JSON: these messages are MessagePack. */
const bytes = (description: string): Schema<Uint8Array> => ({ description, examples: ['bytes'] });

const hash = described(
  'A hash of 64 bits of the journal up to `seq`: 16 hexadecimal digits.',
  like('0f1e2d3c4b5a6978', string),
);
const clock = {
  tick: described(
    'What the clock of the server shows: the last whole tick. A tick is 20 ms.',
    count,
  ),
  fraction: described('How much of the next tick has passed: from 0 to below 1.', {
    ...number,
    minimum: 0,
    exclusiveMaximum: 1,
  }),
};
const pulse = {
  ...clock,
  seq: described('Number of the last durable change.', count),
  journal: hash,
  watchers: described('Open streams of the world, these among them.', count),
};
const file = (example: string) => described('Its path on this service.', like(example, string));
const masks = described('Declared features of each car, as bits.', list(integer));

const change = {
  seq: described('Its number in the journal, without gaps.', count),
  tick: described('It takes effect in the step that computes this tick.', integer),
  car: described('Index in the fleet.', integer),
  touched: described('Mask of the features that it sets.', integer),
  values: described('Mask of those of them that it switches on.', integer),
};

export const LockstepHello = object('What a client lives the world from.', {
  type: constant('hello'),
  world: WorldId,
  rate_hz: constant(12.5),
  fleet: list(FleetEntry, { minItems: 20, maxItems: 20 }),
  kernel: described(
    'Identifies the code, the table of the city and the types of cars: they decide how the world goes on.',
    string,
  ),
  assets: object('What the world is lived with. The content of an address never changes.', {
    kernel: file('/lockstep/0f1e.wasm'),
    frames: file('/lockstep/1e2d.wasm'),
    table: file('/lockstep/2d3c.table'),
    car_types: file('/lockstep/3c4b.json'),
  }),
  seed,
  city: string,
  start: object('The first state under this kernel.', { tick: integer, seq: count, masks }),
  resumed: described(
    'True where the client knows the beginning of the journal: only later changes follow.',
    boolean,
  ),
  image: orNull(
    object('A later state than the start.', {
      tick: integer,
      seq: count,
      bytes: bytes('A state image, deflated (RFC 1951).'),
    }),
  ),
  changes: described(
    'The changes after that state, or after those that the client knows, in order.',
    list(object('A durable change.', change)),
  ),
  ...pulse,
});

export const LockstepChange = object('A durable change.', {
  type: constant('change'),
  ...change,
  journal: hash,
});

export const LockstepPulse = object(
  'The clock of the server, and how far the journal goes.',
  { type: constant('pulse'), ...pulse },
  {
    hash: object(
      'Of one in a thousand worlds, about once a minute: what the server itself has lived, to be compared. All changes up to this tick are among those up to `seq`.',
      {
        tick: integer,
        hash: described(
          'Of the state at this tick, as `GET /api/v1/worlds/{id}/state?tick=N&hash=1` gives it.',
          like('0f1e2d3c4b5a6978', string),
        ),
      },
    ),
  },
);

export const LockstepIncident = object('The server has stored an incident or its explanation.', {
  type: constant('incident'),
  id: IncidentId,
  explained: boolean,
});
