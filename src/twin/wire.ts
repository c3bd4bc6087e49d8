import {
  anyOf,
  boolean,
  constant,
  count,
  described,
  integer,
  like,
  list,
  nonNegative,
  number,
  object,
  oneOf,
  orNull,
  recordOf,
  type Schema,
  string,
  stringOrNull,
  type TypeOf,
} from '../schema.ts';
import * as catalogue from './catalogue.ts';
import { FEATURE_NAMES } from './catalogue.ts';
import { COLOURS, LIGHT_STATES, OUTLOOK_CONSEQUENCES, STATUSES } from './enumerations.ts';
import { IMPACT_AREAS, SEVERITIES } from './injury.ts';
import { INTENTS } from './perception-record.ts';

// The shapes of the public interface: each is a schema for the documents and a type for the code.
// Objects are closed, so an answer that passes its schema is exactly as described.

export const tick = described('Physics steps of 20 ms since the world began.', count);
export const seed: Schema<number> = { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 };
const time = described('World time in seconds.', nonNegative);
const heading = described('Radians, 0 is east, counter-clockwise.', number);
const point: Schema<[x: number, y: number]> = {
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
export const FeatureName = oneOf(...FEATURE_NAMES);
const features = list(FeatureName);
const effective = oneOf(...catalogue.EFFECTIVE_STATES);

export const WorldId: Schema<string> = like('3f7qz0k2mw', {
  type: 'string',
  pattern: '^[0-9a-hjkmnp-tv-z]{10}$',
});
export const Vin: Schema<string> = like('DTWH09LM1TNPT9W86', {
  type: 'string',
  pattern: '^[0-9A-HJ-NPR-Z]{17}$',
});

// ── world ─────────────────────────────────────────────────────────────────────────────────────

export const FleetEntry = object('One car of a world.', {
  vin: Vin,
  model: string,
  plate: string,
  colour: oneOf(...COLOURS),
});
export type FleetEntry = TypeOf<typeof FleetEntry>;

export const HazardSpot = object('A place where something may appear.', {
  id: string,
  kind: string,
  x: number,
  y: number,
  radius: nonNegative,
  road: string,
  description: string,
});
export type HazardSpot = TypeOf<typeof HazardSpot>;

const change = object('Features of a car that were switched at a tick.', {
  tick,
  car: { type: 'integer', minimum: 0, maximum: 19 } as Schema<number>,
  features: recordOf(FeatureName, boolean, { minProperties: 1, examples: [{ brakes: false }] }),
});
/** A change as the journal shows it. */
export type JournalEntry = TypeOf<typeof change>;

export const journal = {
  kernel: described('Hash of the kernel that lived the world; empty if several did.', string),
  seed,
  city: string,
  tick,
  changes: list(change),
};

export const Journal = object('A world as its seed and every accepted change.', journal);

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
    object('A lane. Its last point is the first point of each lane in `next`.', {
      id: string,
      road: stringOrNull,
      junction: stringOrNull,
      width: nonNegative,
      speed_limit: nonNegative,
      polyline,
      next: ids,
      sign: described('The sign at its end.', orNull(oneOf('stop', 'yield'))),
    }),
  ),
  blocks: list(
    object('The ground area of a building or another block.', {
      id: string,
      kind: string,
      polygon,
      height: nonNegative,
    }),
  ),
  bodies: list(
    object('A solid body that always stands beside the lane at a hazard spot.', {
      ...{ id: string, hazard: string, kind: described('As events name it.', string) },
      ...{ x: number, y: number, heading },
      ...{ length: nonNegative, width: nonNegative, height: nonNegative },
    }),
  ),
  zones: list(
    object('An area with less grip or visibility.', {
      id: string,
      kind: oneOf('ice', 'wet', 'fog', 'dusk'),
      polygon,
    }),
  ),
  hazards: list(HazardSpot),
});
/** Metres to the centimetre, m/s to two decimals, radians to four. */
export type CityMap = TypeOf<typeof CityMap>;

// ── snapshot ──────────────────────────────────────────────────────────────────────────────────

const gap = described('Metres to the vehicle ahead, as measured.', orNull(nonNegative));

export const snapshot = {
  type: constant('snapshot'),
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
};
export const Snapshot = object('The state of every car, light and hazard at one tick.', snapshot);
export type Snapshot = TypeOf<typeof Snapshot>;

export const Hello = object('The first message of a stream.', {
  type: constant('hello'),
  world: WorldId,
  rate_hz: constant(12.5),
  fleet: list(FleetEntry, { minItems: 20, maxItems: 20 }),
  tick,
});

// ── features ──────────────────────────────────────────────────────────────────────────────────

export const Catalogue: Schema<{ features: catalogue.Feature[] }> = object('All features.', {
  features: list(
    object('A switchable item of a car.', {
      name: FeatureName,
      group: oneOf(...catalogue.FEATURE_GROUPS),
      needs: described(
        'All entries are needed; of an inner list, one feature is enough.',
        list(anyOf(FeatureName, features)),
      ),
      owner_menu: boolean,
      description: string,
    }),
    { minItems: 12, maxItems: 12 },
  ),
});

function byFeature<T>(value: Schema<T>): Schema<Record<catalogue.FeatureName, T>> {
  const features = Object.fromEntries(FEATURE_NAMES.map((name) => [name, value]));
  return object(
    'One value for each feature.',
    features as Record<catalogue.FeatureName, Schema<T>>,
  );
}

export const FeatureState: Schema<ReturnType<typeof catalogue.featureState>> = object(
  'The features that are switched on, and those that work.',
  {
    declared: byFeature(boolean),
    effective: byFeature(effective),
    missing: described(
      'What each degraded function is missing.',
      recordOf(FeatureName, list(FeatureName, { minItems: 1 })),
    ),
  },
);

export const FeatureSetting: Schema<ReturnType<typeof catalogue.featureSetting>> = object(
  'One feature of a car.',
  {
    name: FeatureName,
    enabled: boolean,
    effective,
    missing: features,
  },
);

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
export type Telemetry = TypeOf<typeof Telemetry>;

const sensor = oneOf('front_camera', 'front_radar', 'corner_radars');

export const Perception = object('What the sensors of a car know, and what the car does.', {
  vin: Vin,
  tick,
  intent: object('What the car does, and why.', {
    action: oneOf(...INTENTS),
    vin: described('Of the car for which it does that.', orNull(Vin)),
    hazard: described('The spot of what it does that for.', stringOrNull),
  }),
  detections: list(
    object('Something that a sensor knows.', {
      vin: described('Of a car of the fleet.', orNull(Vin)),
      hazard: described('The spot of anything else.', stringOrNull),
      kind: string,
      x: number,
      y: number,
      heading,
      sensors: list(sensor, { minItems: 1 }),
      confidence: described('Share of the scans that confirm it; less for each that missed it.', {
        type: 'number',
        minimum: 0,
        maximum: 1,
      } as Schema<number>),
    }),
  ),
});
export type Perception = TypeOf<typeof Perception>;

// ── incidents and events ──────────────────────────────────────────────────────────────────────

const mass = described('kg', nonNegative);
const deltaV = described(
  'm/s, the size of the sum of all changes of velocity by contacts within a crash pulse: 200 ms ' +
    'from the first contact. If a later crash pulse is greater, it counts.',
  nonNegative,
);
const impactArea = oneOf(...IMPACT_AREAS);

export const Incident = object('A collision report.', {
  id: string,
  world: WorldId,
  tick,
  time,
  place: object('The place of the first contact.', {
    x: number,
    y: number,
    road: string,
    street: string,
  }),
  kind: oneOf('vehicle', 'person', 'animal', 'obstacle', 'building'),
  vehicles: list(
    object('A car of the fleet that was involved.', {
      vin: Vin,
      model: string,
      plate: string,
      speed: described('m/s, right before its first contact.', number),
      mass,
      delta_v: deltaV,
      impact_area: described('Where the hardest contact of that crash pulse was.', impactArea),
      heading,
      role: oneOf('striking', 'struck'),
      off: features,
      degraded: features,
    }),
  ),
  other: list(
    object('A party that is not a car of the fleet.', {
      kind: string,
      hazard: stringOrNull,
      mass: described('null for what is fixed to the ground.', orNull(mass)),
      delta_v: described('0 for what is fixed to the ground.', deltaV),
      impact_area: described('As of a car; null unless it is a vehicle.', orNull(impactArea)),
      impact_speed: described(
        'm/s, of the fastest vehicle that hit this person; null unless it is a person.',
        orNull(nonNegative),
      ),
    }),
  ),
  closing_speed: described('m/s, along the normal of the first contact.', nonNegative),
  deformation_energy: described('J, by all contacts.', count),
  explained: boolean,
  failures: list(
    object('A feature that was off and would have helped.', {
      vin: Vin,
      feature: FeatureName,
      restores: features,
      effect: oneOf('avoids', 'mitigates'),
      set: integer,
      explanation: string,
    }),
  ),
  earned: object('The consequences of the collision, computed from the figures above.', {
    severity: oneOf(...SEVERITIES),
    injury_risk: { type: 'number', minimum: 0, maximum: 1 } as Schema<number>,
    points: number,
    repair_cost: nonNegative,
  }),
});
export type Incident = TypeOf<typeof Incident>;
export type IncidentVehicle = Incident['vehicles'][number];
export type IncidentOther = Incident['other'][number];
export type Failure = Incident['failures'][number];

const outlookEntry = {
  feature: oneOf(...FEATURE_NAMES),
  hazard: described(
    'The hazard spot, or null where it is a light, a junction or the road.',
    stringOrNull,
  ),
  kind: described('Kind of the spot; else `traffic_light`, `junction`, `bend` or `road`.', string),
  distance: described('Metres along the route.', nonNegative),
  time: described('Expected seconds until then.', nonNegative),
  consequence: oneOf(...OUTLOOK_CONSEQUENCES),
};

export const VehicleOutlook = object('What is at stake next for a car, soonest first.', {
  vin: string,
  tick,
  outlook: list(object('What would happen without a feature.', outlookEntry)),
});
export type VehicleOutlook = TypeOf<typeof VehicleOutlook>;

export const WorldOutlook = object('What is at stake next for all cars, soonest first.', {
  world: string,
  tick,
  outlook: list(
    object('What would happen to a car without a feature.', { vin: string, ...outlookEntry }),
  ),
});
export type WorldOutlook = TypeOf<typeof WorldOutlook>;

/** What else can come of a feature that is off, or of what it causes. */
export const CONSEQUENCES = [
  'red_light',
  'lane_departure',
  'right_of_way',
  'near_miss',
  'stall',
  'tow',
  'wait',
] as const;

const event = object('Something that happened.', {
  seq: integer,
  tick,
  time,
  kind: oneOf('hazard', 'intervention', 'configuration', 'collision'),
  vin: stringOrNull,
  feature: stringOrNull,
  hazard: stringOrNull,
  incident: stringOrNull,
  consequence: orNull(oneOf(...CONSEQUENCES)),
  distance: orNull(nonNegative),
  count: integer,
  message: string,
});
export type EventRecord = TypeOf<typeof event>;

export const Events = list(event, { maxItems: 60 });
