import type { Clock } from '../clock.ts';
import type { Cars } from './cars.ts';
import type { Customers } from './customers.ts';
import type { Dealers } from './dealers.ts';
import type { Registry } from './registry.ts';
import type { PlatformState } from './schemas.ts';

/** Figures of the rest of the node for the state of the platform. */
export interface NodeCounts {
  worlds(): Promise<number>;
  nodes(): number;
}

type Counts = Pick<PlatformState, 'dealers' | 'customers' | 'cars' | 'fleets'>;

interface Counted {
  registry: Registry;
  cars: Cars;
  customers: Customers;
  dealers: Dealers;
}

export const VERSION = '2.0.0';

/** Reads the public state of the platform. */
export function stateReader(
  counted: Counted,
  clock: Clock,
  node: NodeCounts,
): () => Promise<PlatformState> {
  const { registry } = counted;
  const startedAtMs = clock.now();
  return async () => {
    const counts = await registry.read(({ revision }) => count(counted, revision));
    return {
      status: 'ok',
      version: VERSION,
      started_at: new Date(startedAtMs).toISOString(),
      uptime_s: Math.floor((clock.now() - startedAtMs) / 1000),
      store: registry.store.engine,
      ...counts,
      worlds: await node.worlds(),
      nodes: node.nodes(),
    };
  };
}

async function count({ cars, customers, dealers }: Counted, revision: number): Promise<Counts> {
  const [{ items: all }, ofCars, ofCustomers] = await Promise.all([
    dealers.list(revision),
    cars.tally(revision),
    customers.tally(revision),
  ]);
  return {
    dealers: all.length,
    customers: ofCustomers.total,
    cars: {
      total: ofCars.total,
      in_fleet: ofCars.total - ofCars.ofDealer.of(null),
      owned: ofCars.owned,
      ...ofCars.flags,
    },
    fleets: all.map(({ order: dealer }) => ({
      dealer,
      cars: ofCars.ofDealer.of(dealer),
      customers: ofCustomers.countOf(dealer),
    })),
  };
}
