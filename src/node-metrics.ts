import type { DealerPlatform } from './dealer/dealer-platform.ts';
import { Metrics } from './metrics.ts';
import type { Worlds } from './worlds/worlds.ts';

type ShardCount = 'hotCount' | 'debtTicks' | 'searching' | 'explained' | 'incarnation';

/** The metrics of a node's worlds, shards and password threads. */
export function nodeMetrics(worlds: Worlds, { passwords }: DealerPlatform): Metrics {
  const metrics = new Metrics();
  const { shards } = worlds;
  const sum = (name: ShardCount) => () => shards.reduce((total, shard) => total + shard[name], 0);
  const hotShare = () => Math.max(...shards.map(({ hotPerMille }) => hotPerMille / 1000));
  metrics.gauge('worlds_at_hand', 'Worlds whose records are in memory.', () => worlds.handleCount);
  metrics.gauge('worlds_hot', 'Worlds with at least one watcher.', sum('hotCount'));
  metrics.gauge(
    'shard_hot_ratio',
    'Share of the time in which a shard works on watched worlds, of the busiest shard.',
    hotShare,
  );
  metrics.gauge(
    'shard_debt_ticks',
    'Ticks that shards still have to step to answer pending queries.',
    sum('debtTicks'),
  );
  metrics.gauge(
    'incidents_explaining',
    'Counterfactual searches that are queued or running.',
    sum('searching'),
  );
  metrics.counter('incidents_explained_total', 'Incidents explained.', sum('explained'));
  metrics.gauge('passwords_hashing', 'Passwords being hashed.', () => passwords.running);
  metrics.gauge('passwords_waiting', 'Passwords queued for hashing.', () => passwords.waiting);
  metrics.counter(
    'shard_incarnations_total',
    'Starts and ends of shard threads.',
    sum('incarnation'),
  );
  return metrics;
}
