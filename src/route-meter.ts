import { Histogram } from './histogram.ts';

/**
 * Of the answers that are given at once, one of so many is timed, for all of them: to read the clock
 * twice would take longer than everything else here.
 */
const TIMED_ONE_OF = 16;
/** Statuses have three digits, of which the first is 1 to 5. */
const CLASS_COUNT = 6;

/** How long answers of one class took. */
interface ClassDurations {
  readonly histogram: Histogram;
  /** What the last one took that was given at once and timed. */
  atOnceMs: number;
}

/**
 * Counts the answers of one route, and how long they took. Plain arrays, because every request uses
 * them: an answer that is given at once costs two counts.
 */
export class RouteMeter {
  readonly service: string;
  readonly route: string;
  readonly byStatus: number[] = [];
  /** By the first digit of the status. */
  readonly #byClass: number[] = new Array(CLASS_COUNT).fill(0);
  readonly #durations: (ClassDurations | undefined)[] = new Array(CLASS_COUNT).fill(undefined);
  #begunCount = 0;

  constructor(service: string, route: string) {
    this.service = service;
    this.route = route;
  }

  /** Whether the answer that begins now is timed even if it is given at once. */
  picks(): boolean {
    return this.#begunCount++ % TIMED_ONE_OF === 0;
  }

  /** Counts an answer that was given at once, and not timed. */
  answered(status: number): void {
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
    const index = (status / 100) | 0;
    this.#byClass[index] = (this.#byClass[index] ?? 0) + 1;
  }

  /** Counts an answer that had to wait. */
  waited(status: number, ms: number): void {
    this.answered(status);
    this.#durationsOf(status).histogram.observe(ms / 1000);
  }

  /** Counts an answer that was picked and given at once, for those as well that were not picked. */
  timed(status: number, ms: number): void {
    this.answered(status);
    const durations = this.#durationsOf(status);
    durations.atOnceMs = ms;
    this.#settle(durations, this.#byClass[(status / 100) | 0] ?? 0);
  }

  /** What answers of each class took, such as `2xx`, of all that were counted. */
  durations(): (readonly [statusClass: string, histogram: Histogram])[] {
    return this.#byClass.flatMap((count, digit) => {
      if (count === 0) return [];
      const durations = this.#durationsOf(digit * 100);
      this.#settle(durations, count);
      return [[`${digit}xx`, durations.histogram]];
    });
  }

  #durationsOf(status: number): ClassDurations {
    const index = (status / 100) | 0;
    const known = this.#durations[index];
    if (known !== undefined) return known;
    const made = { histogram: new Histogram(), atOnceMs: 0 };
    this.#durations[index] = made;
    return made;
  }

  /** Those that were not timed took as long as the last one that was. */
  #settle({ histogram, atOnceMs }: ClassDurations, count: number): void {
    const untimed = count - histogram.count;
    if (untimed > 0) histogram.observe(atOnceMs / 1000, untimed);
  }
}
