import type { Encoding } from '../../codec/encoding.ts';
import { streamChoice } from '../../codec/negotiate.ts';
import { TwinError } from '../../errors.ts';
import { FRAME_MS } from '../../limits.ts';
import type { World } from '../../twin-service.ts';
import { mapMaybePromise } from '../server/maybe-promise.ts';
import { askerOf, type RateLimits } from '../server/rate-limits.ts';
import { encode } from '../server/reply.ts';
import type { Call, Route } from '../server/router.ts';
import type { Entrance, Stream, StreamSocket } from '../server/server-options.ts';
import type { Fanout } from './fanout.ts';
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
  readonly world: World;
  readonly encoding: Encoding;
  readonly addressKey: string;
  watcher: Watcher | undefined;
}

/** The stream of a world: a hello, then one snapshot per frame. */
export class WorldStream implements Stream<StreamSession> {
  readonly path = STREAM_PATH;
  readonly #worlds: WorldAccess;
  readonly #limits: RateLimits;
  readonly #fanout: Fanout;
  #openCount = 0;

  constructor(worlds: WorldAccess, limits: RateLimits, fanout: Fanout) {
    this.#worlds = worlds;
    this.#limits = limits;
    this.#fanout = fanout;
  }

  find(call: Call): Entrance<StreamSession> | Promise<Entrance<StreamSession>> {
    const { encoding, protocol } = streamChoice(call.query, call.head.webSocketProtocols);
    const addressKey = call.addressKey();
    return mapMaybePromise(this.#worlds.byId(call, call.params[0]), (world) => () => ({
      session: this.#enter(world, encoding, addressKey),
      protocol,
    }));
  }

  #enter(world: World, encoding: Encoding, addressKey: string): StreamSession {
    if (this.#openCount >= SOCKETS_MAX) throw new TwinError('overloaded');
    const { sockets, work } = this.#limits;
    sockets?.enter(addressKey);
    try {
      world.watch(encoding, addressKey, askerOf(work, addressKey));
    } catch (error) {
      sockets?.leave(addressKey);
      throw error;
    }
    this.#openCount++;
    return { world, encoding, addressKey, watcher: undefined };
  }

  opened(session: StreamSession, socket: StreamSocket): void {
    const { world, encoding } = session;
    const tick = world.tick();
    const hello = { type: 'hello', world: world.id, rate_hz: RATE_HZ, fleet: world.fleet, tick };
    socket.send(encode(hello, encoding), encoding === 'msgpack');
    session.watcher = this.#fanout.join(world.number, encoding, socket, tick);
  }

  ponged({ watcher }: StreamSession, message: string): void {
    if (watcher) this.#fanout.ponged(watcher, Number(message));
  }

  drained({ watcher }: StreamSession): void {
    if (watcher) this.#fanout.drained(watcher);
  }

  closed({ world, encoding, addressKey, watcher }: StreamSession): void {
    this.#openCount--;
    this.#limits.sockets?.leave(addressKey);
    world.unwatch(encoding, addressKey);
    if (watcher) this.#fanout.leave(watcher);
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
