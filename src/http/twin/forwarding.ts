import type {
  ClusterService,
  ForwardedCall,
  ForwardedReply,
  Peer,
  Place,
  RelayedWorld,
} from '../../cluster-service.ts';
import type { StreamEncoding } from '../../codec/encoding.ts';
import { BetweenNodes, isStoreUnavailable, TwinError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { parseWorldId } from '../../twin/ids.ts';
import type { KnownJournal } from '../../twin/lockstep.ts';
import type { Watchable } from '../../twin-service.ts';
import type { MaybePromise } from '../server/maybe-promise.ts';
import type { Pieces, Reply } from '../server/reply.ts';
import type { Call, Route } from '../server/router.ts';
import { traceparentOf } from '../server/traces.ts';
import { worldOfCar } from './world-access.ts';

const BETWEEN_NODES = 'Another node takes this world over; nothing was changed. Try again later.';
const UNKNOWN_OUTCOME =
  'The node of this world did not answer, and the change may have been made: read the state to find out.';

interface Dependencies {
  cluster: ClusterService;
  /** Base of the URLs of this node for its clients. */
  publicTwinUrl: () => string;
  log: Log;
}

interface Watching {
  encoding: StreamEncoding;
  addressKey: string;
  /** See `World.lockstep`. */
  known?: KnownJournal | undefined;
}

/** The world that a call is about; undefined if it names none. */
type WorldOf = (call: Call) => number | undefined;

type OriginOf = NonNullable<Route['originOf']>;

const WORLD_OF: Readonly<Record<'world' | 'car', WorldOf>> = {
  world: ({ params }) => parseWorldId(params[0] ?? ''),
  car: ({ head }) => worldOfCar(head),
};

/** Has the calls for worlds of other nodes answered there, before they have any effect here. */
export class Forwarding {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The route as clients of this node get it. What names no world is answered here. */
  wrap(route: Route): Route {
    if (route.place === undefined) return route;
    if (route.place === 'creation')
      return { ...route, handle: (call) => this.#create(call, route) };
    const { cluster } = this.#dependencies;
    const worldOf = WORLD_OF[route.place];
    const handle = (call: Call): MaybePromise<Reply> => {
      const world = worldOf(call);
      if (world === undefined) return route.handle(call);
      const place = cluster.placeOf(world);
      if (place.at !== 'here') return this.#elsewhere(call, route, world, place);
      return this.#here(call, route, world);
    };
    return { ...route, handle };
  }

  #create(call: Call, route: Route): MaybePromise<Reply> {
    const { originOf } = route;
    if (originOf !== undefined && call.body.length > 0)
      return this.#createOf(call, route, originOf);
    const peer = this.#dependencies.cluster.placeOfCreation();
    return peer ? this.#createAt(peer, this.#forwardedCall(call), route) : route.handle(call);
  }

  #createAt(peer: Peer, forwarded: ForwardedCall, route: Route): Promise<Reply> {
    const { cluster } = this.#dependencies;
    return this.#asked(route, () => cluster.forwardCreation(forwarded, peer));
  }

  /** A world that is made of another one is made by the node of that one. */
  async #createOf(call: Call, route: Route, originOf: OriginOf): Promise<Reply> {
    const { cluster } = this.#dependencies;
    // Before the first wait: once the client has gone nobody knows its address. The body is copied, since
    // whoever parses it may give its memory to a thread.
    const forwarded = { ...this.#forwardedCall(call), body: call.body.slice() };
    const found = originOf(call);
    const origin = found instanceof Promise ? await found : found;
    const peer = cluster.placeOfCreation();
    if (origin === undefined) {
      return peer ? this.#createAt(peer, forwarded, route) : route.handle(call);
    }
    const there = () => this.#asked(route, () => cluster.forward(forwarded, origin));
    if (cluster.placeOf(origin).at !== 'here') return there();
    try {
      return await route.handle(call);
    } catch (error) {
      if (error instanceof BetweenNodes && cluster.placeOf(origin).at !== 'here') return there();
      throw error;
    }
  }

  /** Asks again elsewhere if the world has left this node meanwhile, and nothing was done. */
  #here(call: Call, route: Route, world: number): MaybePromise<Reply> {
    const retry = (error: unknown) => {
      const place = this.#dependencies.cluster.placeOf(world);
      const isUndone = error instanceof BetweenNodes || !writes(route);
      if (place.at === 'here' || !isUndone || !isStoreUnavailable(error)) throw error;
      return this.#elsewhere(call, route, world, place);
    };
    try {
      const reply = route.handle(call);
      return reply instanceof Promise ? reply.catch(retry) : reply;
    } catch (error) {
      return retry(error);
    }
  }

  async #elsewhere(call: Call, route: Route, world: number, place: Place): Promise<Reply> {
    // Before the first wait: once the client has gone nobody knows its address.
    const forwarded = this.#forwardedCall(call);
    const isElsewhere = place.at === 'there' || (await this.settled(world, place)) === 'there';
    if (!isElsewhere) return route.handle(call);
    const { cluster } = this.#dependencies;
    const forward = () => this.#asked(route, () => cluster.forward(forwarded, world));
    if (route.answerHere === undefined) return forward();
    const head = { ...forwarded.head, ifNoneMatch: '*' };
    const there = await this.#asked(route, () => cluster.forward({ ...forwarded, head }, world));
    const own = await route.answerHere(call, there);
    if (own !== undefined) return own;
    return there.status === 304 ? forward() : there;
  }

  placeOf(world: number): Place {
    return this.#dependencies.cluster.placeOf(world);
  }

  /** Waits for a world between two nodes. Throws TwinError `store_unavailable` if that takes too long. */
  async settled(world: number, place: Place): Promise<'here' | 'there'> {
    const settled = place.at === 'nowhere' ? await this.#settledPlaceOf(world) : place;
    if (settled.at !== 'nowhere') return settled.at;
    const retryAfterS = Math.max(1, Math.ceil(settled.retryMs / 1000));
    throw new TwinError('store_unavailable', BETWEEN_NODES, retryAfterS);
  }

  async #settledPlaceOf(world: number): Promise<Place> {
    try {
      return await this.#dependencies.cluster.settledPlaceOf(world);
    } catch (error) {
      throw this.#refusal(error, false);
    }
  }

  /** A world of another node for a client that watches it. Rejects with TwinError. */
  async watch(world: number, { encoding, addressKey, known }: Watching): Promise<RelayedWorld> {
    try {
      return await this.#dependencies.cluster.relays.watch(world, encoding, addressKey, known);
    } catch (error) {
      throw this.#refusal(error, false);
    }
  }

  /** A world that leaves this node, for a client that watches it. */
  follow(world: Watchable, { encoding, addressKey }: Watching): RelayedWorld {
    return this.#dependencies.cluster.relays.follow(world, encoding, addressKey);
  }

  #forwardedCall(call: Call): ForwardedCall {
    const { head } = call;
    return {
      method: call.method,
      path: call.path,
      query: call.query,
      encoding: call.encoding,
      requestId: call.requestId,
      traceparent: traceparentOf(call.span),
      body: call.body,
      head: {
        accept: head.accept,
        acceptEncoding: head.acceptEncoding,
        authorization: head.authorization,
        vin: head.vin,
        ifNoneMatch: head.ifNoneMatch,
        contentType: head.contentType,
      },
      addressKey: call.addressKey(),
      publicTwinUrl: this.#dependencies.publicTwinUrl(),
    };
  }

  async #asked(route: Route, ask: () => Promise<ForwardedReply>): Promise<Reply> {
    const refusal = (error: unknown) => this.#refusal(error, writes(route));
    try {
      const reply = await ask();
      const { body } = reply;
      if (typeof body === 'string' || body instanceof Uint8Array) return { ...reply, body };
      return { ...reply, body: refusing(body, refusal) };
    } catch (error) {
      throw refusal(error);
    }
  }

  /** What the client is told. Errors that are none of the twin are a fault of the link. */
  #refusal(error: unknown, isWrite: boolean): TwinError {
    if (error instanceof TwinError) return error;
    this.#dependencies.log.error({ err: error }, 'a request could not be forwarded');
    return new TwinError('store_unavailable', isWrite ? UNKNOWN_OUTCOME : undefined);
  }
}

function writes({ body }: Route): boolean {
  return body !== undefined;
}

/** The pieces; what they throw is replaced. */
function refusing(pieces: Pieces, refusal: (error: unknown) => TwinError): Pieces {
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        next: () =>
          iterator.next().catch((error) => {
            throw refusal(error);
          }),
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
