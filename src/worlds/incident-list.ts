import type { Explanation } from '../twin/explanation.ts';
import { type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { Incident } from '../twin/wire.ts';
import type { Asker, IncidentRange, ListPage, LongList, Steps } from '../twin-service.ts';
import { type IncidentIndex, type Place, pageOf } from './incident-index.ts';
import type { StoredIncident } from './records.ts';
import type { WorldReports } from './world-reports.ts';

/** Incidents of a car on a page: they are read one by one. */
const CAR_PAGE_INCIDENTS = 16;

export interface IncidentListDependencies {
  readonly reports: Pick<WorldReports, 'storedContacts'>;
  /** Unique among all world objects of all processes. */
  name(): string;
  incidentOf(chain: IncidentContacts, explanation: Explanation | undefined): Incident;
  /** Called with incidents that are read and may still be explained. */
  ask(places: readonly Place[], asker: Asker | undefined): void;
  /** Whether it may still be explained. */
  isOpen(incident: StoredIncident): boolean;
}

/** The incidents of one world, page by page. */
export class IncidentList {
  readonly #dependencies: IncidentListDependencies;
  readonly #index: IncidentIndex;

  constructor(index: IncidentIndex, dependencies: IncidentListDependencies) {
    this.#index = index;
    this.#dependencies = dependencies;
  }

  list(range: IncidentRange, asker?: Asker): LongList<Incident> {
    const { name, reports } = this.#dependencies;
    // Here, since a caller that has the list already does not read it again.
    this.#ask(this.#index.open(this.#numbers(range)), asker);
    return {
      tag: `${name()}-${reports.storedContacts}-${this.#index.explainedCount}`,
      pages: () => this.#pages(range, asker),
    };
  }

  async *ids(car: number): Steps<string[]> {
    yield* this.#completeIndex();
    return this.#index.places(this.#index.numbers(undefined, car)).map(idOf);
  }

  #completeIndex(): Steps<void> {
    const { reports } = this.#dependencies;
    return this.#index.complete(() => reports.storedContacts);
  }

  #numbers({ after, untilTick, limit, car }: IncidentRange): number[] {
    return this.#index.numbers(after, car, untilTick).slice(0, limit);
  }

  #ask(places: readonly Place[], asker: Asker | undefined): void {
    if (places.length > 0) this.#dependencies.ask(places, asker);
  }

  async *#pages(range: IncidentRange, asker: Asker | undefined): Steps<ListPage<Incident>[]> {
    yield* this.#completeIndex();
    const isOfAll = range.car === undefined;
    const groups = Map.groupBy(this.#numbers(range), (number, i) =>
      isOfAll ? pageOf(number) : Math.floor(i / CAR_PAGE_INCIDENTS),
    );
    return [...groups].map(([page, numbers]) => ({
      name: isOfAll ? this.#nameOf(page, numbers) : undefined,
      count: numbers.length,
      read: () => this.#read(numbers, asker),
    }));
  }

  /** A page of which only a part is asked for has none: it must not evict others. */
  #nameOf(page: number, numbers: readonly number[]): string | undefined {
    if (numbers.length < this.#index.numbersOn(page).length) return undefined;
    return `${this.#dependencies.name()} incidents ${page} ${this.#index.version(page)}`;
  }

  async *#read(numbers: readonly number[], asker: Asker | undefined): Steps<readonly Incident[]> {
    const { incidentOf, isOpen } = this.#dependencies;
    const stored = yield* this.#index.stored(numbers);
    const open = stored.filter(isOpen).map(({ chain: [first] }) => first);
    for (const { chain } of stored) this.#index.mark(chain[0], open.includes(chain[0]));
    this.#ask(open, asker);
    return stored.map(({ chain, explanation }) => incidentOf(chain, explanation));
  }
}

function idOf({ tick, order }: Place): string {
  return incidentId(tick, order);
}
