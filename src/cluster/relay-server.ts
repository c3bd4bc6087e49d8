import type { Encoding } from '../codec/encoding.ts';
import { TwinError } from '../errors.ts';
import type { LinkAnswer, LinkClient } from '../link/contract.ts';
import type { FleetEntry } from '../twin/wire.ts';
import type { StreamEnd, TwinService, World, WorldFrame } from '../twin-service.ts';
import { faultOf, type TwinFault } from './twin-fault.ts';

export const WATCH = 'watch';
export const UNWATCH = 'unwatch';
export const FRAME = 'frame';
export const END = 'end';

/** A client of another node that watches a world of this one. */
export interface Watching {
  world: number;
  encoding: Encoding;
  /** Its key in limits. */
  client: string;
}

/** Answer to WATCH. */
export type Watched =
  | { kind: 'watched'; id: string; fleet: readonly FleetEntry[]; tick: number }
  /** Another node serves the world. */
  | { kind: 'moved' }
  | ({ kind: 'fault' } & TwinFault);

export interface RelayedFrame {
  world: number;
  tick: number;
  encoding: Encoding;
  bytes: Uint8Array;
}

export interface RelayedEnd {
  world: number;
  /** 1012: it may be served elsewhere. */
  code: 1012 | 1013;
}

/** The watchers of a world at one other node. */
interface Subscription {
  readonly world: World;
  readonly to: LinkClient;
  readonly clients: Pick<Watching, 'encoding' | 'client'>[];
}

/**
 * Sends frames of this node's worlds to other nodes, once for each node and encoding. A link that cannot
 * keep up misses whole frames, as a slow watcher does.
 */
export class RelayServer {
  /** Frames that were sent to other nodes, and that there was no room for. */
  readonly counts = { sent: 0, skipped: 0 };
  readonly #service: Pick<TwinService, 'load'>;
  /** By world and link. */
  readonly #subscriptions = new Map<number, Map<LinkClient, Subscription>>();
  /** By link: ends that there was no room for. Unlike a frame, none may be missed. */
  readonly #ends = new Map<LinkClient, RelayedEnd[]>();

  constructor(service: Pick<TwinService, 'load'>) {
    this.#service = service;
  }

  /** How many worlds other nodes watch here. */
  get worldCount(): number {
    return this.#subscriptions.size;
  }

  async watch(
    to: LinkClient,
    watching: Watching,
    isPlacedHere: () => Promise<boolean>,
  ): Promise<LinkAnswer> {
    if (!(await isPlacedHere())) return { value: { kind: 'moved' } satisfies Watched };
    try {
      return { value: await this.#join(to, watching) };
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      return { value: { kind: 'fault', ...fault } satisfies Watched };
    }
  }

  async #join(to: LinkClient, { world: number, encoding, client }: Watching): Promise<Watched> {
    const world = await this.#service.load(number);
    if (world === undefined) throw new TwinError('unknown_world');
    world.touch();
    world.watch(encoding, client);
    const links = this.#subscriptions.get(number) ?? new Map<LinkClient, Subscription>();
    this.#subscriptions.set(number, links);
    const known = links.get(to);
    const subscription = known?.world === world ? known : { world, to, clients: [] };
    links.set(to, subscription);
    subscription.clients.push({ encoding, client });
    return { kind: 'watched', id: world.id, fleet: world.fleet, tick: world.tick() };
  }

  unwatch(to: LinkClient, { world, encoding, client }: Watching): void {
    const subscription = this.#subscriptions.get(world)?.get(to);
    const index = subscription?.clients.findIndex(
      (each) => each.encoding === encoding && each.client === client,
    );
    if (subscription === undefined || index === undefined || index < 0) return;
    subscription.clients.splice(index, 1);
    subscription.world.unwatch(encoding, client);
    if (subscription.clients.length === 0) this.#forget(subscription);
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
        if (json)
          this.#send(subscription, { world: world.number, tick, encoding: 'json', bytes: json });
        if (msgpack) {
          this.#send(subscription, {
            world: world.number,
            tick,
            encoding: 'msgpack',
            bytes: msgpack,
          });
        }
      }
    }
  }

  #send(subscription: Subscription, frame: RelayedFrame): void {
    const { clients, to } = subscription;
    if (!clients.some(({ encoding }) => encoding === frame.encoding)) return;
    if (to.send(FRAME, frame)) this.counts.sent++;
    else this.counts.skipped++;
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
