import { EXPLAINED_AT_ONCE } from '../limits.ts';
import {
  type ContactRecord,
  groupByIncident,
  INCIDENT_END_TICKS,
} from '../twin/contact-records.ts';
import { type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { Steps } from '../twin-service.ts';
import type { Records, StoredIncident } from './records.ts';

/** Records that are read in one step. */
const STEP_RECORDS = 64;
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
  readonly #store: IncidentRecords;
  readonly #incidents: IndexedIncident[] = [];
  /** By page: how often its content has changed. */
  readonly #versions: number[] = [];
  #explainedCount = 0;
  /** The last record that is indexed. */
  #last: Place | undefined;
  /** How many records were stored when the index was complete. */
  #completeAt = -1;

  constructor(world: number, records: IncidentRecords) {
    this.#world = world;
    this.#store = records;
  }

  /** Indexes what is new. `storedCount`: of the records. */
  async *complete(storedCount: () => number): Steps<void> {
    while (this.#completeAt !== storedCount()) {
      const count = storedCount();
      const last = this.#last;
      const records = await this.#recordsAfter(last ? [last.tick, last.order] : [0]);
      // Another request may have indexed them meanwhile.
      if (this.#last !== last) continue;
      for (const record of records) this.#add(record);
      this.#last = records.at(-1) ?? last;
      if (records.length < STEP_RECORDS) this.#completeAt = count;
      else yield '';
    }
  }

  #recordsAfter(after: readonly [tick: number, order?: number]): Promise<ContactRecord[]> {
    return this.#store.contacts(this.#world, after, STEP_RECORDS);
  }

  #add(record: ContactRecord): void {
    const { tick, order, chainTick, chainOrder } = record;
    if (tick === chainTick && order === chainOrder) {
      this.#incidents.push({ tick, order, cars: 0, isOpen: false });
    }
    const number = this.#numberOf({ tick: chainTick, order: chainOrder });
    const incident = this.#incidents[number];
    if (incident === undefined) return;
    this.#changed(number);
    if ('crashPulse' in record) return;
    for (const { car } of record.parties) if (car >= 0) incident.cars |= 1 << car;
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

  /** Numbers of the incidents that begin after a place and up to a tick, and involve a car. */
  numbers(after?: Place, car?: number, untilTick = Number.POSITIVE_INFINITY): number[] {
    const first = after ? this.#numberOf({ ...after, order: after.order + 1 }) : 0;
    const numbers: number[] = [];
    for (let number = first; number < this.#incidents.length; number++) {
      const { cars, tick } = this.#placeOf(number);
      if (tick > untilTick) break;
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
      const read = ({ tick, order }: Place) => this.#store.incident(this.#world, tick, order);
      const stored = await Promise.all(places.map(read));
      return stored.filter((incident) => incident !== undefined);
    }
    const chains = yield* this.#chains(first, last);
    const [from, to] = [places[0]?.tick, places.at(-1)?.tick];
    const explanations = await this.#store.explanations(this.#world, from, to);
    return chains.map((chain) => {
      const [{ tick, order }] = chain;
      return { chain, explanation: explanations.get(incidentId(tick, order)) };
    });
  }

  async *#chains(first: number, last: number): Steps<IncidentContacts[]> {
    const begin = this.#placeOf(first);
    const end = this.#placeOf(last);
    const own: ContactRecord[] = [];
    let endTick = end.tick + INCIDENT_END_TICKS;
    for (let after: readonly [number, number?] = [begin.tick]; ; ) {
      const records = await this.#recordsAfter(after);
      for (const record of records) {
        if (record.tick >= endTick) break;
        const place = { tick: record.chainTick, order: record.chainOrder };
        if (isBefore(place, begin) || isBefore(end, place)) continue;
        endTick = Math.max(endTick, record.tick + INCIDENT_END_TICKS);
        own.push(record);
      }
      const final = records.at(-1);
      if (final === undefined || records.length < STEP_RECORDS || final.tick >= endTick) break;
      after = [final.tick, final.order];
      yield '';
    }
    return groupByIncident(own);
  }
}

/** The page with an incident. */
export function pageOf(number: number): number {
  return Math.floor(number / PAGE_INCIDENTS);
}

function isBefore(a: Place, b: Place): boolean {
  return a.tick === b.tick ? a.order < b.order : a.tick < b.tick;
}
