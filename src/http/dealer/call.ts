import {
  DealerError,
  type FieldFault,
  forbidden,
  invalid,
  withoutStoreErrors,
} from '../../dealer/errors.ts';
import { type Action, can } from '../../dealer/rights.ts';
import type { Session } from '../../dealer/sessions.ts';
import { TwinError } from '../../errors.ts';
import type { Schema } from '../../schema.ts';
import type { TokenBuckets } from '../../token-buckets.ts';
import { isLargeBody } from '../server/body-thread.ts';
import { PRICES_US } from '../server/prices.ts';
import { type Header, ok, type Reply } from '../server/reply.ts';
import { BODY_BYTES_MAX, type Call, type Method, type Route } from '../server/router.ts';
import { asObject, MULTIPART_TYPE } from './body.ts';
import type { BodyReader } from './body-reader.ts';
import type { DealerRouteDependencies } from './dependencies.ts';
import { detailReply } from './detail.ts';
import type { Fields, Form, Values } from './form.ts';
import { ReadyReply } from './list-replies.ts';
import { levelHeaders, Payer } from './payer.ts';

/** The validated parts of a call. */
export interface Ask<B extends Fields, Q extends Fields, P extends Fields> {
  body: Values<B>;
  query: Values<Q>;
  path: Values<P>;
  authorization: string;
  ifNoneMatch: string;
  requestId: string;
  /** The client's key in limits. */
  addressKey: () => string;
}

/**
 * Counts a call, and its price, for the client's address. `priceUs`: processor time. Throws TwinError
 * `rate_limited`.
 */
export type Count = (name: string, limit: TokenBuckets | undefined, priceUs: number) => void;

/** One operation of the dealer platform: how it is served and described. */
interface Operation<B extends Fields, Q extends Fields, P extends Fields>
  extends Pick<Route, 'operationId' | 'summary' | 'refusals'> {
  endpoint: `${Method} ${string}`;
  body?: Form<B>;
  /** The body is a web form, not JSON. */
  isForm?: true;
  query?: Form<Q>;
  params?: Form<P>;
  answer: Schema;
  /**
   * Processor time that is paid before the call is run, beside that of its body. By default that of
   * a change, and nothing for a GET. What is known later `run` pays itself.
   */
  priceUs?: number;
}

interface OpenOperation<B extends Fields, Q extends Fields, P extends Fields>
  extends Operation<B, Q, P> {
  /** Caches must not store the answer. */
  isSecret?: true;
  run(ask: Ask<B, Q, P>, count: Count): unknown;
}

interface GuardedOperation<B extends Fields, Q extends Fields, P extends Fields>
  extends Operation<B, Q, P> {
  action: Action;
  /** Detail of the 403; default: not enough permissions. */
  refusal?: string;
  run(ask: Ask<B, Q, P>, session: Session, payer: Payer): unknown;
}

/** Description of a 403 that depends on the role alone. */
export const WRONG_ROLE = 'The role of the caller does not allow this.';

/** Description of a 429 because of the price of a call, or of too many at once. */
const OVER_LIMIT = 'The address, or the account, is over its limit on work; see Retry-After.';

const NO_STORE: readonly Header[] = [['Cache-Control', 'no-store']];

/** Makes the routes of operations without authentication. */
export function openRoutes(
  { limits, bodies, turns }: Pick<DealerRouteDependencies, 'limits' | 'bodies' | 'turns'>,
  tag: string,
) {
  return <B extends Fields, Q extends Fields, P extends Fields>(
    operation: OpenOperation<B, Q, P>,
  ): Route =>
    routeOf(operation, tag, 'none', async (call) => {
      const addressKey = () => call.addressKey();
      const payer = new Payer(limits, addressKey);
      const limited = limitCounter(addressKey, payer);
      const ended = await refusedAs(async () => {
        payer.pay(bodyPriceUs(operation, call));
        await turns.enter(addressKey, turnUsOf(operation, call));
        const ask = read(operation, call, await bodyOf(operation, call, bodies));
        payer.pay(priceUsOf(operation));
        return replyOf(await operation.run(ask, limited.count));
      });
      const isSecret = operation.isSecret || ended.status >= 400;
      return withHeaders(ended, [
        ...(isSecret ? NO_STORE : []),
        ...limited.headers,
        ...payer.headers,
      ]);
    });
}

/**
 * Makes the routes of operations that need a token. Checks run in this order: syntax of the body
 * unless it is large, token, role, fields. The operation itself checks records and the rights to them.
 */
export function guardedRoutes(
  {
    platform: { sessions },
    limits,
    bodies,
    turns,
  }: Pick<DealerRouteDependencies, 'platform' | 'limits' | 'bodies' | 'turns'>,
  tag: string,
) {
  return <B extends Fields, Q extends Fields, P extends Fields>(
    operation: GuardedOperation<B, Q, P>,
  ): Route =>
    routeOf(operation, tag, 'bearer', async (call) => {
      const addressKey = () => call.addressKey();
      const payer = new Payer(limits, addressKey);
      const ended = await refusedAs(async () => {
        payer.pay(bodyPriceUs(operation, call));
        await turns.enter(addressKey, turnUsOf(operation, call));
        const isLarge = isLargeBody(call.body);
        const isEarly = operation.body !== undefined && !isLarge;
        const early = isEarly ? await bodyOf(operation, call, bodies) : undefined;
        const payForToken = () => payer.pay(PRICES_US.token);
        const session = await sessions.find(call.head.authorization, payForToken);
        // With a published log-in an account is everybody's: one client must not use up its budget.
        if (!session.account.isDemo) payer.join(session.account.id);
        if (!can(session.account, operation.action)) throw forbidden(operation.refusal);
        const given = isLarge ? await bodyOf(operation, call, bodies) : early;
        payer.pay(priceUsOf(operation));
        const ask = read(operation, call, given);
        return replyOf(await operation.run(ask, session, payer));
      });
      const { headers } = payer;
      return withHeaders(ended, headers.length === 0 ? NO_STORE : [...NO_STORE, ...headers]);
    });
}

/** A call without a form pays nothing for a body, which it does not read. */
function bodyPriceUs(
  { body, isForm }: { body?: unknown; isForm?: true },
  { body: { byteLength }, head: { contentType } }: Call,
): number {
  if (body === undefined) return 0;
  const isMultipart = isForm && MULTIPART_TYPE.test(contentType);
  return PRICES_US.parsedByte * byteLength + (isMultipart ? PRICES_US.multipart : 0);
}

/** Processor time of the main thread: a thread parses a large body. */
function turnUsOf(operation: Parameters<typeof bodyPriceUs>[0], call: Call): number {
  const bodyUs = isLargeBody(call.body) ? 0 : bodyPriceUs(operation, call);
  return PRICES_US.dealerCall + bodyUs;
}

function priceUsOf({ endpoint, priceUs }: { endpoint: string; priceUs?: number }): number {
  return priceUs ?? (endpoint.startsWith('GET ') ? 0 : PRICES_US.dealerChange);
}

function replyOf(result: unknown): Reply {
  return result instanceof ReadyReply ? result.reply : ok(result, 'json');
}

/** Turns refusals into answers; unknown errors pass through. */
async function refusedAs(answer: () => Promise<Reply>): Promise<Reply> {
  try {
    return await answer();
  } catch (thrown) {
    const error = withoutStoreErrors(thrown);
    if (error instanceof DealerError || error instanceof TwinError) return detailReply(error);
    throw error;
  }
}

function withHeaders(answer: Reply, more: readonly Header[]): Reply {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] };
}

function routeOf<B extends Fields, Q extends Fields, P extends Fields>(
  operation: Operation<B, Q, P>,
  tag: string,
  auth: 'none' | 'bearer',
  handle: Route['handle'],
): Route {
  const { endpoint, operationId, summary, body, isForm, query, params } = operation;
  const [method, path] = endpoint.split(' ') as [Method, string];
  const type = isForm ? { type: 'application/x-www-form-urlencoded' as const } : {};
  const described = body ? { schema: body.schema, required: true, ...type } : {};
  return {
    method,
    path,
    operationId,
    summary,
    tag,
    auth,
    ...(method === 'GET' ? {} : { body: { maxBytes: BODY_BYTES_MAX, ...described } }),
    ...(params ? { params: params.schema.properties } : {}),
    ...(query ? { query: query.schema.properties } : {}),
    answers: { 200: { description: summary, schema: operation.answer } },
    errors: [],
    refusals: {
      ...(auth === 'bearer' ? { 401: 'The token is missing or not valid.' } : {}),
      ...(body || query || params ? { 422: 'Some fields are invalid.' } : {}),
      429: OVER_LIMIT,
      ...operation.refusals,
      503: 'The service cannot do this now; see Retry-After. The detail says whether a change may have been made.',
    },
    handle,
  };
}

/** Parses the body without validating its fields. */
async function bodyOf(
  { body, isForm = false }: { body?: unknown; isForm?: boolean },
  call: Call,
  bodies: BodyReader,
): Promise<unknown> {
  if (body === undefined) return undefined;
  return bodies.read({ body: call.body, contentType: call.head.contentType, isForm }, () =>
    call.addressKey(),
  );
}

/** Validates all parts of a call. Throws DealerError 422 with the faults of all of them. */
function read<B extends Fields, Q extends Fields, P extends Fields>(
  { params, query, body }: Operation<B, Q, P>,
  call: Call,
  given: unknown,
): Ask<B, Q, P> {
  const faults: FieldFault[] = [];
  const part = <T>(look: () => T): T | undefined => {
    try {
      return look();
    } catch (error) {
      faults.push(...faultsOf(error));
      return undefined;
    }
  };
  const parts = {
    path: part(() => params?.read('path', inPath(params, call))) ?? {},
    query: part(() => query?.read('query', inQuery(call))) ?? {},
    body: part(() => body?.read('body', asObject(given))) ?? {},
  } as Pick<Ask<B, Q, P>, 'path' | 'query' | 'body'>;
  if (faults.length > 0) throw invalid(...faults);
  const { head, requestId } = call;
  const { authorization, ifNoneMatch } = head;
  return { ...parts, authorization, ifNoneMatch, requestId, addressKey: () => call.addressKey() };
}

function faultsOf(error: unknown): readonly FieldFault[] {
  if (error instanceof DealerError && typeof error.detail !== 'string') return error.detail;
  throw error;
}

/** A form for a path lists its fields in the order of the path's parameters. */
function inPath({ fields }: Form, { params }: Call): object {
  return Object.fromEntries(Object.keys(fields).map((name, i) => [name, params[i]]));
}

/** Of repeated parameters the last counts. */
function inQuery({ query }: Call): object {
  return query === '' ? {} : Object.fromEntries(new URLSearchParams(query));
}

/** Counts a call in limits and collects the RateLimit headers of its answer. */
function limitCounter(
  addressKey: () => string,
  payer: Payer,
): { count: Count; headers: readonly Header[] } {
  const headers: Header[] = [];
  const count: Count = (name, limit, priceUs) => {
    if (limit === undefined) return payer.pay(priceUs);
    const key = addressKey();
    try {
      limit.check(key);
      payer.pay(priceUs);
      limit.spend(key);
    } finally {
      headers.push(...levelHeaders(name, limit, key));
    }
  };
  return { count, headers };
}
