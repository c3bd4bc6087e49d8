import type { RelayedWorld } from '../../cluster-service.ts';
import type { Encoding, StreamEncoding } from '../../codec/encoding.ts';
import { streamChoice } from '../../codec/negotiate.ts';
import { NUMBERED_BYTES } from '../../codec/numbered-changes.ts';
import { TwinError } from '../../errors.ts';
import { parseWorldId } from '../../twin/ids.ts';
import type { EncodedHello, KnownJournal, PackedHello } from '../../twin/lockstep.ts';
import type { StreamEnd, Watchable, World } from '../../twin-service.ts';
import { type MaybePromise, mapMaybePromise } from '../server/maybe-promise.ts';
import { PRICES_US } from '../server/prices.ts';
import { askerOf, type RateLimits } from '../server/rate-limits.ts';
import { encode } from '../server/reply.ts';
import type { Route } from '../server/router.ts';
import type { Entrance, Stream, StreamSocket, UpgradeCall } from '../server/server-options.ts';
import type { Fanout } from './fanout.ts';
import type { Forwarding } from './forwarding.ts';
import type { LockstepFanout } from './lockstep-fanout.ts';
import { knownJournal, type LockstepHellos } from './lockstep-hello.ts';
import type { LockstepWatcher } from './lockstep-watcher.ts';
import * as schemas from './schemas.ts';
import { CLOSE_REASONS } from './stream-closing.ts';
import { RATE_HZ } from './stream-rate.ts';
import type { Watcher } from './watcher.ts';
import type { WorldAccess } from './world-access.ts';

/** Maximum number of open streams of the node; further streams are refused with 503. */
const SOCKETS_MAX = 20_000;
export const STREAM_PATH = '/ws/worlds/{id}';

/** One upgraded connection. */
export interface StreamSession {
  world: Watchable;
  /** The world is this node's. Otherwise its frames are relayed. */
  isOwn: boolean;
  readonly encoding: StreamEncoding;
  readonly addressKey: string;
  /** Of frames, once the stream is open. */
  watcher: Watcher | undefined;
  /** Of a client that lives the world itself. */
  lockstep?: { readonly watcher: LockstepWatcher; hello: EncodedHello | undefined };
}

/** What a client has asked for. */
interface Asked extends Pick<StreamSession, 'encoding' | 'addressKey'> {
  /** The subprotocol to echo; empty: none. */
  protocol: string;
  /** See `World.lockstep`. */
  known: KnownJournal | undefined;
}

interface WorldStreamDependencies {
  worlds: WorldAccess;
  limits: RateLimits;
  fanout: Fanout;
  lockstep: LockstepFanout;
  hellos: LockstepHellos;
  /** Undefined: all worlds are this node's. */
  forwarding: Forwarding | undefined;
}

/** The stream of a world: a hello, then one snapshot per frame. */
export class WorldStream implements Stream<StreamSession> {
  readonly path = STREAM_PATH;
  readonly #worlds: WorldAccess;
  readonly #limits: RateLimits;
  readonly #fanout: Fanout;
  readonly #lockstep: LockstepFanout;
  readonly #hellos: LockstepHellos;
  readonly #forwarding: Forwarding | undefined;
  /** Open streams of worlds of this node, which may leave it, by number. */
  readonly #own = new Map<number, Set<StreamSession>>();
  #openCount = 0;

  constructor(dependencies: WorldStreamDependencies) {
    const { worlds, limits, fanout, lockstep, hellos, forwarding } = dependencies;
    this.#worlds = worlds;
    this.#limits = limits;
    this.#fanout = fanout;
    this.#lockstep = lockstep;
    this.#hellos = hellos;
    this.#forwarding = forwarding;
  }

  find(call: UpgradeCall): MaybePromise<Entrance<StreamSession>> {
    const choice = streamChoice(call.query, call.head.webSocketProtocols);
    const known = choice.encoding === 'lockstep' ? knownJournal(call.query) : undefined;
    const asked = { ...choice, known, addressKey: call.addressKey() };
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
      return this.#findThere(number, asked, () => forwarding.watch(number, asked));
    });
  }

  #findHere(call: UpgradeCall, asked: Asked): MaybePromise<Entrance<StreamSession>> {
    const { encoding } = asked;
    return mapMaybePromise(this.#worlds.byId(call, call.params[0]), (world) => {
      if (encoding === 'lockstep') return this.#lockstepHere(world, asked);
      const enter = () => ({
        session: this.#enter(world, encoding, asked),
        protocol: asked.protocol,
      });
      return { enter };
    });
  }

  #enter(world: World, encoding: Encoding, { addressKey }: Asked): StreamSession {
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
    number: number,
    asked: Asked,
    watch: () => Promise<RelayedWorld>,
  ): Promise<Entrance<StreamSession>> {
    const { encoding, addressKey } = asked;
    if (encoding === 'lockstep') this.#payForHello(addressKey);
    const watcher = encoding === 'lockstep' ? this.#lockstep.expect(number) : undefined;
    try {
      const world = await this.#watchThere(addressKey, watch);
      const { hello } = world;
      // It is long, and is needed once.
      world.hello = undefined;
      const session = { world, isOwn: false, encoding, addressKey, watcher: undefined };
      if (watcher === undefined) return this.#entrance(session, asked);
      return await this.#greeted(
        { ...session, lockstep: { watcher, hello: undefined } },
        asked,
        hello,
      );
    } catch (error) {
      if (watcher) this.#lockstep.leave(watcher);
      throw error;
    }
  }

  /**
   * The hello is made before the stream opens, so that a refusal is an answer of HTTP. What changes
   * meanwhile follows it.
   */
  async #lockstepHere(world: World, asked: Asked): Promise<Entrance<StreamSession>> {
    const { encoding, addressKey, known } = asked;
    this.#payForHello(addressKey);
    this.#admit(addressKey);
    const lockstep = { watcher: this.#lockstep.expect(world.number), hello: undefined };
    const session: StreamSession = {
      ...{ world, isOwn: true, encoding, addressKey, watcher: undefined, lockstep },
    };
    try {
      world.watch(encoding, addressKey);
    } catch (error) {
      this.#lockstep.leave(lockstep.watcher);
      this.#release(addressKey);
      throw error;
    }
    this.#addOwn(session);
    return this.#greeted(session, asked, this.#hellos.of(world, known));
  }

  /** Of a lockstep stream: it has its hello. */
  async #greeted(
    session: StreamSession,
    asked: Asked,
    making: MaybePromise<PackedHello | undefined>,
  ): Promise<Entrance<StreamSession>> {
    const { lockstep, addressKey } = session;
    try {
      const packed = await making;
      if (packed && lockstep)
        lockstep.hello = await this.#whole(packed, lockstep.watcher, addressKey);
    } catch (error) {
      this.closed(session);
      throw error;
    }
    return this.#entrance(session, asked);
  }

  #payForHello(addressKey: string): void {
    this.#limits.work?.take(addressKey, PRICES_US.lockstepHello);
  }

  #whole(packed: PackedHello, watcher: LockstepWatcher, addressKey: string): Promise<EncodedHello> {
    // Before it takes its time: the pulses that follow tell the clock by this.
    this.#lockstep.heard(watcher, packed.pulse);
    // Their number is known only now: whoever cannot pay them waits before its next hello.
    const count = packed.changes.length / NUMBERED_BYTES;
    this.#limits.work?.spend(addressKey, PRICES_US.journalChange * count);
    return this.#hellos.whole(packed);
  }

  /** Of a stream that is admitted. */
  #entrance(session: StreamSession, { protocol }: Asked): Entrance<StreamSession> {
    return { enter: () => ({ session, protocol }), abandon: () => this.closed(session) };
  }

  async #watchThere(addressKey: string, watch: () => Promise<RelayedWorld>): Promise<RelayedWorld> {
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
    const { world, encoding, lockstep } = session;
    if (lockstep) {
      if (lockstep.hello === undefined) socket.end(1012, CLOSE_REASONS[1012]);
      else this.#lockstep.open(lockstep.watcher, socket, lockstep.hello);
      // It is long, and is needed no more.
      lockstep.hello = undefined;
    } else if (encoding !== 'lockstep') {
      const tick = world.tick();
      const hello = { type: 'hello', world: world.id, rate_hz: RATE_HZ, fleet: world.fleet, tick };
      socket.send(encode(hello, encoding), encoding === 'msgpack');
      session.watcher = this.#fanout.join(world.number, encoding, socket, tick);
      if (session.isOwn) this.#addOwn(session);
    }
  }

  #addOwn(session: StreamSession): void {
    const { number } = session.world;
    const known = this.#own.get(number) ?? new Set();
    this.#own.set(number, known.add(session));
  }

  ponged({ watcher }: StreamSession, message: string): void {
    if (watcher) this.#fanout.ponged(watcher, Number(message));
  }

  drained({ watcher, lockstep }: StreamSession): void {
    if (watcher) this.#fanout.drained(watcher);
    if (lockstep) this.#lockstep.drained(lockstep.watcher);
  }

  closed(session: StreamSession): void {
    const { world, encoding, addressKey, watcher, lockstep } = session;
    const own = this.#own.get(world.number);
    if (own?.delete(session) && own.size === 0) this.#own.delete(world.number);
    this.#release(addressKey);
    world.unwatch(encoding, addressKey);
    if (watcher) this.#fanout.leave(watcher);
    if (lockstep) this.#lockstep.leave(lockstep.watcher);
  }

  /** Ends the streams of a world of this node. If it has moved to another one, they go on from there. */
  end({ number }: Pick<World, 'number'>, why: StreamEnd): void {
    const forwarding = this.#forwarding;
    if (why === 'moved' && forwarding) this.#follow(number, forwarding);
    else this.#endHere(number, why === 'moved' ? 1012 : why);
  }

  #endHere(number: number, code: 1012 | 1013): void {
    this.#fanout.endWorld(number, code);
    this.#lockstep.endWorld(number, code);
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
    query: {
      encoding: schemas.StreamEncodingName,
      since: schemas.KnownSeq,
      journal: schemas.JournalHash,
    },
    answers: { 101: { description: 'The stream' } },
    errors: [
      'unknown_encoding',
      'invalid_value',
      'unknown_world',
      'upgrade_required',
      'rate_limited',
      'overloaded',
    ],
    handle: () => {
      throw new TwinError('upgrade_required');
    },
  };
}
