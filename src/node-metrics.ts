import { WorldCount } from './cluster/world-count.ts';
import type { DealerPlatform } from './dealer/dealer-platform.ts';
import { largestPiece } from './largest-piece.ts';
import { MACHINE_METRICS, STORE_METRICS, STREAM_METRICS, WORLD_METRICS } from './metric-names.ts';
import { Metrics, samplesOf } from './metrics.ts';
import type { GuardedStore } from './store/guarded-store.ts';
import type { Time } from './time.ts';
import type { Worlds } from './worlds/worlds.ts';

type ShardCount = 'hotCount' | 'debtTicks' | 'searching' | 'explained' | 'deathCount';

interface Measured {
  store: GuardedStore;
  worlds: Worlds;
  platform: DealerPlatform;
  time: Time;
}

/** The metrics of a node's worlds, shards, store and password threads. */
export function nodeMetrics({ store, worlds, platform, time }: Measured): Metrics {
  const metrics = new Metrics();
  addWorlds(metrics, worlds, time);
  addShards(metrics, worlds);
  addStore(metrics, store);
  const { passwords } = platform;
  metrics.read(MACHINE_METRICS.hashing, () => passwords.running);
  metrics.read(MACHINE_METRICS.waiting, () => passwords.waiting);
  metrics.read(MACHINE_METRICS.largestPiece, () => largestPiece.bytes);
  return metrics;
}

function sumOf({ shards }: Worlds, count: ShardCount): () => number {
  return () => shards.reduce((total, shard) => total + shard[count], 0);
}

function addWorlds(metrics: Metrics, worlds: Worlds, time: Time): void {
  const stored = new WorldCount(() => worlds.idle.count(), time);
  stored.refresh();
  metrics.read(WORLD_METRICS.stored, () => {
    stored.refresh();
    return stored.latest;
  });
  metrics.read(WORLD_METRICS.atHand, () => worlds.handleCount);
  metrics.read(WORLD_METRICS.hot, sumOf(worlds, 'hotCount'));
  metrics.read(WORLD_METRICS.quarantined, () => worlds.quarantinedCount);
  metrics.read(WORLD_METRICS.explaining, sumOf(worlds, 'searching'));
  metrics.read(WORLD_METRICS.explained, sumOf(worlds, 'explained'));
  metrics.read(STREAM_METRICS.late, () => worlds.lateFrames.count);
}

function addShards(metrics: Metrics, worlds: Worlds): void {
  const { shards } = worlds;
  metrics.readEach(MACHINE_METRICS.hotRatio, () =>
    shards.map(({ index, hotPerMille }) => [[index], hotPerMille / 1000]),
  );
  metrics.readEach(MACHINE_METRICS.lateRatio, () =>
    shards.map(({ index, latePerMille }) => [[index], latePerMille / 1000]),
  );
  metrics.readEach(MACHINE_METRICS.frameCost, () =>
    shards.map(({ index, frameNs }) => [[index], frameNs / 1e9]),
  );
  metrics.read(MACHINE_METRICS.debtTicks, sumOf(worlds, 'debtTicks'));
  metrics.read(MACHINE_METRICS.admitting, () => shards.filter(({ admits }) => admits).length);
  metrics.read(MACHINE_METRICS.deaths, sumOf(worlds, 'deathCount'));
}

function addStore(metrics: Metrics, store: GuardedStore): void {
  metrics.histograms(STORE_METRICS.durations, () => samplesOf(store.durations));
  metrics.readEach(STORE_METRICS.failures, () => samplesOf(store.failures));
  metrics.read(STORE_METRICS.pending, () => store.pendingCount);
}
