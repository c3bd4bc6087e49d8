import { computed, signal } from '@preact/signals';
import { whileVisible } from '../../common/visible.ts';
import { readWorld } from '../api/twin.ts';
import type { FleetEntry, Hello, Snapshot, World } from '../api/types.ts';
import type { Life } from '../life/life.ts';
import { Connection, type Link } from '../live/connection.ts';
import { History } from '../live/history.ts';
import { Playback } from '../live/playback.ts';
import { browserTransport } from '../live/transport.ts';

/** The state of the connection as the page shows it. */
export type Status = 'connecting' | 'live' | 'behind' | 'reconnecting' | 'polling' | 'gone';

const WATCHERS_MS = 10_000;
/** How often the panels get the newest frame. */
const PUBLISH_MS = 200;

/** The live world: its fleet, its newest frame and the state of the connection. */
export class LiveWorld {
  readonly id: string;
  readonly playback = new Playback();
  readonly history = new History();
  readonly world = signal<World | null>(null);
  readonly fleet = signal<readonly FleetEntry[]>([]);
  /** The newest frame, updated a few times a second. */
  readonly latest = signal<Snapshot | null>(null);
  /** The world as it lives in this browser; null where it does not. */
  readonly life = signal<Life | null>(null);
  readonly #link = signal<Link>('connecting');
  readonly #isBehind = signal(false);
  readonly status = computed<Status>(() => {
    const link = this.#link.value;
    if (link !== 'streaming') return link;
    return this.#isBehind.value ? 'behind' : 'live';
  });
  /** Asks the service again at once. */
  retryNow: () => void = () => {};
  #publishedAtMs = Number.NEGATIVE_INFINITY;

  constructor(id: string) {
    this.id = id;
  }

  start(): void {
    const connection = new Connection(browserTransport(this.id), {
      hello: ({ fleet }: Hello) => this.#setFleet(fleet),
      snapshot: (snapshot) => this.#take(snapshot),
      link: (link) => {
        this.#link.value = link;
      },
    });
    this.retryNow = () => connection.retryNow();
    addEventListener('online', () => connection.retryNow());
    document.addEventListener('visibilitychange', () => !document.hidden && connection.retryNow());
    whileVisible(WATCHERS_MS, () => this.#refresh());
  }

  /** Call it once per displayed frame. */
  publish(nowMs: number): void {
    const isBehind = this.playback.isBehind(nowMs);
    if (isBehind !== this.#isBehind.peek()) this.#isBehind.value = isBehind;
    if (nowMs - this.#publishedAtMs < PUBLISH_MS) return;
    this.#publishedAtMs = nowMs;
    this.latest.value = this.playback.newest ?? null;
  }

  async #refresh(): Promise<void> {
    if (this.status.peek() === 'gone') return;
    // The connection reports a world that is gone; on other errors the old values stay.
    const world = await readWorld(this.id).catch(() => null);
    if (world === null) return;
    this.world.value = world;
    this.#setFleet(world.fleet);
  }

  #setFleet(fleet: readonly FleetEntry[]): void {
    if (this.fleet.peek().length > 0) return;
    this.playback.setFleet(fleet);
    this.fleet.value = fleet;
  }

  #take(snapshot: Snapshot): void {
    this.playback.add(snapshot, performance.now());
    this.history.add(snapshot);
  }
}
