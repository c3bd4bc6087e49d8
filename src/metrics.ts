import { performance } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Histogram } from './histogram.ts';
import { LoopLag } from './loop-lag.ts';
import { MACHINE_METRICS, type Metric, REQUEST_METRICS } from './metric-names.ts';
import { RouteMeter } from './route-meter.ts';
import type { StopTimer, Time } from './time.ts';

/** A value with its labels, in the order in which the metric names them. */
export type Sample<Value = number> = readonly [labels: readonly (string | number)[], value: Value];

/** A sample of each field; its name is the only label. */
export function samplesOf<Value>(
  fields: Readonly<Record<string, Value>>,
): readonly Sample<Value>[] {
  return Object.entries(fields).map(([name, value]) => [[name], value]);
}

const INTERNAL_ERROR = 500;
/**
 * Metrics of the library: the first count the interval in which they are measured as delay, the others are
 * no counters.
 */
const UNUSED = /^nodejs_(eventloop_lag|active_\w+_total$)/;
const DAY_MS = 86_400_000;

/**
 * The metrics of the process, for Prometheus. Modules register functions that return current values.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #meters: RouteMeter[] = [];
  readonly #pending: Sample<() => number>[] = [];
  readonly #histograms: { metric: Metric; read: () => readonly Sample<Histogram>[] }[] = [];

  constructor() {
    this.readEach(REQUEST_METRICS.requests, () => this.#answers());
    this.readEach(REQUEST_METRICS.internalErrors, () => this.#internalErrors());
    this.readEach(REQUEST_METRICS.pending, () =>
      this.#pending.map(([labels, read]) => [labels, read()]),
    );
    this.histograms(REQUEST_METRICS.durations, () => this.#durations());
  }

  /** @param route the path with its parameters as names */
  routeMeter(service: string, route: string): RouteMeter {
    const meter = new RouteMeter(service, route);
    this.#meters.push(meter);
    return meter;
  }

  /** Adds the requests of a service that are pending. */
  pendingOf(service: string, read: () => number): void {
    this.#pending.push([[service], read]);
  }

  #answers(): readonly Sample[] {
    return this.#meters.flatMap(({ service, route, byStatus }) => {
      const samples: Sample[] = [];
      byStatus.forEach((count, status) => {
        samples.push([[service, route, status], count]);
      });
      return samples;
    });
  }

  /** From 0 on: Prometheus sees an increase only of what it knows. */
  #internalErrors(): readonly Sample[] {
    const counts: Record<string, number> = {};
    for (const { service, byStatus } of this.#meters) {
      counts[service] = (counts[service] ?? 0) + (byStatus[INTERNAL_ERROR] ?? 0);
    }
    return samplesOf(counts);
  }

  #durations(): readonly Sample<Histogram>[] {
    return this.#meters.flatMap((meter) =>
      meter
        .durations()
        .map(([statusClass, histogram]) => [[meter.service, meter.route, statusClass], histogram]),
    );
  }

  /** Adds a counter or a gauge without labels. */
  read(metric: Metric, read: () => number): void {
    this.readEach(metric, () => [[[], read()]]);
  }

  /** Adds a counter or a gauge with labels. */
  readEach(metric: Metric, read: () => readonly Sample[]): void {
    const { kind, name, help, labels } = metric;
    const settings = { name, help, labelNames: labels, registers: [this.#registry] };
    const named = (values: Sample[0]) =>
      Object.fromEntries(labels.map((label, i) => [label, values[i] ?? '']));
    if (kind === 'gauge') {
      new Gauge({
        ...settings,
        collect() {
          this.reset();
          for (const [values, value] of read()) this.set(named(values), value);
        },
      });
    } else {
      new Counter({
        ...settings,
        collect() {
          this.reset();
          for (const [values, value] of read()) this.inc(named(values), value);
        },
      });
    }
  }

  histogram(metric: Metric, histogram: Histogram): void {
    this.histograms(metric, () => [[[], histogram]]);
  }

  histograms(metric: Metric, read: () => readonly Sample<Histogram>[]): void {
    this.#histograms.push({ metric, read });
  }

  /**
   * Adds processor time, memory, garbage collection and the event loop of the process. Call it once.
   * Returns what ends the measuring.
   */
  addProcess(time: Time): StopTimer {
    const register = this.#registry;
    // The library would wake an idle node for its delay of the event loop.
    collectDefaultMetrics({ register, eventLoopMonitoringPrecision: DAY_MS });
    for (const { name } of register.getMetricsAsArray()) {
      if (UNUSED.test(name)) register.removeSingleMetric(name);
    }
    const lag = new LoopLag(time);
    this.histogram(MACHINE_METRICS.loopLag, lag.histogram);
    this.read(MACHINE_METRICS.loopActive, () => performance.eventLoopUtilization().active / 1000);
    return () => lag.stop();
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    const text = await this.#registry.metrics();
    const histograms = this.#histograms.map(({ metric, read }) => textOf(metric, read()));
    // The library writes `Nan`, which is not valid in the text format.
    return `${histograms.join('')}${text.replaceAll(/ Nan$/gm, ' NaN')}`;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}

function textOf({ name, help, labels }: Metric, samples: readonly Sample<Histogram>[]): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const [values, histogram] of samples) {
    const pairs = labels.map((label, i) => `${label}="${escaped(values[i] ?? '')}"`);
    for (const [boundS, count] of histogram.buckets()) {
      const bound = `le="${boundS === Number.POSITIVE_INFINITY ? '+Inf' : boundS}"`;
      lines.push(`${name}_bucket{${[...pairs, bound].join()}} ${count}`);
    }
    const all = pairs.length === 0 ? '' : `{${pairs.join()}}`;
    lines.push(`${name}_sum${all} ${histogram.sumS}`, `${name}_count${all} ${histogram.count}`);
  }
  return `${lines.join('\n')}\n\n`;
}

function escaped(value: string | number): string {
  return String(value).replaceAll(/[\\"\n]/g, (each) => (each === '\n' ? '\\n' : `\\${each}`));
}
