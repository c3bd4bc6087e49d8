import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { WaitHistogram } from './wait-histogram.ts';

/** Counts the answers of one route. A plain array, because every request uses it. */
export class RouteMeter {
  readonly service: string;
  readonly route: string;
  readonly byStatus: number[] = [];

  constructor(service: string, route: string) {
    this.service = service;
    this.route = route;
  }

  answered(status: number): void {
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
  }
}

/** Interval of the event loop monitor. A shorter one would wake an idle node too often. */
const LOOP_SAMPLE_MS = 200;

/**
 * The metrics of the process, for Prometheus. Modules register functions that return current
 * values. No label may contain text that a client sent.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #meters: RouteMeter[] = [];
  readonly #waited = new WaitHistogram();

  constructor() {
    const meters = this.#meters;
    new Counter({
      name: 'http_answers_total',
      help: 'Answers by service, route and status.',
      labelNames: ['service', 'route', 'status'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { service, route, byStatus } of meters) {
          byStatus.forEach((count, status) => {
            this.inc({ service, route, status }, count);
          });
        }
      },
    });
  }

  /** @param route the path with its parameters as names */
  routeMeter(service: string, route: string): RouteMeter {
    const meter = new RouteMeter(service, route);
    this.#meters.push(meter);
    return meter;
  }

  /** Records the wait for an answer that was not given at once. */
  observeWait(waitS: number): void {
    this.#waited.observe(waitS);
  }

  /** A number that goes up and down. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** A number that only goes up. */
  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Adds processor time, memory, garbage collection and event loop delay. Call it once. */
  addProcess(): void {
    const register = this.#registry;
    collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    const text = await this.#registry.metrics();
    // The library writes `Nan`, which is not valid in the text format.
    return `${this.#waited.text()}\n${text.replaceAll(/ Nan$/gm, ' NaN')}`;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
