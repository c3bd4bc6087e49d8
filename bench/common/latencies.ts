import { build, type Histogram } from 'hdr-histogram-js';

const HIGHEST_US = 600_000_000;

/** A histogram of durations from 1 µs to 10 minutes with three significant digits, of fixed size. */
export class Latencies {
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    autoResize: false,
    useWebAssembly: false,
  });

  /** Longer durations count as ten minutes, negative ones as none. */
  record(durationMs: number): void {
    const durationUs = Math.round(durationMs * 1000);
    this.#histogram.recordValue(Math.min(Math.max(durationUs, 0), HIGHEST_US));
  }

  /** In ms, of `count` values. All are 0 without values. */
  summary() {
    const histogram = this.#histogram;
    const count = histogram.totalCount;
    const percentile = (percent: number) =>
      count === 0 ? 0 : histogram.getValueAtPercentile(percent) / 1000;
    return {
      count,
      meanMs: count === 0 ? 0 : Math.round(histogram.mean) / 1000,
      p50Ms: percentile(50),
      p90Ms: percentile(90),
      p99Ms: percentile(99),
      p999Ms: percentile(99.9),
      maxMs: count === 0 ? 0 : histogram.maxValue / 1000,
    };
  }
}

export type LatencySummary = ReturnType<Latencies['summary']>;

/** `0.42 ms` or `31 ms`. */
export function formatMs(durationMs: number): string {
  return `${durationMs >= 10 ? Math.round(durationMs) : Number(durationMs.toPrecision(2))} ms`;
}

/** One line of a summary. */
export function formatLatencies({ p50Ms, p99Ms, p999Ms, maxMs }: LatencySummary): string {
  const parts = [
    `p50 ${formatMs(p50Ms)}`,
    `p99 ${formatMs(p99Ms)}`,
    `p99.9 ${formatMs(p999Ms)}`,
    `max ${formatMs(maxMs)}`,
  ];
  return parts.join(', ');
}
