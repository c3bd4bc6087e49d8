import { CHAIN_TICKS } from '../../assembly/layout.ts';
import { EXPLAINED_AT_ONCE } from '../limits.ts';
import { type ContactFacts, type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { Steps } from '../twin-service.ts';
import type { Records, StoredIncident } from './records.ts';

/** Contacts that are read in one step. */
const STEP_CONTACTS = 64;
/** Incidents of a page: some 30 KiB. */
export const PAGE_INCIDENTS = 32;

/** Tick and order of a contact; of an incident: of its first contact. */
export interface Place {
  readonly tick: number;
  readonly order: number;
}

interface IndexedIncident extends Place {
  /** Bits of the cars involved. */
  cars: number;
  /** Whether it was found unexplained, and may still be explained. */
  isOpen: boolean;
}

type IncidentRecords = Pick<Records, 'contacts' | 'explanations' | 'incident'>;

/** Where a world's incidents are in the store, so that parts of the list can be read alone. */
export class IncidentIndex {
  readonly #world: number;
  readonly #records: IncidentRecords;
  readonly #incidents: IndexedIncident[] = [];
  /** By page: how often its content has changed. */
  readonly #versions: number[] = [];
  #explainedCount = 0;
  /** The last contact that is indexed. */
  #last: Place | undefined;
  /** How many contacts were stored when the index was complete. */
  #completeAt = -1;

  constructor(world: number, records: IncidentRecords) {
    this.#world = world;
    this.#records = records;
  }

  /** Indexes what is new. `storedCount`: of the contacts. */
  async *complete(storedCount: () => number): Steps<void> {
    while (this.#completeAt !== storedCount()) {
      const count = storedCount();
      const last = this.#last;
      const contacts = await this.#contacts(last ? [last.tick, last.order] : [0]);
      // Another request may have indexed them meanwhile.
      if (this.#last !== last) continue;
      for (const contact of contacts) this.#add(contact);
      this.#last = contacts.at(-1) ?? last;
      if (contacts.length < STEP_CONTACTS) this.#completeAt = count;
      else yield '';
    }
  }

  #contacts(after: readonly [tick: number, order?: number]): Promise<ContactFacts[]> {
    return this.#records.contacts(this.#world, after, STEP_CONTACTS);
  }

  #add({ tick, order, chainTick, chainOrder, parties }: ContactFacts): void {
    if (tick === chainTick && order === chainOrder) {
      this.#incidents.push({ tick, order, cars: 0, isOpen: false });
    }
    const number = this.#numberOf({ tick: chainTick, order: chainOrder });
    const incident = this.#incidents[number];
    if (incident === undefined) return;
    this.#changed(number);
    for (const { car } of parties) if (car >= 0) incident.cars |= 1 << car;
  }

  #changed(number: number): void {
    const page = pageOf(number);
    this.#versions[page] = this.version(page) + 1;
  }

  get count(): number {
    return this.#incidents.length;
  }

  /** Numbers of the incidents on a page. */
  numbersOn(page: number): number[] {
    const first = page * PAGE_INCIDENTS;
    const count = Math.min(PAGE_INCIDENTS, this.count - first);
    return Array.from({ length: count }, (_, i) => first + i);
  }

  /** Changes with the content of a page. */
  version(page: number): number {
    return this.#versions[page] ?? 0;
  }

  /** Number of explanations that were stored since this index exists. */
  get explainedCount(): number {
    return this.#explainedCount;
  }

  /** The explanation of an incident is stored. */
  explained(place: Place): void {
    this.#explainedCount++;
    this.#changed(this.#numberOf(place));
    this.mark(place, false);
  }

  /** Notes whether an incident is unexplained, and may still be explained. */
  mark(place: Place, isOpen: boolean): void {
    const incident = this.#incidents[this.#numberOf(place)];
    if (incident !== undefined) incident.isOpen = isOpen;
  }

  /** The newest of these incidents that are open. */
  open(numbers: readonly number[]): Place[] {
    const open = numbers.filter((number) => this.#placeOf(number).isOpen);
    return this.places(open.slice(-EXPLAINED_AT_ONCE));
  }

  /** The page with an incident. */
  pageAt(place: Place): number {
    return pageOf(this.#numberOf(place));
  }

  /** How many incidents begin before this place. */
  #numberOf(place: Place): number {
    let [low, high] = [0, this.#incidents.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.#placeOf(middle), place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #placeOf(number: number): IndexedIncident {
    const incident = this.#incidents[number];
    if (incident === undefined) throw new RangeError(`no incident ${number}`);
    return incident;
  }

  /** Numbers of the incidents that begin after a place and involve a car. */
  numbers(after?: Place, car?: number): number[] {
    const first = after ? this.#numberOf({ ...after, order: after.order + 1 }) : 0;
    const numbers: number[] = [];
    for (let number = first; number < this.#incidents.length; number++) {
      const { cars } = this.#placeOf(number);
      if (car === undefined || (cars & (1 << car)) !== 0) numbers.push(number);
    }
    return numbers;
  }

  places(numbers: readonly number[]): Place[] {
    return numbers.map((number) => this.#placeOf(number));
  }

  /**
   * These incidents, in order, except those that were deleted meanwhile. If others are between them,
   * they are read one by one.
   */
  async *stored(numbers: readonly number[]): Steps<StoredIncident[]> {
    const places = this.places(numbers);
    const [first, last] = [numbers[0], numbers.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (last - first >= numbers.length) {
      const read = ({ tick, order }: Place) => this.#records.incident(this.#world, tick, order);
      const stored = await Promise.all(places.map(read));
      return stored.filter((incident) => incident !== undefined);
    }
    const chains = yield* this.#chains(first, last);
    const [from, to] = [places[0]?.tick, places.at(-1)?.tick];
    const explanations = await this.#records.explanations(this.#world, from, to);
    return chains.map((chain) => {
      const [{ tick, order }] = chain;
      return { chain, explanation: explanations.get(incidentId(tick, order)) };
    });
  }

  async *#chains(first: number, last: number): Steps<IncidentContacts[]> {
    const begin = this.#placeOf(first);
    const end = this.#placeOf(last);
    const chains = new Map<number, ContactFacts[]>();
    let endTick = end.tick + CHAIN_TICKS;
    for (let after: readonly [number, number?] = [begin.tick]; ; ) {
      const contacts = await this.#contacts(after);
      for (const contact of contacts) {
        if (contact.tick >= endTick) break;
        const place = { tick: contact.chainTick, order: contact.chainOrder };
        if (isBefore(place, begin) || isBefore(end, place)) continue;
        endTick = Math.max(endTick, contact.tick + CHAIN_TICKS);
        const number = this.#numberOf(place);
        const chain = chains.get(number);
        if (chain === undefined) chains.set(number, [contact]);
        else chain.push(contact);
      }
      const final = contacts.at(-1);
      if (final === undefined || contacts.length < STEP_CONTACTS || final.tick >= endTick) break;
      after = [final.tick, final.order];
      yield '';
    }
    return [...chains.values()] as [ContactFacts, ...ContactFacts[]][];
  }
}

/** The page with an incident. */
export function pageOf(number: number): number {
  return Math.floor(number / PAGE_INCIDENTS);
}

function isBefore(a: Place, b: Place): boolean {
  return a.tick === b.tick ? a.order < b.order : a.tick < b.tick;
}
