import type { Clock } from '../clock.ts';
import type { Reader } from './reader.ts';
import { type CarRecord, type CustomerRecord, type DealerRecord, keys } from './records.ts';
import type { Registry } from './registry.ts';
import type { PlatformState } from './schemas.ts';
import { VersionedCache } from './versioned-cache.ts';

/** What the platform's state says about the rest of the node. */
export interface NodeCounts {
  worlds(): Promise<number>;
  nodes(): number;
}

type Counts = Pick<PlatformState, 'dealers' | 'customers' | 'cars' | 'fleets'>;

export const VERSION = '2.0.0';

/** The public state of the platform. It is counted again only after a change. */
export class State {
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #node: NodeCounts;
  readonly #startedAtMs: number;
  readonly #counts = new VersionedCache<Counts>(1);

  constructor(registry: Registry, clock: Clock, node: NodeCounts) {
    this.#registry = registry;
    this.#clock = clock;
    this.#node = node;
    this.#startedAtMs = clock.now();
  }

  async read(): Promise<PlatformState> {
    const { revision } = await this.#registry.edition();
    const counts = await this.#counts.read('', revision, () => this.#registry.read(count));
    return {
      status: 'ok',
      version: VERSION,
      started_at: new Date(this.#startedAtMs).toISOString(),
      uptime_s: Math.floor((this.#clock.now() - this.#startedAtMs) / 1000),
      store: this.#registry.store.engine,
      ...counts,
      worlds: await this.#node.worlds(),
      nodes: this.#node.nodes(),
    };
  }
}

async function count(reader: Reader): Promise<Counts> {
  const { generation } = reader;
  const dealers = await reader.all<DealerRecord>(keys.accounts(generation, 'dealer'));
  const customers = await reader.all<CustomerRecord>(keys.accounts(generation, 'user'));
  const cars = await reader.all<CarRecord>(keys.cars(generation));
  const fleets = dealers
    .map(({ username }) => ({
      dealer: username,
      cars: cars.filter(({ dealer }) => dealer === username).length,
      customers: customers.filter(({ dealer }) => dealer === username).length,
    }))
    .sort((a, b) => (a.dealer < b.dealer ? -1 : 1));
  const those = (is: (car: CarRecord) => boolean) => cars.filter(is).length;
  return {
    dealers: dealers.length,
    customers: customers.length,
    cars: {
      total: cars.length,
      in_fleet: those(({ dealer }) => dealer !== null),
      owned: those(({ owner }) => owner !== null),
      locked: those(({ locked }) => locked),
      climate: those(({ climate }) => climate),
      charging: those(({ charging }) => charging),
    },
    fleets,
  };
}
