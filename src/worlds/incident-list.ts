import { CHAIN_TICKS } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import type { Explanation } from '../twin/explanation.ts';
import { type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { Incident } from '../twin/wire.ts';
import type {
  IncidentRange,
  ListPage,
  LongList,
  PageContent,
  Steps,
  TickBudget,
} from '../twin-service.ts';
import { type IncidentIndex, PAGE_INCIDENTS, pageOf } from './incident-index.ts';
import type { WorldParts } from './world-parts.ts';

export interface IncidentListDependencies {
  readonly parts: Pick<WorldParts, 'world' | 'record' | 'reports'> & {
    readonly shared: Pick<WorldParts['shared'], 'records'>;
  };
  /** Unique among all world objects of all processes. */
  readonly name: string;
  incidentOf(chain: IncidentContacts, explanation: Explanation | undefined): Incident;
  /** Called with the incidents of a page that may still be explained. */
  ask(ids: readonly string[], asker: TickBudget | undefined): void;
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

  /** `untilTick`: all contacts before it are stored. */
  list(range: IncidentRange, untilTick: number, asker?: TickBudget): LongList<Incident> {
    const { name, parts } = this.#dependencies;
    const { storedContacts, storedExplanations } = parts.reports;
    return {
      tag: `${name}-${storedContacts}-${storedExplanations}`,
      pages: () => this.#pages(range, untilTick, asker),
    };
  }

  async *ids(car: number): Steps<string[]> {
    yield* this.#completeIndex();
    const places = this.#index.places(this.#index.numbers(undefined, car));
    return places.map(({ tick, order }) => incidentId(tick, order));
  }

  #completeIndex(): Steps<void> {
    const { reports } = this.#dependencies.parts;
    return this.#index.complete(() => reports.storedContacts);
  }

  async *#pages(
    { after, limit, car }: IncidentRange,
    untilTick: number,
    asker: TickBudget | undefined,
  ): Steps<ListPage<Incident>[]> {
    yield* this.#completeIndex();
    const numbers = this.#index.numbers(after, car).slice(0, limit);
    const groups = Map.groupBy(numbers, pageOf);
    const { name } = this.#dependencies;
    return [...groups].map(([page, ofPage]) => {
      const isWhole = car === undefined && ofPage.length === PAGE_INCIDENTS;
      return {
        name: isWhole ? `${name} incidents ${page}` : undefined,
        count: ofPage.length,
        read: () => this.#read(ofPage, car, untilTick, asker),
      };
    });
  }

  async *#read(
    numbers: readonly number[],
    car: number | undefined,
    untilTick: number,
    asker: TickBudget | undefined,
  ): Steps<PageContent<Incident>> {
    const { parts, incidentOf, ask } = this.#dependencies;
    const [first = 0] = numbers;
    const chains = yield* this.#index.chains(first, numbers.at(-1) ?? first, car);
    // The world was deleted meanwhile.
    if (chains.length !== numbers.length) throw new TwinError('unknown_world');
    const [begin, end] = [chains[0]?.[0].tick ?? 0, chains.at(-1)?.[0].tick ?? 0];
    const known = await parts.shared.records.explanations(parts.world.number, begin, end);
    const open = chains.filter((chain) => !known.has(idOf(chain)) && this.#mayBeExplained(chain));
    if (open.length > 0) ask(open.map(idOf), asker);
    const areOver = chains.every((chain) => (chain.at(-1)?.tick ?? 0) + CHAIN_TICKS <= untilTick);
    const items = chains.map((chain) => incidentOf(chain, known.get(idOf(chain))));
    return { items, isFinal: areOver && open.length === 0 };
  }

  /** Collisions of an earlier kernel cannot be re-run. */
  #mayBeExplained(chain: IncidentContacts): boolean {
    const { parts, isGivenUp } = this.#dependencies;
    return chain[0].tick > parts.record.from.tick && !isGivenUp(idOf(chain));
  }
}

function idOf([{ tick, order }]: IncidentContacts): string {
  return incidentId(tick, order);
}
