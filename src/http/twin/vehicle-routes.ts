import { at, lengthOf } from '../../city/geometry.ts';
import { type CityNames, cityNames } from '../../city/names.ts';
import type { City } from '../../city/types.ts';
import type { Encoding } from '../../codec/encoding.ts';
import { perceptionOf } from '../../codec/perception.ts';
import { type FrameNames, telemetryOf } from '../../codec/snapshot.ts';
import { TwinError } from '../../errors.ts';
import { parseObject } from '../../json.ts';
import type { Schema } from '../../schema.ts';
import {
  FEATURE_NAMES,
  type FeatureName,
  featureSetting,
  featureState,
  knownBit,
  maskOf,
} from '../../twin/catalogue.ts';
import { hundredths } from '../../twin/units.ts';
import type { FleetEntry, Perception, Telemetry, VehicleOutlook } from '../../twin/wire.ts';
import type { Asker } from '../../twin-service.ts';
import { mapMaybePromise } from '../server/maybe-promise.ts';
import { PRICES_US } from '../server/prices.ts';
import { askerOf } from '../server/rate-limits.ts';
import { encode, ok, type Reply } from '../server/reply.ts';
import { BODY_BYTES_MAX, type Call, type Method, type Route } from '../server/router.ts';
import { incidentRange } from './list-range.ts';
import { type BodySteps, INCIDENT_SHAPE, replyInSteps } from './long-lists.ts';
import * as schemas from './schemas.ts';
import type { TwinContext } from './twin-routes.ts';
import type { Car } from './world-access.ts';

type VehicleContext = Pick<TwinContext, 'worlds' | 'limits' | 'lists'>;
type Answer = Reply | Promise<Reply>;

/** A change whose body is short. */
const SHORT_BYTES = 1024;
/** One of so many short changes pays, for all of them: to find an address takes 5 µs. */
const PAID_ONE_OF = 8;

const ALL = maskOf(FEATURE_NAMES);

/** The operations under /api/v1/vehicle, for the car of the credential. */
export function vehicleRoutes(context: VehicleContext): Route[] {
  return [...readRoutes(context), ...featureRoutes(context)];
}

function readRoutes({ worlds, limits, lists }: VehicleContext): Route[] {
  const get = (
    path: string,
    operationId: string,
    summary: string,
    schema: Schema,
    answer: (
      car: Car,
      encoding: Encoding,
      asker: () => Asker,
      pay: (priceUs: number) => void,
    ) => Answer,
  ): Route => ({
    ...vehicleRoute('GET', path, operationId, summary, schema),
    handle: (call) =>
      mapMaybePromise(worlds.byVin(call), (car) =>
        answer(
          car,
          call.encoding,
          () => askerOf(limits.work, call.addressKey()),
          (priceUs) => limits.work?.takeUpToBurst(call.addressKey(), priceUs),
        ),
      ),
  });
  return [
    get('', 'getVehicle', 'Everything about the car', schemas.Vehicle, vehicle),
    get(
      '/features',
      'getFeatures',
      'Declared and effective features',
      schemas.FeatureState,
      ({ world, index }, encoding) => stateReply(world.declared(index), encoding),
    ),
    get('/telemetry', 'getTelemetry', 'Live telemetry', schemas.Telemetry, (car, encoding, asker) =>
      mapMaybePromise(telemetry(car, asker), (value) => ok(value, encoding)),
    ),
    get('/route', 'getRoute', 'The loop that the car drives', schemas.Route, (car, encoding) =>
      ok(routeOf(car), encoding),
    ),
    get(
      '/perception',
      'getPerception',
      'What the sensors of the car know, and what the car does about it',
      schemas.Perception,
      async (car, encoding, asker, pay) => {
        pay(PRICES_US.perception);
        return ok(await perception(car, asker()), encoding);
      },
    ),
    get(
      '/outlook',
      'getOutlook',
      'What is at stake next for the car, soonest first',
      schemas.VehicleOutlook,
      async (car, encoding, asker) => ok(await outlookOf(car, asker()), encoding),
    ),
    incidentsRoute({ worlds, limits, lists }),
  ];
}

async function outlookOf(car: Car, asker: Asker): Promise<VehicleOutlook> {
  const { tick, outlook } = await car.world.outlook(asker, car.index);
  return { vin: entryOf(car).vin, tick, outlook: outlook.map(({ vin: _, ...entry }) => entry) };
}

function incidentsRoute({ worlds, limits, lists }: VehicleContext): Route {
  const summary = 'Collision reports that involve the car';
  const about = vehicleRoute(
    'GET',
    '/incidents',
    'getVehicleIncidents',
    summary,
    schemas.Incidents,
  );
  return {
    ...about,
    query: { after: schemas.AfterIncident, until: schemas.UntilTick, limit: schemas.Limit },
    answers: { ...about.answers, 304: { description: 'Not modified' } },
    errors: ['invalid_value', ...about.errors],
    handle: (call) => {
      const { encoding, head, query } = call;
      const key = call.addressKey();
      return mapMaybePromise(worlds.byVin(call), async ({ world, index }) => {
        const range = { ...incidentRange(query), car: index };
        const incidents = await world.incidents(range, askerOf(limits.work, key));
        // All cars have the same address, so a browser would take the list of one for that of another.
        const list = { ...incidents, tag: `${incidents.tag}-${index}` };
        return lists.reply({ encoding, head, key }, list, INCIDENT_SHAPE);
      });
    },
  };
}

/** What makes a change pay, once its car is found; undefined: another change pays for it. */
function changePayments({ work }: Pick<TwinContext['limits'], 'work'>) {
  let shortCount = 0;
  return (call: Call): (() => void) | undefined => {
    const isShort = call.body.byteLength <= SHORT_BYTES;
    if (isShort && ++shortCount % PAID_ONE_OF !== 0) return undefined;
    const key = call.addressKey();
    const price = PRICES_US.featureChange + PRICES_US.parsedByte * call.body.byteLength;
    return () => work?.takeUpToBurst(key, isShort ? PAID_ONE_OF * price : price);
  };
}

function featureRoutes({ worlds, limits }: VehicleContext): Route[] {
  const paymentOf = changePayments(limits);
  /** Answers with the features declared right after the change. */
  const write = (
    call: Call,
    plan: () => FeatureChange,
    answer: (declared: number, encoding: Encoding) => Reply,
  ): Answer => {
    const pay = paymentOf(call);
    return mapMaybePromise(worlds.byVin(call), (car) => {
      pay?.();
      const { touched, values } = plan();
      limits.featureWrites?.take(entryOf(car).vin);
      const change = car.world.change(car.index, touched, values);
      return change.then((declared) => answer(declared, call.encoding));
    });
  };
  return [
    {
      ...vehicleRoute(
        'PATCH',
        '/features',
        'patchFeatures',
        'Switch features',
        schemas.FeatureState,
      ),
      body: { maxBytes: BODY_BYTES_MAX, schema: schemas.FeaturePatch, required: true },
      handle: (call) => write(call, () => patchOf(call.body), stateReply),
    },
    {
      ...vehicleRoute(
        'PUT',
        '/features/{name}',
        'putFeature',
        'Switch one feature on or off',
        schemas.FeatureSetting,
      ),
      params: { name: schemas.FeatureName },
      body: { maxBytes: BODY_BYTES_MAX, schema: schemas.FeaturePut, required: true },
      handle: (call) => {
        const name = call.params[0] as FeatureName;
        const answer = (declared: number, encoding: Encoding) =>
          ok(featureSetting(declared, name), encoding);
        return write(call, () => putOf(name, call.body), answer);
      },
    },
    {
      ...vehicleRoute(
        'POST',
        '/features/reset',
        'resetFeatures',
        'Switch all features on',
        schemas.FeatureState,
      ),
      body: { maxBytes: BODY_BYTES_MAX },
      handle: (call) => write(call, () => ({ touched: ALL, values: ALL }), stateReply),
    },
  ];
}

function vehicleRoute(
  method: Method,
  path: string,
  operationId: string,
  summary: string,
  schema: Schema,
): Omit<Route, 'handle'> {
  const writes = ['unknown_feature', 'invalid_value', 'invalid_json', 'invalid_body'] as const;
  return {
    method,
    path: `/api/v1/vehicle${path}`,
    operationId,
    summary,
    tag: 'vehicle',
    auth: 'vin',
    place: 'car',
    answers: { 200: { description: summary, schema } },
    errors: [
      ...(method === 'PATCH' || method === 'PUT' ? writes : []),
      'missing_vin',
      'unknown_vin',
      'rate_limited',
      'overloaded',
      'store_unavailable',
      'world_unavailable',
    ],
  };
}

// ── features ──────────────────────────────────────────────────────────────────────────────────

interface FeatureChange {
  touched: number;
  values: number;
}

/** Checks all names before values, so an unknown name is always reported as such. */
function patchOf(body: Uint8Array): FeatureChange {
  const fields = parseObject(body);
  let touched = 0;
  for (const name of fields.keys()) touched |= knownBit(name);
  let values = 0;
  for (const [name, value] of fields) {
    if (typeof value !== 'boolean') throw new TwinError('invalid_value');
    if (value) values |= knownBit(name);
  }
  return { touched, values };
}

function putOf(name: string, body: Uint8Array): FeatureChange {
  const enabled = parseObject(body).get('enabled');
  const touched = knownBit(name);
  if (typeof enabled !== 'boolean') {
    throw new TwinError('invalid_value', 'Send {"enabled": true} or {"enabled": false}.');
  }
  return { touched, values: enabled ? touched : 0 };
}

/** Cached answers by mask: at most 4,096, each of half a kilobyte. */
const stateReplies: Record<Encoding, Reply[]> = { json: [], msgpack: [] };

function stateReply(declared: number, encoding: Encoding): Reply {
  const replies = stateReplies[encoding];
  const known = replies[declared];
  if (known !== undefined) return known;
  const reply = ok(featureState(declared), encoding);
  replies[declared] = reply;
  return reply;
}

// ── the car ───────────────────────────────────────────────────────────────────────────────────

function entryOf({ world, index }: Car): FleetEntry {
  return at(world.fleet, index);
}

async function vehicle(car: Car, encoding: Encoding, asker: () => Asker): Promise<Reply> {
  const { world, index } = car;
  const { vin, ...appearance } = entryOf(car);
  const now = await telemetry(car, asker);
  async function* body(): BodySteps {
    const incidents = yield* world.incidentIds(index);
    const configuration = featureState(world.declared(index));
    const answer = {
      vin,
      world: world.id,
      ...appearance,
      configuration,
      telemetry: now,
      incidents,
    };
    return encode(answer, encoding);
  }
  return replyInSteps(body(), encoding);
}

function telemetry({ world, index }: Car, asker: () => Asker): Telemetry | Promise<Telemetry> {
  return mapMaybePromise(world.packed(asker), (packed) =>
    telemetryOf(packed, index, frameNamesOf(world)),
  );
}

async function perception({ world, index }: Car, asker: Asker): Promise<Perception> {
  const { packed, record } = await world.perception(asker, index);
  return perceptionOf(packed, index, record, frameNamesOf(world));
}

function frameNamesOf({ id, fleet, city }: Car['world']): FrameNames {
  return { worldId: id, vins: fleet.map(({ vin }) => vin), city: namesOf(city) };
}

const names = new WeakMap<City, CityNames>();

function namesOf(city: City): CityNames {
  const known = names.get(city) ?? cityNames(city);
  names.set(city, known);
  return known;
}

function routeOf(car: Car) {
  const { city } = car.world;
  const lanes = at(city.routes, car.index).map((lane) => at(city.lanes, lane));
  const lengthM = lanes.reduce((sum, { polyline }) => sum + lengthOf(polyline), 0);
  const passed = lanes.flatMap(({ road }) => (road < 0 ? [] : [at(city.roads, road).name]));
  return {
    vin: entryOf(car).vin,
    lanes: lanes.map(({ id }) => id),
    // The route is a loop, so the last street precedes the first.
    streets: passed.filter((name, i) => name !== passed.at(i - 1) || passed.length === 1),
    length: hundredths(lengthM),
  };
}
