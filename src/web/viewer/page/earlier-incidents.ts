import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Incident } from '../api/types.ts';
import type { Mark } from '../life/life.ts';
import { headline } from '../replay/headline.ts';

/** After so long it is asked again for what could not be read. */
const RETRY_MS = 3000;
/** More are of no use to a visitor. */
const INCIDENTS_MAX = 1000;

/** What is used of a life. */
interface Begun {
  /** The first tick of the world under this kernel; undefined: not known yet. */
  readonly begin: ReadonlySignal<number | undefined>;
}

/**
 * Reports of collisions from before the beginning of the life that is known here: another kernel has lived them.
 * They are read once, can be read about, and cannot be shown again.
 */
export class EarlierIncidents {
  /** Oldest first; null: not read yet. */
  readonly reports = signal<readonly Incident[] | null>(null);
  /** Where they stand on a time line: at its beginning. */
  readonly marks = signal<readonly Mark[]>([]);
  readonly #read: (untilTick: number) => Promise<readonly Incident[]>;
  #begin: number | undefined;

  /** `read`: the stored reports up to a tick, oldest first. It must not step the world. */
  constructor(
    life: ReadonlySignal<Begun | null>,
    read: (untilTick: number) => Promise<readonly Incident[]>,
  ) {
    this.#read = read;
    effect(() => {
      const begin = life.value?.begin.value;
      // What is known of it stays while it does not live here.
      if (begin === undefined || begin === this.#begin) return;
      this.#begin = begin;
      this.reports.value = null;
      if (begin === 0) this.#take([], begin);
      else void this.#readUpTo(begin);
    });
  }

  async #readUpTo(begin: number): Promise<void> {
    try {
      const reports = await this.#read(begin);
      if (begin === this.#begin) this.#take(reports.slice(-INCIDENTS_MAX), begin);
    } catch {
      setTimeout(() => {
        if (begin === this.#begin) void this.#readUpTo(begin);
      }, RETRY_MS);
    }
  }

  #take(reports: readonly Incident[], begin: number): void {
    this.marks.value = reports.map((incident) => ({
      ...{ tick: begin, kind: 'earlier', incident: incident.id },
      // The map may not be there yet.
      message: `${headline(incident, [])}, without a replay`,
    }));
    this.reports.value = reports;
  }

  has(id: string): boolean {
    return this.reports.peek()?.some((each) => each.id === id) ?? false;
  }

  /** One of the reports, once they are read; undefined if it is none of them. */
  async find(id: string): Promise<Incident | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly Incident[]>();
    const stop = this.reports.subscribe((reports) => {
      if (reports !== null) resolve(reports);
    });
    const reports = await promise;
    stop();
    return reports.find((each) => each.id === id);
  }
}
