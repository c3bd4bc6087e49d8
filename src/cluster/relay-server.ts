import type { HelloOf } from '../cluster-service.ts';
import type { Encoding, StreamEncoding } from '../codec/encoding.ts';
import { TwinError } from '../errors.ts';
import type { LinkAnswer, LinkClient } from '../link/contract.ts';
import type { Time } from '../time.ts';
import { partitionOf } from '../twin/ids.ts';
import type { KnownJournal, LockstepNews, PackedHello, WorldPulse } from '../twin/lockstep.ts';
import type { FleetEntry } from '../twin/wire.ts';
import type { Asker, StreamEnd, TwinService, World, WorldFrame } from '../twin-service.ts';
import { faultOf, type TwinFault } from './twin-fault.ts';

export const WATCH = 'watch';
export const UNWATCH = 'unwatch';
export const FRAME = 'frame';
export const END = 'end';
export const NEWS = 'news';
/** A node that showed a world before it moved asks for it again within this time. */
const EXPECTED_MS = 2000;
/** Who watches until then, in place of its clients. */
const HANDED_OVER = 'handed over';

/** A client of another node that watches a world of this one. */
export interface Watching {
  world: number;
  encoding: StreamEncoding;
  /** Its key in limits. */
  client: string;
  /** Number of this question at the other node: an UNWATCH that comes late takes nothing from another one. */
  stream?: number | undefined;
  /** The other node has the fleet already, and its clients their hello. */
  isKnown?: boolean;
  /** See `World.lockstep`. */
  known?: KnownJournal | undefined;
}

/** Answer to WATCH. */
export type Watched =
  | {
      kind: 'watched';
      id: string;
      /** Empty if the other node has it. */
      fleet: readonly FleetEntry[];
      tick: number;
      /** For a client that lives the world, once. */
      hello?: PackedHello;
      /** The same, every time. */
      pulse?: WorldPulse;
    }
  /** Another node serves the world. */
  | { kind: 'moved' }
  | ({ kind: 'fault' } & TwinFault);

/**
 * What describes the bytes of a frame. An array, because the names of fields would take longer to write and
 * to read than their values.
 */
export type RelayedFrame = readonly [world: number, tick: number, encoding: Encoding];

/** What describes the bytes of a message for those who live a world. */
export type RelayedNews = readonly [world: number, pulse: Partial<WorldPulse>, seq: number | null];

export interface RelayedEnd {
  world: number;
  /** 1012: it may be served elsewhere. */
  code: 1012 | 1013;
}

/** A node that shows a world of another one, and in which encoding. */
export interface Relay {
  world: number;
  process: string;
  encoding: StreamEncoding;
}

/** What the front end of this node does for clients of other nodes. */
export interface FrontEndParts {
  /** Makes what a client begins with that lives a world of this node. */
  helloOf: HelloOf;
  /** Undefined: nobody pays, as no front end is open. */
  askerOf: (client: string) => Asker | undefined;
}

interface RelayServerDependencies extends FrontEndParts {
  service: Pick<TwinService, 'load' | 'peek'>;
  time: Time;
}

/** A client whose world is being loaded. */
interface Joining {
  readonly to: LinkClient;
  readonly watching: Watching;
  /** Nobody waits for it any more. */
  isOver: boolean;
}

/** The watchers of a world at one other node. */
interface Subscription {
  readonly world: World;
  readonly to: LinkClient;
  readonly clients: Watching[];
}

/**
 * Sends frames of this node's worlds to other nodes, once for each node and encoding. A link that cannot
 * keep up misses whole frames, as a slow watcher does.
 */
export class RelayServer {
  /** Frames that were sent to other nodes, and that there was no room for. */
  readonly counts = { sent: 0, skipped: 0 };
  readonly #dependencies: RelayServerDependencies;
  /** By world and link. */
  readonly #subscriptions = new Map<number, Map<LinkClient, Subscription>>();
  readonly #joining = new Set<Joining>();
  /** By link: ends that there was no room for. Unlike a frame, none may be missed. */
  readonly #ends = new Map<LinkClient, RelayedEnd[]>();

  constructor(dependencies: RelayServerDependencies) {
    this.#dependencies = dependencies;
  }

  /** How many worlds other nodes watch here. */
  get worldCount(): number {
    return this.#subscriptions.size;
  }

  async watch(
    to: LinkClient,
    watching: Watching,
    isPlacedHere: () => boolean | Promise<boolean>,
  ): Promise<LinkAnswer> {
    const joining: Joining = { to, watching, isOver: false };
    this.#joining.add(joining);
    try {
      if (!(await isPlacedHere())) return { value: { kind: 'moved' } satisfies Watched };
      return { value: await this.#join(joining) };
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      return { value: { kind: 'fault', ...fault } satisfies Watched };
    } finally {
      this.#joining.delete(joining);
    }
  }

  async #join(joining: Joining): Promise<Watched> {
    const { to, watching } = joining;
    const { world: number, encoding, client, stream, isKnown = false } = watching;
    const { service, helloOf, askerOf } = this.#dependencies;
    const world = await service.load(number);
    if (world === undefined) throw new TwinError('unknown_world');
    // The other node has given up meanwhile, or is gone: nothing would end the subscription.
    if (joining.isOver) return { kind: 'moved' };
    world.touch();
    // A stream that is open already goes on, whatever its client owes.
    world.watch(encoding, client, isKnown ? undefined : askerOf(client));
    this.#subscriptionOf(world, to).clients.push({ world: number, encoding, client, stream });
    const fleet = isKnown ? [] : world.fleet;
    const watched = { kind: 'watched', id: world.id, fleet, tick: world.tick() } as const;
    if (encoding !== 'lockstep') return watched;
    if (isKnown) return { ...watched, pulse: world.pulse() };
    try {
      const hello = await helloOf(world, watching.known);
      return { ...watched, hello, pulse: hello.pulse };
    } catch (error) {
      this.unwatch(to, watching);
      throw error;
    }
  }

  /** The other nodes that show worlds of a partition. */
  relaysOf(partition: number): readonly Relay[] {
    const relays: Relay[] = [];
    for (const [world, links] of this.#subscriptions) {
      if (partitionOf(world) !== partition) continue;
      for (const [{ process }, { clients }] of links) {
        for (const encoding of new Set(clients.map((each) => each.encoding))) {
          relays.push({ world, process, encoding });
        }
      }
    }
    return relays;
  }

  /**
   * Sends a node the frames of a world that it has shown while another node served it, until it has had
   * time to ask for them.
   */
  expect(number: number, encoding: StreamEncoding, to: LinkClient | 'here'): void {
    const { service, time } = this.#dependencies;
    const world = service.peek(number);
    if (world === undefined) return;
    const watching = { world: number, encoding, client: HANDED_OVER };
    world.watch(encoding, HANDED_OVER);
    if (to !== 'here') this.#subscriptionOf(world, to).clients.push(watching);
    time.after(EXPECTED_MS, () => {
      if (to === 'here') world.unwatch(encoding, HANDED_OVER);
      else this.unwatch(to, watching);
    });
  }

  #subscriptionOf(world: World, to: LinkClient): Subscription {
    const links = this.#subscriptions.get(world.number) ?? new Map<LinkClient, Subscription>();
    this.#subscriptions.set(world.number, links);
    const known = links.get(to);
    const subscription = known?.world === world ? known : { world, to, clients: [] };
    links.set(to, subscription);
    return subscription;
  }

  unwatch(to: LinkClient, watching: Watching): void {
    const { world, encoding, client } = watching;
    const subscription = this.#subscriptions.get(world)?.get(to);
    const index = subscription?.clients.findIndex((each) => isSame(each, watching)) ?? -1;
    if (subscription === undefined || index < 0) {
      this.#giveUp(to, watching);
      return;
    }
    subscription.clients.splice(index, 1);
    subscription.world.unwatch(encoding, client);
    if (subscription.clients.length === 0) this.#forget(subscription);
  }

  /** It may be loaded still. */
  #giveUp(to: LinkClient, watching: Watching): void {
    for (const joining of this.#joining) {
      if (joining.to !== to || joining.isOver || !isSame(joining.watching, watching)) continue;
      joining.isOver = true;
      return;
    }
  }

  #forget({ world, to }: Subscription): void {
    const links = this.#subscriptions.get(world.number);
    links?.delete(to);
    if (links?.size === 0) this.#subscriptions.delete(world.number);
  }

  /** Sends frames on; their bytes are valid until this returns. */
  publish(frames: readonly WorldFrame[]): void {
    if (this.#subscriptions.size === 0) return;
    for (const { world, tick, json, msgpack } of frames) {
      const links = this.#subscriptions.get(world.number);
      if (links === undefined) continue;
      for (const subscription of links.values()) {
        if (json) this.#send(subscription, [world.number, tick, 'json'], json);
        if (msgpack) this.#send(subscription, [world.number, tick, 'msgpack'], msgpack);
      }
    }
  }

  #send(subscription: Subscription, frame: RelayedFrame, bytes: Uint8Array): void {
    const { clients, to } = subscription;
    if (!clients.some(({ encoding }) => encoding === frame[2])) return;
    if (to.send(FRAME, frame, bytes)) this.counts.sent++;
    else this.counts.skipped++;
  }

  /** Sends on what those hear who live a world. What there is no room for they miss, and notice. */
  tell(world: number, { pulse, bytes, seq }: LockstepNews): void {
    for (const { clients, to } of this.#subscriptions.get(world)?.values() ?? []) {
      if (!clients.some(({ encoding }) => encoding === 'lockstep')) continue;
      const news: RelayedNews = [world, pulse, seq ?? null];
      if (to.send(NEWS, news, bytes)) this.counts.sent++;
      else this.counts.skipped++;
    }
  }

  /** The streams of a world of this node end. */
  end(world: number, why: StreamEnd): void {
    const code = why === 'moved' ? 1012 : why;
    for (const subscription of this.#subscriptions.get(world)?.values() ?? []) {
      this.#leave(subscription);
      const { to } = subscription;
      this.#ends.set(to, [...(this.#ends.get(to) ?? []), { world, code }]);
      this.drained(to);
    }
  }

  /** There is room for messages to another node. */
  drained(to: LinkClient): void {
    const ends = this.#ends.get(to) ?? [];
    while (ends[0] !== undefined && to.send(END, ends[0])) ends.shift();
    if (ends.length === 0) this.#ends.delete(to);
  }

  /** The other node is gone. */
  clientGone(client: LinkClient): void {
    this.#ends.delete(client);
    for (const joining of this.#joining) if (joining.to === client) joining.isOver = true;
    for (const links of this.#subscriptions.values()) {
      const subscription = links.get(client);
      if (subscription !== undefined) this.#leave(subscription);
    }
  }

  #leave(subscription: Subscription): void {
    this.#forget(subscription);
    const { clients, world } = subscription;
    for (const { encoding, client } of clients.splice(0)) world.unwatch(encoding, client);
  }
}

function isSame(one: Watching, other: Watching): boolean {
  const { world, encoding, client, stream } = other;
  return (
    one.world === world &&
    one.encoding === encoding &&
    one.client === client &&
    one.stream === stream
  );
}
