import { citiesOf, hazardSpotsOf } from '../../city/map.ts';
import type { City } from '../../city/types.ts';
import type { Encoding } from '../../codec/encoding.ts';
import { TwinError } from '../../errors.ts';
import type { Schema } from '../../schema.ts';
import { FEATURES } from '../../twin/catalogue.ts';
import { parseWorldId } from '../../twin/ids.ts';
import { journalEntryOf } from '../../twin/journal.ts';
import type { ForkOptions, GivenOptions, WorldOptions } from '../../twin/world-options.ts';
import type { Asker, TwinService, World } from '../../twin-service.ts';
import { freshReply } from '../server/etag.ts';
import { type MaybePromise, mapMaybePromise } from '../server/maybe-promise.ts';
import { PRICES_US } from '../server/prices.ts';
import { askerOf, type RateLimits } from '../server/rate-limits.ts';
import { bodyless, encode, ok, type Reply, reply } from '../server/reply.ts';
import { BODY_BYTES_MAX, type Call, type Route } from '../server/router.ts';
import { changeRange, incidentRange } from './list-range.ts';
import { INCIDENT_SHAPE, type LongLists } from './long-lists.ts';
import { type AskedState, askedState, stateWithHash } from './past-state.ts';
import { featuresOfQuery, replayBody } from './replay.ts';
import * as schemas from './schemas.ts';
import { ServedMap } from './served-map.ts';
import { RATE_HZ } from './stream-rate.ts';
import type { WorldAccess } from './world-access.ts';
import type { WorldBodies } from './world-bodies.ts';

export interface TwinContext {
  service: TwinService;
  worlds: WorldAccess;
  bodies: WorldBodies;
  limits: RateLimits;
  lists: LongLists;
  /** Base of viewer and stream URLs, without a trailing slash. */
  publicTwinUrl: () => string;
  /** Base of the stream URLs of this node's worlds where that is another one. */
  nodeTwinUrl?: string | undefined;
  /** Hash of the kernel that steps the worlds. */
  kernelHash: string;
}

/** A journal may be large. */
const WORLD_BODY_BYTES_MAX = 1024 * 1024;

type Answer = Reply | Promise<Reply>;

/** The operations on worlds and catalogues. */
export function twinRoutes(context: TwinContext): Route[] {
  return [
    ...creationRoutes(context),
    ...catalogueRoutes(context.service),
    ...worldRoutes(context),
    ...incidentRoutes(context),
  ];
}

// ── creation ──────────────────────────────────────────────────────────────────────────────────

function creationRoutes(context: TwinContext): Route[] {
  const common = { tag: 'worlds', auth: 'none', place: 'creation' } as const;
  const errors = ['rate_limited', 'overloaded', 'store_unavailable'] as const;
  const ofWorld = ['unknown_world', 'unknown_tick', 'world_unavailable'] as const;
  const parsed = new WeakMap<Call, MaybePromise<GivenOptions>>();
  /** The options of a call, which are parsed once. */
  const optionsOf = (call: Call): MaybePromise<GivenOptions> => {
    const known = parsed.get(call);
    if (known !== undefined) return known;
    const key = call.addressKey();
    context.limits.work?.takeUpToBurst(key, PRICES_US.parsedByte * call.body.byteLength);
    const options = context.bodies.parse(call.body, key);
    parsed.set(call, options);
    return options;
  };
  return [
    {
      ...common,
      method: 'POST',
      path: '/api/v1/worlds',
      operationId: 'createWorld',
      summary: 'Make a world',
      body: { maxBytes: WORLD_BODY_BYTES_MAX, schema: schemas.WorldOptions },
      answers: { 201: { description: 'The new world', schema: schemas.World } },
      errors: ['invalid_json', 'invalid_body', 'invalid_world_options', ...ofWorld, ...errors],
      originOf: (call) =>
        mapMaybePromise(optionsOf(call), ({ fork }) => fork && parseWorldId(fork.world)),
      handle: async (call) => {
        // A client over a limit must not cause the parsing of a large body.
        const key = call.addressKey();
        context.limits.worlds?.check(key);
        const given = optionsOf(call);
        const { fork, ...own } = given instanceof Promise ? await given : given;
        const options = fork === undefined ? own : await forkOptions(context, call, fork);
        const world = await create(key, context, options);
        const location = ['Location', `/api/v1/worlds/${world.id}`] as const;
        const body = encode(worldOf(world, call, context), call.encoding);
        return reply(201, body, call.encoding, [location]);
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/',
      operationId: 'visit',
      summary: 'Make a world and go to its viewer',
      body: { maxBytes: BODY_BYTES_MAX },
      answers: { 303: { description: 'The viewer of a new world' } },
      errors,
      handle: async (call) => {
        const world = await create(call.addressKey(), context, { startTick: 0 });
        return bodyless(303, [
          ['Location', `/worlds/${world.id}`],
          ['Cache-Control', 'no-store'],
        ]);
      },
    },
  ];
}

/** Finds the origin of a fork, as a call for it would. */
async function forkOptions(
  { worlds, limits }: TwinContext,
  call: Call,
  { world: id, tick, changes }: ForkOptions,
): Promise<WorldOptions> {
  const asker = askerOf(limits.work, call.addressKey());
  const origin = await worlds.byId(call, id);
  return origin.forkOptions({ tick, changes }, asker);
}

async function create(key: string, { service, limits }: TwinContext, options: WorldOptions) {
  limits.worlds?.check(key);
  limits.livingWorlds?.enter(key);
  const deleted = () => limits.livingWorlds?.leave(key);
  try {
    const ticks = options.startTick - (options.origin?.from.tick ?? 0);
    limits.work?.take(key, PRICES_US.world + PRICES_US.tick * ticks);
    limits.worlds?.take(key);
    return await service.create(options, deleted);
  } catch (error) {
    deleted();
    throw error;
  }
}

/** A world as the API shows it. */
function worldOf(world: World, call: Call, { publicTwinUrl, nodeTwinUrl }: TwinContext) {
  const publicUrl = call.publicUrl ?? publicTwinUrl();
  const streamUrl = (nodeTwinUrl ?? publicUrl).replace(/^http/, 'ws');
  return {
    id: world.id,
    viewer_url: `${publicUrl}/worlds/${world.id}`,
    stream_url: `${streamUrl}/ws/worlds/${world.id}`,
    created_at: new Date(world.createdAtMs).toISOString(),
    seed: world.seed,
    city: world.city.name,
    rate_hz: RATE_HZ,
    tick: world.tick(),
    watchers: world.watcherCount,
    fleet: world.fleet,
    hazards: hazardSpotsOf(world.city),
    ...(world.exact ? {} : { exact: false }),
  };
}

// ── catalogues ────────────────────────────────────────────────────────────────────────────────

function catalogueRoutes(service: TwinService): Route[] {
  const get = (
    path: string,
    operationId: string,
    summary: string,
    schema: Schema,
    value: unknown,
  ): Route => {
    const replies = { json: ok(value, 'json'), msgpack: ok(value, 'msgpack') };
    return {
      method: 'GET',
      path,
      operationId,
      summary,
      tag: 'catalogue',
      auth: 'none',
      answers: { 200: { description: summary, schema } },
      errors: [],
      handle: ({ encoding }) => replies[encoding],
    };
  };
  const features = { features: FEATURES };
  const cities = citiesOf(service.cities);
  return [
    get('/api/v1/features', 'listFeatures', 'All features', schemas.Catalogue, features),
    get('/api/v1/cities', 'listCities', 'All cities', schemas.Cities, cities),
  ];
}

// ── one world ─────────────────────────────────────────────────────────────────────────────────

/** A route that reads a world. Its parameters and errors are added to the common ones. */
interface WorldRead
  extends Pick<Route, 'operationId' | 'summary' | 'query'>,
    Partial<Pick<Route, 'params' | 'errors' | 'answers'>> {
  /** Below the path of the world. */
  path: string;
  schema: Schema;
}

function described({ path, schema, params, errors = [], answers, ...about }: WorldRead) {
  return {
    ...about,
    method: 'GET',
    path: `/api/v1/worlds/{id}${path}`,
    tag: 'worlds',
    auth: 'none',
    place: 'world',
    params: { id: schemas.WorldId, ...params },
    answers: { 200: { description: about.summary, schema }, ...answers },
    errors: [
      ...errors,
      'unknown_world',
      'rate_limited',
      'overloaded',
      'store_unavailable',
      'world_unavailable',
    ],
  } as const satisfies Omit<Route, 'handle'>;
}

function worldRoute(
  { worlds }: TwinContext,
  { answer, ...read }: WorldRead & { answer: (world: World, call: Call) => Answer },
): Route {
  const handle = (call: Call) =>
    mapMaybePromise(worlds.byId(call, call.params[0]), (world) => answer(world, call));
  return { ...described(read), handle };
}

/** A route whose work is paid: `key` is that of the client in limits. */
function listRoute(
  { worlds }: TwinContext,
  { answer, ...read }: WorldRead & { answer: (world: World, call: Call, key: string) => Answer },
): Route {
  const handle = (call: Call) => {
    const key = call.addressKey();
    return mapMaybePromise(worlds.byId(call, call.params[0]), (world) => answer(world, call, key));
  };
  return {
    ...described({
      ...read,
      errors: ['invalid_value'],
      answers: { 304: { description: 'Not modified' } },
    }),
    handle,
  };
}

function worldRoutes(context: TwinContext): Route[] {
  /** Made only where a world has to be stepped: an address takes a microsecond. */
  const askerFor = (call: Call) => () => askerOf(context.limits.work, call.addressKey());
  return [
    worldRoute(context, {
      path: '',
      operationId: 'getWorld',
      summary: 'The world, its fleet and its hazard spots',
      schema: schemas.World,
      answer: (world, call) => ok(worldOf(world, call, context), call.encoding),
    }),
    worldRoute(context, {
      path: '/state',
      operationId: 'getState',
      summary: 'The current snapshot, or that of a tick that has passed',
      query: { tick: schemas.PastTick, hash: schemas.WithHash },
      schema: schemas.State,
      errors: ['invalid_value', 'unknown_tick'],
      answer: (world, call) => {
        const asked = askedState(call.query);
        if (asked !== undefined) return pastState(context, world, call, asked);
        return mapMaybePromise(world.frame(call.encoding, askerFor(call)), (bytes) =>
          reply(200, bytes, call.encoding),
        );
      },
    }),
    askingRoute(context, {
      path: '/outlook',
      operationId: 'getWorldOutlook',
      summary: 'What is at stake next for all cars, soonest first',
      schema: schemas.WorldOutlook,
      answer: async (world, { encoding }, asker) => ok(await world.outlook(asker), encoding),
    }),
    askingRoute(context, {
      path: '/events',
      operationId: 'listEvents',
      summary: 'The last sixty events, oldest first',
      schema: schemas.Events,
      answer: async (world, { encoding }, asker) => ok(await world.events(asker), encoding),
    }),
    listRoute(context, {
      path: '/journal',
      operationId: 'getJournal',
      summary: 'The journal: seed, city and every accepted change',
      schema: schemas.Journal,
      query: { after: schemas.AfterChanges, limit: schemas.Limit },
      answer: (world, { encoding, head, query }, key) => {
        const changes = world.journal(changeRange(query));
        const fields = { kernel: world.kernel, seed: world.seed, city: world.city.name };
        return context.lists.reply({ encoding, head, key }, changes, {
          entryOf: journalEntryOf,
          priceUs: PRICES_US.journalChange,
          object: { fields: { ...fields, tick: world.tick() }, list: 'changes' },
        });
      },
    }),
    mapRoute(context),
  ];
}

async function pastState(
  { limits }: TwinContext,
  world: World,
  call: Call,
  { tick, withHash }: AskedState,
): Promise<Reply> {
  const { encoding } = call;
  const key = call.addressKey();
  limits.work?.take(key, PRICES_US.pastState);
  const state = await world.pastState({ tick, encoding, asker: askerOf(limits.work, key) });
  const body = withHash ? stateWithHash(state, encoding) : state.snapshot;
  return reply(200, body, encoding);
}

const OF_INCIDENT = { incident: schemas.IncidentId };

function incidentRoutes(context: TwinContext): Route[] {
  return [
    listRoute(context, {
      path: '/incidents',
      operationId: 'listIncidents',
      summary: 'Every collision report, in order',
      schema: schemas.Incidents,
      query: { after: schemas.AfterIncident, until: schemas.UntilTick, limit: schemas.Limit },
      answer: async (world, { encoding, head, query }, key) => {
        const asker = askerOf(context.limits.work, key);
        const incidents = await world.incidents(incidentRange(query), asker);
        return context.lists.reply({ encoding, head, key }, incidents, INCIDENT_SHAPE);
      },
    }),
    askingRoute(context, {
      path: '/incidents/{incident}',
      operationId: 'getIncident',
      summary: 'One collision report',
      params: OF_INCIDENT,
      schema: schemas.Incident,
      errors: ['unknown_incident'],
      answer: async (world, { params, encoding }, asker) => {
        const incident = await world.incident(params[1] ?? '', asker);
        if (incident === undefined) throw new TwinError('unknown_incident');
        return ok(incident, encoding);
      },
    }),
    replayRoute(context),
  ];
}

/** The client pays for steps, and for explanations that the world cannot pay. */
type AskingAnswer = (world: World, call: Call, asker: Asker) => Answer;

function askingRoute(
  { worlds, limits }: TwinContext,
  { answer, ...read }: WorldRead & { answer: AskingAnswer },
): Route {
  const handle = (call: Call) => {
    const asker = askerOf(limits.work, call.addressKey());
    return mapMaybePromise(worlds.byId(call, call.params[0]), (world) =>
      answer(world, call, asker),
    );
  };
  return { ...described(read), handle };
}

function replayRoute({ worlds, limits }: TwinContext): Route {
  return {
    ...described({
      path: '/incidents/{incident}/replay',
      operationId: 'replayIncident',
      summary: 'The seconds around a collision, as they were or with features on',
      params: OF_INCIDENT,
      query: { with: schemas.ReplayWith },
      schema: schemas.Replay,
      errors: ['unknown_feature', 'unknown_incident'],
    }),
    handle: (call) => {
      const key = call.addressKey();
      return mapMaybePromise(worlds.byId(call, call.params[0]), async (world) => {
        const [, id = ''] = call.params;
        const { encoding } = call;
        const on = featuresOfQuery(call.query);
        const spend = (ticks: number) => limits.work?.takeUpToBurst(key, PRICES_US.tick * ticks);
        limits.replays?.enter(key);
        const replay = await world
          .replay(id, { client: key, on, encoding, spend })
          .finally(() => limits.replays?.leave(key));
        if (replay === undefined) throw new TwinError('unknown_incident');
        return reply(200, replayBody(id, on, replay, encoding), encoding);
      });
    },
  };
}

// ── map ───────────────────────────────────────────────────────────────────────────────────────

function mapRoute(context: TwinContext): Route {
  // One per city and encoding, made at the first request.
  const maps: Record<Encoding, Map<City, ServedMap>> = { json: new Map(), msgpack: new Map() };
  const mapOf = (city: City, encoding: Encoding): ServedMap => {
    const map = maps[encoding].get(city) ?? new ServedMap(city, encoding);
    maps[encoding].set(city, map);
    return map;
  };
  const answerOf = (map: ServedMap, { head }: Call) =>
    mapMaybePromise(map.in(head.acceptEncoding), (reply) => freshReply(reply, head.ifNoneMatch));
  const route = worldRoute(context, {
    path: '/map',
    operationId: 'getMap',
    summary: 'The road network',
    schema: schemas.CityMap,
    answers: { 304: { description: 'Not modified' } },
    answer: ({ city }, call) => answerOf(mapOf(city, call.encoding), call),
  });
  return {
    ...route,
    answerHere: (call, { status, headers }) => {
      const tag = headers.find(([name]) => name === 'ETag')?.[1];
      if (status !== 304 || tag === undefined) return undefined;
      const same = context.service.cities.find((city) => mapOf(city, call.encoding).hasTag(tag));
      return same && answerOf(mapOf(same, call.encoding), call);
    },
  };
}
