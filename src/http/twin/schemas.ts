import {
  boolean,
  constant,
  count,
  described,
  integer,
  like,
  list,
  nonNegative,
  object,
  oneOf,
  orNull,
  type Schema,
  string,
} from '../../schema.ts';
import { FEATURE_NAMES } from '../../twin/catalogue.ts';
import { COLOURS } from '../../twin/enumerations.ts';
import {
  FeatureName,
  FeatureState,
  FleetEntry,
  HazardSpot,
  Incident,
  journal,
  Snapshot,
  seed,
  snapshot,
  Telemetry,
  tick,
  Vin,
  WorldId,
} from '../../twin/wire.ts';
import { LIMIT_MAX } from './list-range.ts';

// The names exported here are those of the schemas in the twin's documents.
export * from '../../twin/wire.ts';

const features = list(FeatureName);
const uri: Schema<string> = { type: 'string', format: 'uri' };
const moment: Schema<string> = { type: 'string', format: 'date-time' };

export const IncidentId = like('i8204-0', string);
export const EncodingName = oneOf('json', 'msgpack');
export const StreamEncodingName = oneOf('json', 'msgpack', 'lockstep');
export const KnownSeq = described(
  'With `encoding=lockstep`: number of the last change that the client has. Then only later ones follow.',
  integer,
);
export const JournalHash = described(
  'With `since`: the hash of the journal that the client has up to that change.',
  like('0f1e2d3c4b5a6978', string),
);

export const ErrorBody = object('What went wrong, and what to do.', {
  error: described('A short code.', like('internal_error', string)),
  hint: like('Try again later.', string),
});

export const World = object(
  'One city, one fleet, its own VINs.',
  {
    id: WorldId,
    viewer_url: described('The live map, for a browser.', uri),
    stream_url: described('The WebSocket.', uri),
    created_at: described('The moment of tick 0.', moment),
    seed,
    city: string,
    rate_hz: constant(12.5),
    tick,
    watchers: count,
    fleet: list(FleetEntry, { minItems: 20, maxItems: 20 }),
    hazards: list(HazardSpot),
  },
  {
    exact: described(
      'Present, and false, if a part of the history of the world ran on another kernel.',
      constant(false),
    ),
  },
);

export const Cities = object('The cities to choose from; the first is the default.', {
  cities: list(object('A city.', { name: string, title: string, description: string }), {
    minItems: 1,
  }),
});

/** Unknown fields are ignored, so that a later version can add some. */
const givenJournal = {
  ...journal,
  kernel: orNull(journal.kernel),
  changes: list({ ...(journal.changes.items as Schema), additionalProperties: true }),
};

export const WorldOptions: Schema = {
  type: 'object',
  description: 'All fields are optional.',
  properties: {
    seed,
    city: described('A name from GET /api/v1/cities.', string),
    start_tick: described('The world begins as if it had been made this many ticks ago.', count),
    journal: {
      type: 'object',
      description:
        'A journal as GET /api/v1/worlds/{id}/journal returns it. Leave out the options `seed` and `city`.',
      properties: givenJournal,
      required: ['seed', 'city', 'changes'],
    },
    fork: {
      type: 'object',
      description:
        'The new world equals another one up to a tick, and begins there, or at the last of its own changes. Leave out all other options.',
      properties: {
        world: described('The other world.', WorldId),
        tick: described('A tick that the other world has passed.', count),
        changes: described('Changes of the new world alone, at later ticks.', givenJournal.changes),
      },
      required: ['world', 'tick'],
      additionalProperties: false,
    },
  },
  additionalProperties: false,
  examples: [{ seed: 7, city: 'old-town' }],
};

export const FeaturePatch: Schema = {
  type: 'object',
  description: 'The features to switch. If one entry is wrong, none is switched.',
  properties: Object.fromEntries(FEATURE_NAMES.map((name) => [name, boolean])),
  additionalProperties: false,
  examples: [{ front_radar: false, aeb: false }],
};

export const FeaturePut: Schema = {
  type: 'object',
  properties: { enabled: boolean },
  required: ['enabled'],
};

export const Vehicle = object('One car.', {
  vin: Vin,
  world: WorldId,
  model: string,
  plate: string,
  colour: oneOf(...COLOURS),
  configuration: FeatureState,
  telemetry: Telemetry,
  incidents: list(string),
});

export const Route = object('The loop that a car drives.', {
  vin: Vin,
  lanes: list(string, { minItems: 1 }),
  streets: list(string),
  length: described('Metres.', nonNegative),
});

export const Incidents = list(Incident);

export const LinkPreview = object('What a link to an incident says of it.', {
  headline: string,
  verdict: described('What would have avoided or mitigated it.', string),
  outcome: oneOf('avoids', 'mitigates', 'nothing', 'unknown'),
  speed: described('Of the striking car.', string),
  facts: described('Where it was, and how bad.', string),
  description: string,
  alt: described('Text for its picture.', string),
});

const hash: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{16}$' };

export const State = object('A snapshot, as a stream shows it or would have shown it.', snapshot, {
  hash: described(
    'Where it was asked for: of the whole state at this tick, also of what is not shown.',
    like('0f3a86d1c27be945', hash),
  ),
});

export const PastTick = described(
  'A tick that the world has passed: the state at the last frame (divisible by four) up to it.',
  count,
);
export const WithHash = described('Adds the hash of the state.', oneOf('1'));

export const AfterIncident = described('Only reports after the one with this id.', IncidentId);
export const UntilTick = described(
  'Only reports of collisions that began up to this tick. Up to `start.tick` the world is not stepped for them.',
  count,
);
export const AfterChanges = described('How many changes to leave out.', count);
export const Limit = described('How many entries at most; by default all.', {
  ...integer,
  minimum: 1,
  maximum: LIMIT_MAX,
});

export const ReplayWith = described(
  'Comma-separated features, switched on for the involved cars that had them off.',
  string,
);

export const Replay = object('The seconds around a collision.', {
  incident: string,
  with: features,
  frames: described('From 8 s before to 2 s after the first contact.', list(Snapshot)),
  contact_tick: described('Tick of the first contact; null if there is none.', orNull(integer)),
});
