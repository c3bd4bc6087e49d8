const NAME = 'http_wait_seconds';
const HELP = 'Time to the answer of requests that could not be answered at once.';
/** Upper bounds of buckets, s. */
const BOUNDS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/**
 * How long answers took that were not given at once. Plain counters: most answers of the dealer platform
 * are such, and the histogram of the library takes a microsecond for each.
 */
export class WaitHistogram {
  /** By bucket; the last one has no bound. */
  readonly #counts = new Float64Array(BOUNDS_S.length + 1);
  #sumS = 0;

  observe(waitS: number): void {
    this.#sumS += waitS;
    let bucket = 0;
    while (waitS > (BOUNDS_S[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  /** In the text format of Prometheus, where each bucket includes those before it. */
  text(): string {
    let count = 0;
    const buckets = [...BOUNDS_S, '+Inf'].map((bound, i) => {
      count += this.#counts[i] ?? 0;
      return `${NAME}_bucket{le="${bound}"} ${count}`;
    });
    const lines = [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`, ...buckets];
    return [...lines, `${NAME}_sum ${this.#sumS}`, `${NAME}_count ${count}`, ''].join('\n');
  }
}
