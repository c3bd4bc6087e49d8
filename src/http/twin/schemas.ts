import { LIGHT_STATES, STATUSES } from '../../codec/snapshot.ts';
import { FEATURE_NAMES } from '../../twin/catalogue.ts';
import { COLOURS } from '../../twin/fleet.ts';

import {
  boolean,
  described,
  integer,
  like,
  list,
  nonNegative,
  number,
  object,
  oneOf,
  type Properties,
  type Schema,
  string,
  stringOrNull,
} from '../docs/schema-parts.ts';

export type { Schema } from '../docs/schema-parts.ts';

// What the twin answers. Objects are closed and name all that they must have, so that an answer
// which passes is exactly as described.

const tick = described('Physics steps of 20 ms since the world began.', {
  type: 'integer',
  minimum: 0,
});
const seed: Schema = { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 };
const time = described('The tick in seconds.', nonNegative);
const heading = described('Radians, 0 is east, counter-clockwise.', number);
const point: Schema = {
  type: 'array',
  description: 'Metres east and north.',
  items: number,
  minItems: 2,
  maxItems: 2,
};
const polygon = list(point, { minItems: 3 });
const polyline = list(point, { minItems: 2 });
const ids = list(string);
const status = oneOf(...STATUSES);
const featureName = oneOf(...FEATURE_NAMES);
const features = list(featureName);
const effective = oneOf('on', 'off', 'degraded');

export const WorldId = like('3f7qz0k2mw', {
  type: 'string',
  pattern: '^[0-9a-hjkmnp-tv-z]{10}$',
});
export const Vin = like('YTWNF5BB9TS3LH0WC', {
  type: 'string',
  pattern: '^[0-9A-HJ-NPR-Z]{17}$',
});
export const FeatureName = featureName;
export const IncidentId = like('8204-0', string);
export const EncodingName = oneOf('json', 'msgpack');

export const ErrorBody = object('What went wrong, and what to do about it.', {
  error: described('A short code.', like('internal_error', string)),
  hint: like('Try again later.', string),
});

// ── world ─────────────────────────────────────────────────────────────────────────────────────

export const FleetEntry = object('One car of a world.', {
  vin: Vin,
  model: string,
  plate: string,
  colour: oneOf(...COLOURS),
});

export const HazardSpot = object('A place where something may appear.', {
  id: string,
  kind: string,
  x: number,
  y: number,
  radius: nonNegative,
  road: string,
  description: string,
});

export const World = object(
  'One city, one fleet, its own VINs.',
  {
    id: WorldId,
    viewer_url: described('The live map, for a browser.', { type: 'string', format: 'uri' }),
    stream_url: described('The WebSocket.', { type: 'string', format: 'uri' }),
    created_at: described('The moment of tick 0.', { type: 'string', format: 'date-time' }),
    seed,
    city: string,
    rate_hz: { const: 12.5 },
    tick,
    watchers: { type: 'integer', minimum: 0 },
    fleet: list(FleetEntry, { minItems: 20, maxItems: 20 }),
    hazards: list(HazardSpot),
  },
  {
    exact: described('False where its journal was lived by another kernel than this one.', {
      const: false,
    }),
  },
);

export const Cities = object('The cities to choose from; the first is the default.', {
  cities: list(object('A city.', { name: string, title: string, description: string }), {
    minItems: 1,
  }),
});

const JournalFeatures: Schema = {
  type: 'object',
  propertyNames: featureName,
  additionalProperties: boolean,
  minProperties: 1,
  examples: [{ brakes: false }],
};

const journal: Properties = {
  kernel: described('Hash of the kernel that lived it.', string),
  seed,
  city: string,
  tick,
  changes: list(
    object('From this tick on, these features of this car are so.', {
      tick,
      car: { type: 'integer', minimum: 0, maximum: 19 },
      features: JournalFeatures,
    }),
  ),
};

export const Journal = object('A world as its seed and every accepted change.', journal);

export const WorldOptions: Schema = {
  type: 'object',
  description: 'All of it may be left out.',
  properties: {
    seed,
    city: described('A name from GET /api/v1/cities.', string),
    start_tick: described('The world begins as if made so many ticks ago.', {
      type: 'integer',
      minimum: 0,
    }),
    journal: {
      type: 'object',
      description: 'As GET /api/v1/worlds/{id}/journal gives it; seed and city come from it.',
      properties: journal,
      required: ['seed', 'city', 'changes'],
    },
  },
  additionalProperties: false,
  examples: [{ seed: 7, city: 'old-town' }],
};

// ── map ───────────────────────────────────────────────────────────────────────────────────────

const MapLight = object('One signal head.', {
  id: string,
  x: number,
  y: number,
  heading,
  lanes: ids,
});

export const CityMap = object('The road network of a world.', {
  city: string,
  bounds: object('Metres.', { min_x: number, min_y: number, max_x: number, max_y: number }),
  roads: list(
    object('A street between junctions.', {
      id: string,
      name: string,
      class: oneOf('arterial', 'collector', 'local'),
      speed_limit: nonNegative,
      lanes: ids,
      centerline: polyline,
    }),
  ),
  junctions: list(
    object('Where roads meet.', {
      id: string,
      x: number,
      y: number,
      control: oneOf('signals', 'priority', 'stop', 'none'),
      polygon,
      lights: list(MapLight),
    }),
  ),
  lanes: list(
    object('A driving line; its last point is the first of each next.', {
      id: string,
      road: stringOrNull,
      junction: stringOrNull,
      width: nonNegative,
      speed_limit: nonNegative,
      polyline,
      next: ids,
      sign: described('The sign at its end.', {
        type: ['string', 'null'],
        enum: ['stop', 'yield', null],
      }),
    }),
  ),
  blocks: list(object('A footprint.', { id: string, kind: string, polygon, height: nonNegative })),
  zones: list(
    object('Where the road or the sight is worse.', {
      id: string,
      kind: oneOf('ice', 'wet', 'fog', 'dusk'),
      polygon,
    }),
  ),
  hazards: list(HazardSpot),
});

// ── snapshot ──────────────────────────────────────────────────────────────────────────────────

const gap = described('Metres to the vehicle ahead, as measured.', {
  type: ['number', 'null'],
  minimum: 0,
});

export const Snapshot = object('The state of every car, light and hazard at one tick.', {
  type: { const: 'snapshot' },
  world: WorldId,
  tick,
  time,
  vehicles: list(
    object('A car.', {
      vin: Vin,
      x: number,
      y: number,
      heading,
      speed: number,
      road: string,
      gap,
      braking: boolean,
      aeb: boolean,
      esc: boolean,
      evasive: boolean,
      status,
    }),
    { minItems: 20, maxItems: 20 },
  ),
  lights: list(object('A traffic light.', { id: string, state: oneOf(...LIGHT_STATES) })),
  hazards: list(
    object('What is at a hazard spot now.', {
      id: string,
      kind: string,
      active: boolean,
      x: number,
      y: number,
      heading,
      length: nonNegative,
      width: nonNegative,
    }),
  ),
});

export const Hello = object('The first message of a stream.', {
  type: { const: 'hello' },
  world: WorldId,
  rate_hz: { const: 12.5 },
  fleet: list(FleetEntry, { minItems: 20, maxItems: 20 }),
  tick,
});

// ── features ──────────────────────────────────────────────────────────────────────────────────

export const Catalogue = object('All features.', {
  features: list(
    object('A switchable item of a car.', {
      name: featureName,
      group: oneOf('actuator', 'sensor', 'function'),
      needs: described(
        'All of them; of a list within, one.',
        list({ anyOf: [featureName, features] }),
      ),
      owner_menu: boolean,
      description: string,
    }),
    { minItems: 12, maxItems: 12 },
  ),
});

function byFeature(value: Schema): Schema {
  return object('By feature.', Object.fromEntries(FEATURE_NAMES.map((name) => [name, value])));
}

export const FeatureState = object('What a car is told to drive with, and what it drives with.', {
  declared: byFeature(boolean),
  effective: byFeature(effective),
  missing: {
    type: 'object',
    description: 'What each degraded function lacks.',
    propertyNames: featureName,
    additionalProperties: list(featureName, { minItems: 1 }),
  },
});

export const FeatureSetting = object('One feature of a car.', {
  name: featureName,
  enabled: boolean,
  effective,
  missing: features,
});

export const FeaturePatch: Schema = {
  type: 'object',
  description: 'Features to switch on or off; all of them or none.',
  properties: Object.fromEntries(FEATURE_NAMES.map((name) => [name, boolean])),
  additionalProperties: false,
  examples: [{ front_radar: false, aeb: false }],
};

export const FeaturePut: Schema = {
  type: 'object',
  properties: { enabled: boolean },
  required: ['enabled'],
};

// ── vehicle ───────────────────────────────────────────────────────────────────────────────────

export const Telemetry = object('What a car measures and does.', {
  vin: Vin,
  world: WorldId,
  tick,
  time,
  position: object('Metres east and north.', { x: number, y: number }),
  heading,
  speed: number,
  acceleration: number,
  steering: described('Radians at the road wheels.', number),
  road: string,
  lane: string,
  gap,
  aeb: boolean,
  esc: boolean,
  evasive: boolean,
  status,
});

export const Vehicle = object('One car.', {
  vin: Vin,
  world: WorldId,
  model: string,
  plate: string,
  colour: oneOf(...COLOURS),
  configuration: FeatureState,
  telemetry: Telemetry,
  incidents: ids,
});

export const Route = object('The loop that a car drives.', {
  vin: Vin,
  lanes: list(string, { minItems: 1 }),
  streets: list(string),
  length: described('Metres.', nonNegative),
});

// ── incidents and events ──────────────────────────────────────────────────────────────────────

export const Incident = object('A collision report.', {
  id: string,
  world: WorldId,
  tick,
  time,
  place: object('Where.', { x: number, y: number, road: string, street: string }),
  kind: oneOf('vehicle', 'person', 'animal', 'obstacle', 'building'),
  vehicles: list(
    object('A car of the fleet that was involved.', {
      vin: Vin,
      model: string,
      plate: string,
      speed: number,
      delta_v: nonNegative,
      heading,
      role: oneOf('striking', 'struck'),
      off: features,
      degraded: features,
    }),
  ),
  other: list(object('What else was involved.', { kind: string, hazard: stringOrNull })),
  explained: boolean,
  failures: list(
    object('A feature that was off and would have helped.', {
      vin: Vin,
      feature: featureName,
      restores: features,
      effect: oneOf('avoids', 'mitigates'),
      set: integer,
      explanation: string,
    }),
  ),
  earned: object('What it cost.', {
    severity: oneOf('slight', 'serious', 'severe'),
    injury_risk: { type: 'number', minimum: 0, maximum: 1 },
    points: number,
    repair_cost: nonNegative,
  }),
});

export const Incidents = list(Incident);

export const ReplayWith = described(
  'Features, with commas between them: on for the involved cars that had them off.',
  string,
);

export const Replay = object('The seconds around a collision.', {
  incident: string,
  with: features,
  frames: described('From 8 s before to 2 s after the first contact.', list(Snapshot)),
  contact_tick: described('When the involved touch; null where they do not.', {
    type: ['integer', 'null'],
  }),
});

export const Events = list(
  object('Something that happened.', {
    seq: integer,
    tick,
    time,
    kind: oneOf('hazard', 'intervention', 'configuration', 'collision'),
    vin: stringOrNull,
    feature: stringOrNull,
    hazard: stringOrNull,
    incident: stringOrNull,
    message: string,
  }),
  { maxItems: 60 },
);
