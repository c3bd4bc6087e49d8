import type { Cluster } from './cluster/cluster.ts';
import type { Ranges } from './cluster/ranges.ts';
import { CLUSTER_METRICS, LEASE_METRICS } from './metric-names.ts';
import { type Metrics, samplesOf } from './metrics.ts';
import type { Store } from './store/contract.ts';
import type { Time } from './time.ts';

interface Measured {
  cluster: Cluster;
  store: Pick<Store, 'fencedCount'>;
  ranges: Ranges;
  leaseMs: number;
  time: Time;
}

/** The metrics of a node among others. */
export function addClusterMetrics(metrics: Metrics, measured: Measured): void {
  addLeases(metrics, measured);
  addPartitions(metrics, measured);
  addLinks(metrics, measured);
  addRelays(metrics, measured);
}

function addLeases(metrics: Metrics, { store, ranges, leaseMs }: Measured): void {
  metrics.read(LEASE_METRICS.fencedWrites, () => store.fencedCount ?? 0);
  metrics.read(LEASE_METRICS.duration, () => leaseMs / 1000);
  metrics.read(LEASE_METRICS.margin, () => {
    const { marginMs } = ranges;
    return Number.isFinite(marginMs) ? marginMs / 1000 : Number.NaN;
  });
  metrics.histogram(LEASE_METRICS.renewals, ranges.renewals);
}

function addPartitions(metrics: Metrics, { cluster, ranges, time }: Measured): void {
  const { balancer, handover } = cluster;
  metrics.read(LEASE_METRICS.held, () => ranges.held().length);
  metrics.read(LEASE_METRICS.unowned, () => unownedCount(cluster, ranges, time));
  metrics.read(LEASE_METRICS.lost, () => ranges.lostCount);
  const { free, silent } = balancer.takeovers;
  metrics.readEach(LEASE_METRICS.takeovers, () =>
    samplesOf({ free: free.count, silent: silent.count }),
  );
  metrics.readEach(LEASE_METRICS.handovers, () => samplesOf(handover.counts));
  metrics.histograms(LEASE_METRICS.pauses, () =>
    samplesOf({ handover: handover.pauses, free, silent }),
  );
}

/** Partitions that neither this node nor another that lives serves, as far as this one knows. */
function unownedCount({ members }: Cluster, ranges: Ranges, time: Time): number {
  const nowMs = time.now();
  const isOwned = (partition: number) => {
    const holder = members.holderOf(partition)?.process;
    const isElsewhere = holder !== undefined && holder !== members.process;
    return isElsewhere || ranges.isShown(partition, nowMs);
  };
  const partitions = Array.from({ length: ranges.partitionCount }, (_, partition) => partition);
  return partitions.filter((partition) => !isOwned(partition)).length;
}

function addLinks(metrics: Metrics, { cluster }: Measured): void {
  const { link, members } = cluster;
  metrics.read(CLUSTER_METRICS.nodes, () => cluster.nodeCount);
  metrics.read(
    CLUSTER_METRICS.peers,
    () => members.all().filter(({ process }) => link.isUp(process)).length,
  );
  metrics.read(CLUSTER_METRICS.clockOffset, () => cluster.clockOffsetMs / 1000);
  metrics.histogram(CLUSTER_METRICS.roundTrips, link.roundTrips);
  metrics.read(CLUSTER_METRICS.linkBuffer, () => link.waitingBytes());
}

function addRelays(metrics: Metrics, { cluster }: Measured): void {
  const { forwarder, relays } = cluster;
  metrics.readEach(CLUSTER_METRICS.calls, () => samplesOf(forwarder.counts));
  metrics.readEach(CLUSTER_METRICS.relayedWorlds, () =>
    samplesOf({ in: relays.worlds.worldCount, out: relays.server.worldCount }),
  );
  metrics.read(CLUSTER_METRICS.relayedFrames, () => relays.server.counts.sent);
  metrics.read(CLUSTER_METRICS.relayedFramesSkipped, () => relays.server.counts.skipped);
}
