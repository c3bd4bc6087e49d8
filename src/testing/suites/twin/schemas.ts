import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type Catalogue,
  type Cities,
  type CityMap,
  type ErrorBody,
  FEATURES,
  type FeatureSetting,
  type FeatureState,
  type Hello,
  type Incident,
  type Journal,
  type Replay,
  type Route,
  type Snapshot,
  type Telemetry,
  type Vehicle,
  type World,
  type WorldEvent,
} from './wire.ts';

/** Every body that the twin answers with, by the name that it goes by here. */
export interface Shapes {
  error: ErrorBody;
  world: World;
  cities: Cities;
  map: CityMap;
  snapshot: Snapshot;
  hello: Hello;
  catalogue: Catalogue;
  featureState: FeatureState;
  featureSetting: FeatureSetting;
  telemetry: Telemetry;
  vehicle: Vehicle;
  route: Route;
  incident: Incident;
  incidents: Incident[];
  events: WorldEvent[];
  replay: Replay;
  journal: Journal;
}

export type ShapeName = keyof Shapes;
type Schema = Record<string, unknown>;

/** An object with exactly these properties, and perhaps those of `optional`. */
function closed(properties: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const list = (items: Schema): Schema => ({ type: 'array', items });
const among = (...values: string[]): Schema => ({ type: 'string', enum: values });

const text: Schema = { type: 'string', minLength: 1 };
const number: Schema = { type: 'number' };
const positive: Schema = { type: 'number', exclusiveMinimum: 0 };
const notNegative: Schema = { type: 'number', minimum: 0 };
const boolean: Schema = { type: 'boolean' };
const tick: Schema = { type: 'integer', minimum: 0, maximum: 4_294_967_295 };
/** Half a turn either way, as four decimals have it. */
const heading: Schema = { type: 'number', minimum: -3.15, maximum: 3.15 };
const textOrNull: Schema = { type: ['string', 'null'], minLength: 1 };
const gap: Schema = { type: ['number', 'null'], minimum: 0 };
const worldId: Schema = { type: 'string', pattern: '^[0123456789abcdefghjkmnpqrstvwxyz]{10}$' };
const vin: Schema = { type: 'string', pattern: '^[0-9A-HJ-NPR-Z]{8}[0-9X][0-9A-HJ-NPR-Z]{8}$' };
const seed: Schema = { type: 'integer', minimum: 0, maximum: 4_294_967_295 };
const point: Schema = { type: 'array', items: number, minItems: 2, maxItems: 2 };
const polyline: Schema = { ...list(point), minItems: 2 };
const polygon: Schema = { ...list(point), minItems: 3 };
const ids: Schema = { ...list(text), uniqueItems: true };
const status = among('driving', 'stopped', 'crashed');
const feature = among(...FEATURES);
const features: Schema = { ...list(feature), uniqueItems: true };
const effective = among('on', 'off', 'degraded');

const fleet: Schema = {
  ...list(closed({ vin, model: text, plate: text, colour: text })),
  minItems: 20,
  maxItems: 20,
};

const hazardSpot = closed({
  id: text,
  kind: text,
  x: number,
  y: number,
  radius: positive,
  road: text,
  description: text,
});

const world = closed(
  {
    id: worldId,
    viewer_url: { type: 'string', pattern: '^https?://[^?]+$' },
    stream_url: { type: 'string', pattern: '^wss?://[^?]+$' },
    created_at: {
      type: 'string',
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
    },
    seed,
    city: text,
    rate_hz: { const: 12.5 },
    tick,
    watchers: { type: 'integer', minimum: 0 },
    fleet,
    hazards: list(hazardSpot),
  },
  { exact: { const: false } },
);

const light = closed({ id: text, x: number, y: number, heading, lanes: { ...ids, minItems: 1 } });

const map = closed({
  city: text,
  bounds: closed({ min_x: number, min_y: number, max_x: number, max_y: number }),
  roads: list(
    closed({
      id: text,
      name: text,
      class: text,
      speed_limit: positive,
      lanes: { ...ids, minItems: 1 },
      centerline: polyline,
    }),
  ),
  junctions: list(
    closed({
      id: text,
      x: number,
      y: number,
      control: among('signals', 'priority', 'stop', 'none'),
      polygon,
      lights: list(light),
    }),
  ),
  lanes: list(
    closed({
      id: text,
      road: textOrNull,
      junction: textOrNull,
      width: positive,
      speed_limit: positive,
      polyline,
      next: ids,
      sign: { type: ['string', 'null'], enum: ['stop', 'yield', null] },
    }),
  ),
  blocks: list(closed({ id: text, kind: text, polygon, height: notNegative })),
  zones: list(closed({ id: text, kind: among('ice', 'wet', 'fog', 'dusk'), polygon })),
  hazards: list(hazardSpot),
});

const snapshotVehicle = closed({
  vin,
  x: number,
  y: number,
  heading,
  speed: notNegative,
  road: text,
  gap,
  braking: boolean,
  aeb: boolean,
  esc: boolean,
  evasive: boolean,
  status,
});

const snapshot = closed({
  type: { const: 'snapshot' },
  world: worldId,
  tick,
  time: notNegative,
  vehicles: { ...list(snapshotVehicle), minItems: 20, maxItems: 20 },
  lights: list(closed({ id: text, state: among('red', 'red_amber', 'amber', 'green') })),
  hazards: list(
    closed({
      id: text,
      kind: text,
      active: boolean,
      x: number,
      y: number,
      heading,
      length: notNegative,
      width: notNegative,
    }),
  ),
});

const catalogue = closed({
  features: {
    ...list(
      closed({
        name: feature,
        group: among('actuator', 'sensor', 'function'),
        needs: list({ anyOf: [feature, { ...features, minItems: 2 }] }),
        owner_menu: boolean,
        description: text,
      }),
    ),
    minItems: 12,
    maxItems: 12,
  },
});

const ofEach = (value: Schema, names: readonly string[]): Record<string, Schema> =>
  Object.fromEntries(names.map((name) => [name, value]));

const featureState = closed({
  declared: closed(ofEach(boolean, FEATURES)),
  effective: closed(ofEach(effective, FEATURES)),
  missing: closed(
    {},
    ofEach({ ...features, minItems: 1 }, [
      'aeb',
      'animal_detection',
      'evasive_steering',
      'traffic_light_recognition',
      'intersection_assist',
      'esc',
    ]),
  ),
});

const telemetry = closed({
  vin,
  world: worldId,
  tick,
  time: notNegative,
  position: closed({ x: number, y: number }),
  heading,
  speed: notNegative,
  acceleration: number,
  steering: number,
  road: text,
  lane: text,
  gap,
  aeb: boolean,
  esc: boolean,
  evasive: boolean,
  status,
});

const incident = closed({
  id: text,
  world: worldId,
  tick,
  time: notNegative,
  place: closed({ x: number, y: number, road: text, street: text }),
  kind: among('vehicle', 'person', 'animal', 'obstacle', 'building'),
  vehicles: {
    ...list(
      closed({
        vin,
        model: text,
        plate: text,
        speed: notNegative,
        delta_v: notNegative,
        heading,
        role: among('striking', 'struck'),
        off: features,
        degraded: features,
      }),
    ),
    minItems: 1,
  },
  other: list(closed({ kind: text, hazard: textOrNull })),
  explained: boolean,
  failures: list(
    closed({
      vin,
      feature,
      restores: features,
      effect: among('avoids', 'mitigates'),
      set: { type: 'integer' },
      explanation: text,
    }),
  ),
  earned: closed({
    severity: among('slight', 'serious', 'severe'),
    injury_risk: { type: 'number', minimum: 0, maximum: 1 },
    points: notNegative,
    repair_cost: notNegative,
  }),
});

const event = closed({
  seq: { type: 'integer', minimum: 1 },
  tick,
  time: notNegative,
  kind: among('hazard', 'intervention', 'configuration', 'collision'),
  vin: { ...vin, type: ['string', 'null'] },
  feature: { type: ['string', 'null'], enum: [...FEATURES, null] },
  hazard: textOrNull,
  incident: textOrNull,
  message: text,
});

const journal = closed({
  kernel: text,
  seed,
  city: text,
  tick,
  changes: list(
    closed({
      tick,
      car: { type: 'integer', minimum: 0, maximum: 19 },
      features: { ...closed({}, ofEach(boolean, FEATURES)), minProperties: 1 },
    }),
  ),
});

const SCHEMAS: Record<ShapeName, Schema> = {
  error: closed({ error: { type: 'string', pattern: '^[a-z]+(_[a-z]+)*$' }, hint: text }),
  world,
  cities: closed({
    cities: { ...list(closed({ name: text, title: text, description: text })), minItems: 1 },
  }),
  map,
  snapshot,
  hello: closed({
    type: { const: 'hello' },
    world: worldId,
    rate_hz: { const: 12.5 },
    fleet,
    tick,
  }),
  catalogue,
  featureState,
  featureSetting: closed({ name: feature, enabled: boolean, effective, missing: features }),
  telemetry,
  vehicle: closed({
    vin,
    world: worldId,
    model: text,
    plate: text,
    colour: text,
    configuration: featureState,
    telemetry,
    incidents: ids,
  }),
  route: closed({
    vin,
    lanes: { ...list(text), minItems: 1 },
    streets: { ...list(text), minItems: 1 },
    length: positive,
  }),
  incident,
  incidents: list(incident),
  events: { ...list(event), maxItems: 60 },
  replay: closed({
    incident: text,
    with: features,
    frames: list(snapshot),
    contact_tick: { type: ['integer', 'null'], minimum: 0 },
  }),
  journal,
};

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });

/** What is wrong with a value, by a schema. Empty: nothing. */
export function faultsOf(name: ShapeName, value: unknown): string[] {
  const validate = ajv.getSchema(name) ?? ajv.addSchema(SCHEMAS[name], name).getSchema(name);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** The value itself, once it is exactly of that shape. Throws where it is not. */
export function shaped<Name extends ShapeName>(name: Name, value: unknown): Shapes[Name] {
  const faults = faultsOf(name, value);
  if (faults.length > 0) throw new Error(`not a ${name}:\n${faults.slice(0, 10).join('\n')}`);
  return value as Shapes[Name];
}
