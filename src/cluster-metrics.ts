import type { Cluster } from './cluster/cluster.ts';
import type { Ranges } from './cluster/ranges.ts';
import type { Metrics } from './metrics.ts';

/** The metrics of a node among others. */
export function addClusterMetrics(metrics: Metrics, cluster: Cluster, ranges: Ranges): void {
  const { forwarder, relayServer, relayedWorlds } = cluster;
  metrics.gauge('cluster_nodes', 'Living nodes on the same store.', () => cluster.nodeCount);
  metrics.gauge('partitions_held', 'Partitions that this node holds.', () => ranges.held().length);
  metrics.counter(
    'partitions_lost_total',
    'Partitions that this node has lost without giving them up.',
    () => ranges.lostCount,
  );
  metrics.gauge(
    'cluster_clock_offset_seconds',
    'How far the clock of this node is ahead of that of the cluster.',
    () => cluster.clockOffsetMs / 1000,
  );
  metrics.counter(
    'forwarded_calls_total',
    'Requests that were answered by another node.',
    () => forwarder.counts.answered,
  );
  metrics.counter(
    'forwarded_calls_failed_total',
    'Requests that no other node has answered: its link broke, or none served the world.',
    () => forwarder.counts.broken + forwarder.counts.refused,
  );
  metrics.gauge(
    'relayed_worlds',
    'Worlds of other nodes that clients watch at this node.',
    () => relayedWorlds.worldCount,
  );
  metrics.gauge(
    'relaying_worlds',
    'Worlds of this node that clients watch at other nodes.',
    () => relayServer.worldCount,
  );
  metrics.counter(
    'relayed_frames_sent_total',
    'Frames of this node that were sent to other nodes.',
    () => relayServer.counts.sent,
  );
  metrics.counter(
    'relayed_frames_skipped_total',
    'Frames that another node missed because its link was full.',
    () => relayServer.counts.skipped,
  );
}
