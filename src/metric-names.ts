/**
 * A metric as Prometheus knows it. Names follow its conventions: one prefix, base units (seconds, bytes)
 * at the end, and `_total` for what only grows. No label may hold anything that a client sent.
 */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const metric =
  (kind: Metric['kind']) =>
  (name: string, help: string, ...labels: readonly string[]): Metric => ({
    ...{ kind, name, help, labels },
  });
const counter = metric('counter');
const gauge = metric('gauge');
const histogram = metric('histogram');

export const REQUEST_METRICS = {
  requests: counter(
    'twin_http_requests_total',
    'Answered requests.',
    ...['service', 'route', 'status'],
  ),
  durations: histogram(
    'twin_http_request_duration_seconds',
    'Time from a complete request to its answer. One of sixteen that are answered at once is timed, for all.',
    ...['service', 'route', 'status_class'],
  ),
  internalErrors: counter(
    'twin_http_internal_errors_total',
    'Answers with 500: faults of the node, which the log describes.',
    'service',
  ),
  pending: gauge('twin_http_requests_pending', 'Requests without an answer yet.', 'service'),
  connections: gauge('twin_connections_open', 'Open connections, streams among them.'),
  connectionsRefused: counter(
    'twin_connections_refused_total',
    'Connections that were closed at once because there were too many.',
  ),
  ready: gauge('twin_ready', '1 if the node serves requests, 0 if /readyz says why not.'),
};

export const STREAM_METRICS = {
  watchers: gauge('twin_stream_watchers', 'Open streams.'),
  sent: counter('twin_stream_frames_sent_total', 'Frames sent to streams.'),
  skipped: counter(
    'twin_stream_frames_skipped_total',
    'Frames that streams missed because their readers could not keep up.',
  ),
  late: counter(
    'twin_stream_frames_late_total',
    'Frames of watched worlds that a shard made more than a frame too late, or left out.',
  ),
  bytes: counter('twin_stream_sent_bytes_total', 'Bytes of frames sent to streams.'),
  lockstepWatchers: gauge(
    'twin_lockstep_watchers',
    'Open streams of clients that live the world themselves.',
  ),
  lockstepSent: counter('twin_lockstep_messages_sent_total', 'Messages sent to such streams.'),
  lockstepBytes: counter('twin_lockstep_sent_bytes_total', 'Bytes of messages sent to them.'),
};

export const WORLD_METRICS = {
  stored: gauge(
    'twin_worlds_stored',
    'Worlds in the store, in the partitions that this node holds. Counted every ten seconds at most.',
  ),
  atHand: gauge('twin_worlds_at_hand', 'Worlds whose records are in memory.'),
  hot: gauge('twin_worlds_hot', 'Worlds with at least one watcher.'),
  quarantined: gauge(
    'twin_worlds_quarantined',
    'Worlds that answer 503 for a minute because they failed repeatedly.',
  ),
  explaining: gauge(
    'twin_incidents_explaining',
    'Counterfactual searches that are queued or running.',
  ),
  explained: counter('twin_incidents_explained_total', 'Incidents explained.'),
};

export const MACHINE_METRICS = {
  hotRatio: gauge(
    'twin_shard_hot_ratio',
    'Share of the time in which a shard works on watched worlds.',
    'shard',
  ),
  lateRatio: gauge(
    'twin_shard_late_ratio',
    'Share of the frames of a shard that its thread or the main thread had late, in half a second.',
    'shard',
  ),
  frameCost: gauge(
    'twin_shard_frame_seconds',
    'Processor time that a frame of a watched world takes a shard, on average.',
    'shard',
  ),
  debtTicks: gauge(
    'twin_shard_debt_ticks',
    'Ticks that shards still have to step to answer pending queries.',
  ),
  admitting: gauge('twin_shards_admitting', 'Shards with time for one more watched world.'),
  deaths: counter('twin_shard_deaths_total', 'Shard threads that died or hung, and were replaced.'),
  hashing: gauge('twin_passwords_hashing', 'Passwords being hashed.'),
  waiting: gauge('twin_passwords_waiting', 'Passwords queued for hashing.'),
  largestPiece: gauge(
    'twin_largest_piece_bytes',
    'Most bytes that the main thread has parsed, encoded or sent in pieces in one go.',
  ),
  loopLag: histogram(
    'twin_event_loop_lag_seconds',
    'How late the event loop of the main thread is, five times a second.',
  ),
  loopActive: counter(
    'twin_event_loop_active_seconds_total',
    'Time in which the main thread did not wait for events.',
  ),
};

export const STORE_METRICS = {
  durations: histogram(
    'twin_store_operation_duration_seconds',
    'Round trips to the store.',
    'operation',
  ),
  failures: counter(
    'twin_store_failures_total',
    'Operations that the store has not carried out, or perhaps not.',
    'reason',
  ),
  pending: gauge('twin_store_commits_pending', 'Commits without an answer yet.'),
};

/** Of a node on Redis. The embedded store has no leases. */
export const LEASE_METRICS = {
  fencedWrites: counter(
    'twin_store_fenced_writes_total',
    'Writes that Redis refused because this node had lost the right to make them.',
  ),
  duration: gauge('twin_lease_duration_seconds', 'Lifetime of a lease without renewal.'),
  margin: gauge(
    'twin_lease_margin_seconds',
    'How long this node may still rely on its leases; of the shortest, NaN if it has none.',
  ),
  renewals: histogram(
    'twin_lease_renewal_duration_seconds',
    'How long it took to renew all leases of this node.',
  ),
  held: gauge('twin_partitions_held', 'Partitions that this node holds.'),
  unowned: gauge(
    'twin_partitions_unowned',
    'Partitions that no living node serves, as far as this one knows.',
  ),
  lost: counter(
    'twin_partitions_lost_total',
    'Partitions that this node has lost without giving them up.',
  ),
  takeovers: counter(
    'twin_partition_takeovers_total',
    'Partitions that this node has taken because nobody held them.',
    'reason',
  ),
  handovers: counter(
    'twin_partition_handovers_total',
    'Partitions that were handed over with their worlds, by what became of it.',
    'outcome',
  ),
  pauses: histogram(
    'twin_partition_pause_seconds',
    'How long nobody served a partition that this node has given or taken.',
    'reason',
  ),
};

/** Of a node on Redis, among others. */
export const CLUSTER_METRICS = {
  nodes: gauge('twin_cluster_nodes', 'Living nodes on the same Redis, this one included.'),
  peers: gauge('twin_link_peers', 'Other nodes that this one has a link to.'),
  clockOffset: gauge(
    'twin_clock_offset_seconds',
    'How far the clock of this node is ahead of that of the cluster.',
  ),
  calls: counter(
    'twin_forwarded_calls_total',
    'Requests that were passed on to other nodes, by what became of them.',
    'outcome',
  ),
  relayedWorlds: gauge(
    'twin_relay_worlds',
    'Worlds of other nodes that are watched here (in), and of this node that are watched there (out).',
    'direction',
  ),
  relayedFrames: counter('twin_relay_frames_sent_total', 'Frames sent to other nodes.'),
  relayedFramesSkipped: counter(
    'twin_relay_frames_skipped_total',
    'Frames that another node missed because its link was full.',
  ),
  roundTrips: histogram('twin_link_round_trip_seconds', 'Round trips of pings to other nodes.'),
  linkBuffer: gauge(
    'twin_link_buffer_bytes',
    'Bytes that wait to be sent to another node, of the link on which most do.',
  ),
};

/** By area, as the documents and the dashboard name them. */
export const METRIC_AREAS = {
  requests: REQUEST_METRICS,
  streams: STREAM_METRICS,
  worlds: WORLD_METRICS,
  machine: MACHINE_METRICS,
  store: STORE_METRICS,
  leases: LEASE_METRICS,
  cluster: CLUSTER_METRICS,
};

/** Those that only a node on Redis has. */
export const REDIS_METRICS: readonly Metric[] = [LEASE_METRICS, CLUSTER_METRICS].flatMap(
  (area): Metric[] => Object.values(area),
);

export const ALL_METRICS: readonly Metric[] = Object.values(METRIC_AREAS).flatMap(
  (area): Metric[] => Object.values(area),
);
