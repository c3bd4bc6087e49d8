import type { Peer, RelayedWorld } from '../cluster-service.ts';
import type { StreamEncoding } from '../codec/encoding.ts';
import { worldIdOf } from '../twin/ids.ts';
import type { KnownJournal, PackedHello, WorldPulse } from '../twin/lockstep.ts';
import type { FleetEntry } from '../twin/wire.ts';
import type { World } from '../twin-service.ts';
import type { Watching } from './relay-server.ts';

/** Who serves the frames of a relayed world: another node, or this one. */
export type Source = { peer: Peer; watching: Watching } | { local: World };

/** What the node of a world says when its stream begins. */
export interface Begun {
  /** Empty if it is known. */
  fleet: readonly FleetEntry[];
  tick: number;
  pulse?: WorldPulse | undefined;
}

/** A stream of this node that shows a world of another one. */
export class Relayed implements RelayedWorld {
  readonly number: number;
  readonly id: string;
  readonly encoding: StreamEncoding;
  readonly client: string;
  readonly known: KnownJournal | undefined;
  hello: PackedHello | undefined;
  fleet: readonly FleetEntry[] = [];
  source: Source | undefined;
  /** How often a node has ended it while nobody served it. */
  endCount = 0;
  isOpen = true;
  /** It is being asked for: a second time would leave a watcher behind that nobody ends. */
  isConnecting = false;
  /** Of a frame of another node. */
  newestTick = -1;
  #tick = 0;
  readonly #closed: (relayed: Relayed) => void;

  constructor({ world, encoding, client, known }: Watching, closed: (relayed: Relayed) => void) {
    this.number = world;
    this.id = worldIdOf(world);
    this.encoding = encoding;
    this.client = client;
    this.known = known;
    this.#closed = closed;
  }

  get isKnown(): boolean {
    return this.fleet.length > 0;
  }

  get watching(): Watching {
    return { world: this.number, encoding: this.encoding, client: this.client };
  }

  /** `fleet`: empty if it is known. To make or send one for each of many worlds would hold them up. */
  from(source: Source, { fleet, tick }: Begun): void {
    this.source = source;
    if (!this.isKnown) this.fleet = fleet;
    this.#tick = Math.max(this.#tick, tick);
  }

  tick(): number {
    return this.#tick;
  }

  unwatch(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#closed(this);
  }
}
