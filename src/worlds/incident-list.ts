import type { Explanation } from '../twin/explanation.ts';
import { type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { Incident } from '../twin/wire.ts';
import type { Asker, IncidentRange, ListPage, LongList, Steps, World } from '../twin-service.ts';
import { type IncidentIndex, type Place, pageOf } from './incident-index.ts';
import type { Records, StoredIncident, WorldRecord } from './records.ts';
import type { WorldReports } from './world-reports.ts';

/** Incidents of a car on a page: they are read one by one. */
const CAR_PAGE_INCIDENTS = 16;

export interface IncidentListDependencies {
  readonly parts: {
    readonly world: Pick<World, 'number'>;
    readonly record: Pick<WorldRecord, 'from'>;
    readonly reports: Pick<WorldReports, 'storedContacts'>;
    readonly shared: { readonly records: Pick<Records, 'incident' | 'explanations'> };
  };
  /** Unique among all world objects of all processes. */
  readonly name: string;
  incidentOf(chain: IncidentContacts, explanation: Explanation | undefined): Incident;
  /** Called with incidents that are read and may still be explained. */
  ask(places: readonly Place[], asker: Asker | undefined): void;
  isGivenUp(id: string): boolean;
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
    const { name, parts } = this.#dependencies;
    // Here, since a caller that has the list already does not read it again.
    this.#ask(this.#index.open(this.#numbers(range)), asker);
    return {
      tag: `${name}-${parts.reports.storedContacts}-${this.#index.explainedCount}`,
      pages: () => this.#pages(range, asker),
    };
  }

  async *ids(car: number): Steps<string[]> {
    yield* this.#completeIndex();
    return this.#index.places(this.#index.numbers(undefined, car)).map(idOf);
  }

  #completeIndex(): Steps<void> {
    const { reports } = this.#dependencies.parts;
    return this.#index.complete(() => reports.storedContacts);
  }

  #numbers({ after, limit, car }: IncidentRange): number[] {
    return this.#index.numbers(after, car).slice(0, limit);
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
    if (numbers.length < this.#index.countOf(page)) return undefined;
    return `${this.#dependencies.name} incidents ${page} ${this.#index.version(page)}`;
  }

  async *#read(numbers: readonly number[], asker: Asker | undefined): Steps<readonly Incident[]> {
    const stored = yield* this.#stored(numbers);
    const open: Place[] = [];
    for (const incident of stored) {
      const [first] = incident.chain;
      const isOpen = this.#isOpen(incident);
      this.#index.mark(first, isOpen);
      if (isOpen) open.push(first);
    }
    this.#ask(open, asker);
    const { incidentOf } = this.#dependencies;
    return stored.map(({ chain, explanation }) => incidentOf(chain, explanation));
  }

  /** Those that are not deleted. */
  async *#stored(numbers: readonly number[]): Steps<StoredIncident[]> {
    const { world, shared } = this.#dependencies.parts;
    const { records } = shared;
    const places = this.#index.places(numbers);
    const [first = 0, last = first] = [numbers[0], numbers.at(-1)];
    if (last - first >= numbers.length) {
      const read = ({ tick, order }: Place) => records.incident(world.number, tick, order);
      const stored = await Promise.all(places.map(read));
      return stored.filter((incident) => incident !== undefined);
    }
    const chains = yield* this.#index.chains(first, last);
    const [from, to] = [places[0]?.tick, places.at(-1)?.tick];
    const explanations = await records.explanations(world.number, from, to);
    return chains.map((chain) => ({ chain, explanation: explanations.get(idOf(chain[0])) }));
  }

  /** Collisions of an earlier kernel cannot be re-run. */
  #isOpen({ chain: [first], explanation }: StoredIncident): boolean {
    if (explanation !== undefined) return false;
    const { parts, isGivenUp } = this.#dependencies;
    return first.tick > parts.record.from.tick && !isGivenUp(idOf(first));
  }
}

function idOf({ tick, order }: Place): string {
  return incidentId(tick, order);
}
