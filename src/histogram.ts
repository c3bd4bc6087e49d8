/** Upper bounds of buckets, s. */
const BOUNDS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/**
 * How often something took how long. Plain counters: the histogram of the library takes a microsecond for
 * each value.
 */
export class Histogram {
  /** By bucket; the last one has no bound. */
  readonly #counts = new Float64Array(BOUNDS_S.length + 1);
  #count = 0;
  #sumS = 0;

  /** @param times how often it took so long */
  observe(s: number, times = 1): void {
    let bucket = 0;
    while (s > (BOUNDS_S[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + times;
    this.#count += times;
    this.#sumS += s * times;
  }

  /** How many values there are. */
  get count(): number {
    return this.#count;
  }

  /** Of all values together. */
  get sumS(): number {
    return this.#sumS;
  }

  /** For each bound how many values are at most as large, as Prometheus counts them. */
  buckets(): (readonly [boundS: number, count: number])[] {
    let count = 0;
    return [...BOUNDS_S, Number.POSITIVE_INFINITY].map((boundS, i) => {
      count += this.#counts[i] ?? 0;
      return [boundS, count];
    });
  }
}
