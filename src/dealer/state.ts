import type { Clock } from '../clock.ts';
import type { Reader } from './reader.ts';
import { type CarRecord, type CustomerRecord, type DealerRecord, keys } from './records.ts';
import type { Registry } from './registry.ts';
import type { PlatformState } from './schemas.ts';
import { VersionedCache } from './versioned-cache.ts';

/** Figures of the rest of the node for the state of the platform. */
export interface NodeCounts {
  worlds(): Promise<number>;
  nodes(): number;
}

type Counts = Pick<PlatformState, 'dealers' | 'customers' | 'cars' | 'fleets'>;

export const VERSION = '2.0.0';

/** Reads the public state of the platform. Records are counted again only after a change. */
export function stateReader(
  registry: Registry,
  clock: Clock,
  node: NodeCounts,
): () => Promise<PlatformState> {
  const startedAtMs = clock.now();
  const counts = new VersionedCache<Counts>();
  return async () => {
    const { revision } = await registry.edition();
    return {
      status: 'ok',
      version: VERSION,
      started_at: new Date(startedAtMs).toISOString(),
      uptime_s: Math.floor((clock.now() - startedAtMs) / 1000),
      store: registry.store.engine,
      ...(await counts.read('', revision, () => registry.read(count))),
      worlds: await node.worlds(),
      nodes: node.nodes(),
    };
  };
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
