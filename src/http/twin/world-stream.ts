import type { Encoding } from '../../codec/encoding.ts';
import { streamChoice } from '../../codec/negotiate.ts';
import { TwinError } from '../../errors.ts';
import { FRAME_MS } from '../../limits.ts';
import { parseWorldId } from '../../twin/ids.ts';
import type { StreamEnd, Watchable, World } from '../../twin-service.ts';
import { type MaybePromise, mapMaybePromise } from '../server/maybe-promise.ts';
import { askerOf, type RateLimits } from '../server/rate-limits.ts';
import { encode } from '../server/reply.ts';
import type { Route } from '../server/router.ts';
import type { Entrance, Stream, StreamSocket, UpgradeCall } from '../server/server-options.ts';
import type { Fanout } from './fanout.ts';
import type { Forwarding } from './forwarding.ts';
import * as schemas from './schemas.ts';
import type { Watcher } from './watcher.ts';
import type { WorldAccess } from './world-access.ts';

/** Frames per second. */
export const RATE_HZ = 1000 / FRAME_MS;
/** Maximum number of open streams of the node; further streams are refused with 503. */
const SOCKETS_MAX = 20_000;
export const STREAM_PATH = '/ws/worlds/{id}';

/** One upgraded connection. */
export interface StreamSession {
  world: Watchable;
  /** The world is this node's. Otherwise its frames are relayed. */
  isOwn: boolean;
  readonly encoding: Encoding;
  readonly addressKey: string;
  watcher: Watcher | undefined;
}

/** What a client has asked for. */
interface Asked extends Pick<StreamSession, 'encoding' | 'addressKey'> {
  /** The subprotocol to echo; empty: none. */
  protocol: string;
}

/** The stream of a world: a hello, then one snapshot per frame. */
export class WorldStream implements Stream<StreamSession> {
  readonly path = STREAM_PATH;
  readonly #worlds: WorldAccess;
  readonly #limits: RateLimits;
  readonly #fanout: Fanout;
  readonly #forwarding: Forwarding | undefined;
  /** Open streams of worlds of this node, which may leave it, by number. */
  readonly #own = new Map<number, Set<StreamSession>>();
  #openCount = 0;

  /** @param forwarding undefined: all worlds are this node's */
  constructor(
    worlds: WorldAccess,
    limits: RateLimits,
    fanout: Fanout,
    forwarding: Forwarding | undefined,
  ) {
    this.#worlds = worlds;
    this.#limits = limits;
    this.#fanout = fanout;
    this.#forwarding = forwarding;
  }

  find(call: UpgradeCall): MaybePromise<Entrance<StreamSession>> {
    const choice = streamChoice(call.query, call.head.webSocketProtocols);
    const asked = { ...choice, addressKey: call.addressKey() };
    if (this.#forwarding === undefined) return this.#findHere(call, asked);
    return this.#findAnywhere(call, asked, this.#forwarding);
  }

  #findAnywhere(
    call: UpgradeCall,
    asked: Asked,
    forwarding: Forwarding,
  ): MaybePromise<Entrance<StreamSession>> {
    const number = parseWorldId(call.params[0] ?? '');
    if (number === undefined) return this.#findHere(call, asked);
    const place = forwarding.placeOf(number);
    if (place.at === 'here') return this.#findHere(call, asked);
    return forwarding.settled(number, place).then((at) => {
      if (at === 'here') return this.#findHere(call, asked);
      return this.#findThere(asked, () => forwarding.watch(number, asked));
    });
  }

  #findHere(call: UpgradeCall, asked: Asked): MaybePromise<Entrance<StreamSession>> {
    return mapMaybePromise(this.#worlds.byId(call, call.params[0]), (world) => ({
      enter: () => ({ session: this.#enter(world, asked), protocol: asked.protocol }),
    }));
  }

  #enter(world: World, { encoding, addressKey }: Asked): StreamSession {
    this.#admit(addressKey);
    try {
      world.watch(encoding, addressKey, askerOf(this.#limits.work, addressKey));
    } catch (error) {
      this.#release(addressKey);
      throw error;
    }
    return { world, isOwn: true, encoding, addressKey, watcher: undefined };
  }

  /** A stream is admitted before its world's node is asked: so what waits for that node is bounded. */
  async #findThere(
    { encoding, addressKey, protocol }: Asked,
    watch: () => Promise<Watchable>,
  ): Promise<Entrance<StreamSession>> {
    const world = await this.#watchThere(addressKey, watch);
    return {
      enter: () => ({
        session: { world, isOwn: false, encoding, addressKey, watcher: undefined },
        protocol,
      }),
      abandon: () => {
        world.unwatch(encoding, addressKey);
        this.#release(addressKey);
      },
    };
  }

  async #watchThere(addressKey: string, watch: () => Promise<Watchable>): Promise<Watchable> {
    const { misses } = this.#limits;
    misses?.check(addressKey);
    this.#admit(addressKey);
    try {
      return await watch();
    } catch (error) {
      this.#release(addressKey);
      // No route of the other node has counted it.
      if (error instanceof TwinError && error.code === 'unknown_world') misses?.take(addressKey);
      throw error;
    }
  }

  #admit(addressKey: string): void {
    if (this.#openCount >= SOCKETS_MAX) throw new TwinError('overloaded');
    this.#limits.sockets?.enter(addressKey);
    this.#openCount++;
  }

  #release(addressKey: string): void {
    this.#openCount--;
    this.#limits.sockets?.leave(addressKey);
  }

  opened(session: StreamSession, socket: StreamSocket): void {
    const { world, encoding } = session;
    const tick = world.tick();
    const hello = { type: 'hello', world: world.id, rate_hz: RATE_HZ, fleet: world.fleet, tick };
    socket.send(encode(hello, encoding), encoding === 'msgpack');
    session.watcher = this.#fanout.join(world.number, encoding, socket, tick);
    if (!session.isOwn) return;
    const known = this.#own.get(world.number) ?? new Set();
    this.#own.set(world.number, known.add(session));
  }

  ponged({ watcher }: StreamSession, message: string): void {
    if (watcher) this.#fanout.ponged(watcher, Number(message));
  }

  drained({ watcher }: StreamSession): void {
    if (watcher) this.#fanout.drained(watcher);
  }

  closed(session: StreamSession): void {
    const { world, encoding, addressKey, watcher } = session;
    const own = this.#own.get(world.number);
    if (own?.delete(session) && own.size === 0) this.#own.delete(world.number);
    this.#release(addressKey);
    world.unwatch(encoding, addressKey);
    if (watcher) this.#fanout.leave(watcher);
  }

  /** Ends the streams of a world of this node. If it has moved to another one, they go on from there. */
  end({ number }: Pick<World, 'number'>, why: StreamEnd): void {
    const forwarding = this.#forwarding;
    if (why === 'moved' && forwarding) this.#follow(number, forwarding);
    else this.#fanout.endWorld(number, why === 'moved' ? 1012 : why);
  }

  #follow(number: number, forwarding: Forwarding): void {
    const sessions = this.#own.get(number) ?? [];
    this.#own.delete(number);
    for (const session of sessions) {
      const { world, encoding, addressKey } = session;
      world.unwatch(encoding, addressKey);
      session.world = forwarding.follow(world, session);
      session.isOwn = false;
    }
  }
}

/** The path of the stream for requests without a valid upgrade. */
export function streamRoute(): Route {
  return {
    method: 'GET',
    path: STREAM_PATH,
    operationId: 'openStream',
    summary: 'A WebSocket: a hello, then a snapshot every 80 ms',
    tag: 'stream',
    auth: 'none',
    params: { id: schemas.WorldId },
    query: { encoding: schemas.EncodingName },
    answers: { 101: { description: 'The stream' } },
    errors: ['unknown_encoding', 'unknown_world', 'upgrade_required', 'rate_limited', 'overloaded'],
    handle: () => {
      throw new TwinError('upgrade_required');
    },
  };
}
