import { TwinError } from '../../errors.ts';
import type { LinkPreview } from '../../twin/link-preview.ts';
import { freshReply } from '../server/etag.ts';
import { PRICES_US } from '../server/prices.ts';
import type { RateLimits } from '../server/rate-limits.ts';
import { bodyless, type Header, ok, type Reply } from '../server/reply.ts';
import type { Call, Route } from '../server/router.ts';
import type { Forwarding } from '../twin/forwarding.ts';
import * as schemas from '../twin/schemas.ts';
import type { WorldAccess } from '../twin/world-access.ts';
import { type Asset, fresh } from './assets.ts';
import { type IncidentPictures, type Pictured, pictured } from './incident-pictures.ts';

const PNG = 'image/png';
/** The report of an explained incident does not change any more. */
const FOR_A_DAY = 'public, max-age=86400';
const FOR_SECONDS = 'public, max-age=10';

interface PreviewContext {
  worlds: WorldAccess;
  limits: RateLimits;
  pictures: IncidentPictures;
  /** Shown for an incident that is gone. */
  cityPicture: () => Asset;
}

/** Where the picture of an incident is, below the address of the service. */
export const picturePath = (world: string, incident: string): string =>
  `/worlds/${world}/incidents/${incident}/preview.png`;

/** What services that show links are told of an incident. Neither steps a world nor restarts its idle time. */
export function previewRoutes(context: PreviewContext): Route[] {
  return [previewRoute(context), pictureRoute(context)];
}

const COMMON = {
  method: 'GET',
  tag: 'viewer',
  auth: 'none',
  place: 'world',
  params: { id: schemas.WorldId, incident: schemas.IncidentId },
} as const satisfies Partial<Route>;
const REFUSALS = ['rate_limited', 'overloaded', 'store_unavailable', 'world_unavailable'] as const;

function previewRoute(context: PreviewContext): Route {
  return {
    ...COMMON,
    path: '/worlds/{id}/incidents/{incident}/preview.json',
    operationId: 'previewIncident',
    summary: 'What a link to an incident says of it',
    answers: { 200: { description: 'The words', schema: schemas.LinkPreview } },
    errors: ['unknown_world', 'unknown_incident', ...REFUSALS],
    handle: async (call) => {
      const { preview } = await find(context, call);
      return ok(preview satisfies LinkPreview, call.encoding);
    },
  };
}

function pictureRoute(context: PreviewContext): Route {
  return {
    ...COMMON,
    path: picturePath('{id}', '{incident}'),
    operationId: 'drawIncident',
    summary: 'A picture of an incident, for services that show links; of the city if it is gone',
    answers: { 200: { description: 'A PNG of 1200 × 630' }, 304: { description: 'Not modified' } },
    errors: [...REFUSALS],
    handle: async (call) => {
      try {
        return await drawn(context, await find(context, call), call);
      } catch (error) {
        if (!isGone(error)) throw error;
        return fresh(context.cityPicture(), call);
      }
    },
  };
}

/**
 * Asks for the preview of an incident as a client would: its world may be at another node. Undefined if it
 * cannot be told.
 */
export function previewsOf(
  [route]: readonly Route[],
  forwarding: Pick<Forwarding, 'wrap'> | undefined,
) {
  if (route === undefined) throw new RangeError('there is a route of previews');
  const { handle } = forwarding?.wrap(route) ?? route;
  return async (call: Call, incident: string): Promise<LinkPreview | undefined> => {
    const [world = ''] = call.params;
    const asked = {
      ...{ method: 'GET', path: route.path.replace('{id}', world).replace('{incident}', incident) },
      ...{ params: [world, incident], query: '', encoding: 'json', body: new Uint8Array(0) },
      ...{ head: call.head, requestId: call.requestId, span: call.span },
      addressKey: () => call.addressKey(),
    } as const satisfies Call;
    try {
      const { status, body } = await handle(asked);
      const isWhole = typeof body === 'string' || body instanceof Uint8Array;
      // An error of another node is an answer.
      return status === 200 && isWhole ? JSON.parse(Buffer.from(body).toString()) : undefined;
    } catch {
      return undefined;
    }
  };
}

async function find({ worlds, limits }: PreviewContext, call: Call): Promise<Pictured> {
  const key = call.addressKey();
  const [id, incidentId = ''] = call.params;
  const world = await worlds.unused(call, id);
  limits.work?.take(key, PRICES_US.incident);
  const incident = await world.recordedIncident(incidentId);
  if (incident === undefined) throw new TwinError('unknown_incident');
  return pictured(world, incident);
}

async function drawn({ pictures }: PreviewContext, of: Pictured, call: Call): Promise<Reply> {
  const { incident, tag } = of;
  const etag = `"${tag}"`;
  const headers: Header[] = [
    ['ETag', etag],
    ['Cache-Control', incident.explained ? FOR_A_DAY : FOR_SECONDS],
  ];
  const notModified = bodyless(304, headers);
  if (
    freshReply({ etag, whole: bodyless(200), notModified }, call.head.ifNoneMatch) === notModified
  )
    return notModified;
  const body = await pictures.png(of, call.addressKey());
  return { status: 200, type: PNG, body, headers };
}

function isGone(error: unknown): boolean {
  if (!(error instanceof TwinError)) return false;
  return error.code === 'unknown_world' || error.code === 'unknown_incident';
}
